//! Console logs of one run that was resumed: two files, one after the other.
//!
//! Unlike W&B's files, logs carry no id. Proof are three things together: the names differ only behind a common stem
//! and a word such as `resume` or `part`, the later one begins where the earlier one was or ended, and both hold the
//! same metrics. Where the names do not say it, the files stay apart, and a remark says what it looks like.

use std::collections::BTreeMap;

use super::super::{Fragment, Place, Problem, Weight, path};
use super::{join, path_of};
use crate::run::{Run, Warning};

/// Words (or their beginnings) behind which a name says which part of a run it is.
const WORDS: [&str; 4] = ["resum", "restart", "contin", "part"];
/// Words that only say so beside one of the others.
const WEAK_WORDS: [&str; 2] = ["pre", "cont"];
/// Share of the metrics of the smaller file that both must hold.
const SHARED: f64 = 0.8;
/// Steps between the end of one file and the begin of the next, in usual gaps.
const MOST_GAPS: f64 = 2.0;
/// Fewest rows of a file from which anything is concluded.
const FEWEST_ROWS: usize = 3;

/// Joins the logs that are one run, and says of which it may be so.
pub(super) fn join(logs: Vec<Fragment>) -> (Vec<Fragment>, Vec<Problem>) {
    let (with_rows, mut others): (Vec<Fragment>, Vec<Fragment>) =
        logs.into_iter().partition(|log| log.run.row_steps.len() >= FEWEST_ROWS);
    let mut folders: BTreeMap<(String, Vec<String>), Vec<Fragment>> = BTreeMap::new();
    for log in with_rows {
        let key = (log.folder.clone(), stem(path_of(&log.run)));
        folders.entry(key).or_default().push(log);
    }
    let mut problems = Vec::new();
    let mut apart: Vec<Fragment> = Vec::new();
    for ((_, stem), mut logs) in folders {
        // Logs of equal names in an empty stem are any logs.
        if logs.len() > 1 && !stem.is_empty() {
            logs = chain(logs);
        }
        apart.append(&mut logs);
    }
    problems.extend(remarks(&apart));
    others.append(&mut apart);
    others.sort_by(|a, b| path_of(&a.run).cmp(path_of(&b.run)));
    (others, problems)
}

/// Joins logs of one stem in the order of their first steps, each to the one before it that it goes on from.
fn chain(mut logs: Vec<Fragment>) -> Vec<Fragment> {
    let first = |log: &Fragment| Steps::of(&log.run).map_or(f64::INFINITY, |steps| steps.first);
    logs.sort_by(|a, b| first(a).total_cmp(&first(b)));
    let mut joined: Vec<Fragment> = Vec::new();
    for log in logs {
        let said = is_part(path_of(&log.run));
        match joined.last_mut() {
            Some(before) if said && goes_on(&before.run, &log.run) => resume(&mut before.run, log.run),
            _ => joined.push(log),
        }
    }
    joined
}

fn resume(run: &mut Run, later: Run) {
    let step = Steps::of(&later).map(|steps| steps.first);
    let text = format!("it was resumed: from here on the rows are those of {}", path_of(&later));
    join::append(run, later);
    run.choose_axis(None);
    run.warnings.push(Warning { text, step });
}

/// What may be one run, by steps and metrics alone: only where a file has one candidate.
fn remarks(logs: &[Fragment]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut ends: BTreeMap<(&str, u64), Vec<&Run>> = BTreeMap::new();
    for log in logs {
        if let Some(steps) = Steps::of(&log.run) {
            ends.entry((log.folder.as_str(), (steps.last + steps.gap).to_bits())).or_default().push(&log.run);
        }
    }
    for log in logs {
        let Some(steps) = Steps::of(&log.run) else { continue };
        let Some([before]) = ends.get(&(log.folder.as_str(), steps.first.to_bits())).map(Vec::as_slice) else {
            continue;
        };
        let is_later = Steps::of(before).is_some_and(|earlier| earlier.first < steps.first);
        if is_later && shares_metrics(before, &log.run) {
            let earlier = path::file_name(path_of(before));
            let what = format!("This log begins where {earlier} ends, with the same metrics: it may be the same run.");
            let remedy = "To read both as one run, give them one name, with -resume behind that of the later one.";
            problems.push(Problem::new(path_of(&log.run), Place::File, Weight::Remark, what, remedy));
        }
    }
    problems
}

/// The steps of a log.
struct Steps {
    first: f64,
    last: f64,
    /// The usual distance of two steps.
    gap: f64,
}

impl Steps {
    fn of(run: &Run) -> Option<Self> {
        let (first, last) = run.step_range()?;
        let mut steps = run.axis.steps.clone();
        steps.sort_by(f64::total_cmp);
        steps.dedup();
        let mut gaps: Vec<f64> = steps.iter().zip(steps.iter().skip(1)).map(|(before, after)| after - before).collect();
        gaps.sort_by(f64::total_cmp);
        let gap = gaps.get(gaps.len() / 2).copied()?;
        Some(Self { first, last, gap })
    }
}

/// True when the second file begins within the first, or right behind it, and goes further.
fn goes_on(earlier: &Run, later: &Run) -> bool {
    let (Some(before), Some(after)) = (Steps::of(earlier), Steps::of(later)) else { return false };
    before.first < after.first
        && after.first <= before.last + MOST_GAPS * before.gap
        && after.last > before.last
        && shares_metrics(earlier, later)
}

fn shares_metrics(one: &Run, other: &Run) -> bool {
    let shared = one.columns.keys().filter(|key| other.columns.contains_key(*key)).count();
    let fewest = one.columns.len().min(other.columns.len());
    // Steps alone are no metric.
    fewest > 1 && shared as f64 >= SHARED * fewest as f64
}

/// True when the name says that the file is a part of a run.
fn is_part(file: &str) -> bool {
    words(file).iter().any(|word| is_telling(word))
}

/// The words of a name before the first that says which part it is; all of them when none does.
fn stem(file: &str) -> Vec<String> {
    let words = words(file);
    let is_part = words.iter().any(|word| is_telling(word));
    let is_end = |word: &String| is_telling(word) || (is_part && WEAK_WORDS.contains(&word.as_str()));
    words.iter().take_while(|word| !is_end(word)).cloned().collect()
}

fn is_telling(word: &str) -> bool {
    WORDS.iter().any(|known| word.starts_with(known))
}

/// The words and numbers of a file's name, without its extension, in lower case.
fn words(file: &str) -> Vec<String> {
    let name = path::file_name(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    for character in stem.chars() {
        let kind = match character {
            _ if character.is_ascii_digit() => Some(false),
            _ if character.is_alphanumeric() => Some(true),
            _ => None,
        };
        match (kind, words.last_mut()) {
            (Some(_), Some(word)) if kind == last => word.extend(character.to_lowercase()),
            (Some(_), _) => words.push(character.to_lowercase().collect()),
            (None, _) => {}
        }
        last = kind;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Role};
    use super::*;
    use crate::run::SourceFile;

    fn log(name: &str, steps: std::ops::Range<u32>) -> Fragment {
        let mut run = Run::default();
        for step in steps {
            let row = run.push_row(f64::from(step), f64::NAN);
            run.push_value("step", row, f64::from(step));
            run.push_value("reward", row, f64::from(step) / 10.0);
        }
        run.choose_axis(None);
        let format = Format::ConsoleLog.as_str().to_owned();
        run.files.push(SourceFile { path: format!("l/{name}"), format, bytes: 0, crc32: 0 });
        run.note_origins();
        Fragment { run, role: Role::Attachment, folder: "l".into() }
    }

    fn joined(logs: Vec<Fragment>) -> (Vec<(usize, usize)>, usize) {
        let (logs, problems) = join(logs);
        (logs.iter().map(|log| (log.run.files.len(), log.run.row_steps.len())).collect(), problems.len())
    }

    #[test]
    fn names_and_steps_together_make_one_run() {
        let (logs, problems) =
            join(vec![log("a-grpo-resume_from10.log", 11..30), log("a-grpo-pre_resume_step10.log", 0..15)]);
        assert_eq!((logs.len(), problems.len()), (1, 0));
        let run = &logs[0].run;
        assert_eq!((run.files.len(), run.axis.restarts.len(), run.axis.restarts[0].left_at), (2, 1, 14.0));
        assert_eq!(run.series("reward").unwrap().steps, (0..30).map(f64::from).collect::<Vec<_>>());
        assert_eq!((run.warnings[0].step, &run.origins["reward"][..]), (Some(11.0), &[0, 1][..]));
        assert_eq!(
            joined(vec![log("t.log", 0..9), log("t-resumed.log", 9..20), log("t-resumed2.log", 20..30)]).0,
            [(3, 30)]
        );
        assert_eq!(joined(vec![log("t.part1.log", 0..9), log("t.part2.log", 9..20)]).0, [(2, 20)]);
    }

    #[test]
    fn steps_alone_are_a_remark_and_names_alone_are_nothing() {
        assert_eq!(joined(vec![log("monday.log", 0..9), log("tuesday.log", 9..20)]), (vec![(1, 9), (1, 11)], 1));
        for (one, other) in [
            // The same steps again, a gap, another seed, and names without a word in common.
            (log("t.log", 0..9), log("t-resume.log", 0..20)),
            (log("t.log", 0..9), log("t-resume.log", 50..60)),
            (log("seed1.log", 0..9), log("seed2-resume.log", 5..20)),
            (log("pre.log", 0..9), log("resume.log", 5..20)),
        ] {
            assert_eq!(joined(vec![one, other]).0.len(), 2);
        }
        let mut other = log("t-resume.log", 9..20);
        other.run.columns.remove("reward");
        other.run.push_value("loss", 0, 1.0);
        assert_eq!(joined(vec![log("t.log", 0..9), other]), (vec![(1, 11), (1, 9)], 0));
    }

    #[test]
    fn names_come_apart_into_words_and_numbers() {
        assert_eq!(words("x/Search-R1_grpo.resume100.log"), ["search", "r", "1", "grpo", "resume", "100"]);
        assert_eq!(stem("search-r1-grpo-pre_resume_step100.log"), stem("search-r1-grpo-resume_from100.log"));
        assert_eq!(stem("pre-train.log"), ["pre", "train"]);
    }
}
