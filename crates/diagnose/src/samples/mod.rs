//! What the policy wrote: completions with their rewards, from whatever table a trainer logged them in.
//!
//! TRL logs one row a completion (`prompt`, `completion`, one column for each reward function); verl one row a step
//! (`input_1`, `output_1`, `score_1`, `input_2`, …); others their own names for the same. A column is known by its
//! name, and a number beside a text is its score.

mod around_onset;
mod contrast;
mod phrases;

pub(super) use around_onset::around_onsets;
pub use around_onset::{CompletionGroup, Excerpt, Samples};
pub use contrast::{Contrast, Measured, contrast};
pub use phrases::Phrase;
use rundown_stats::CompactSort as _;

use rundown_run::{LoggedCell, LoggedTable, Run};

/// Completions that are looked at, spread over the run: enough for every comparison, little enough to be fast.
const MAX_COMPLETIONS: usize = 20_000;
const PROMPTS: [&str; 6] = ["prompt", "input", "question", "query", "problem", "instruction"];
const TEXTS: [&str; 8] =
    ["completion", "response", "output", "generation", "answer", "trajectory", "rollout", "prediction"];

/// Numbers beside a text that are no scores.
const COUNTERS: [&str; 8] = ["index", "idx", "id", "uid", "epoch", "rank", "row", "seed"];

/// One completion, as its table holds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample<'r> {
    /// Step at which it was logged.
    pub step: f64,
    /// What was asked; empty where the table does not say.
    pub prompt: &'r str,
    /// What the policy wrote.
    pub text: &'r str,
    /// Numbers beside it, such as the parts of its reward, by column, without the number of a numbered one.
    pub scores: Vec<(&'r str, f64)>,
}

/// True for a table of completions.
pub fn holds_completions(table: &LoggedTable) -> bool {
    !layouts(table).is_empty()
}

/// The completions of a run in the order of their steps.
pub fn samples(run: &Run) -> Vec<Sample<'_>> {
    let mut samples = Vec::new();
    let filled = run.tables.iter().filter_map(|file| Some((file, file.content.as_ref()?)));
    let rows: usize = filled.clone().map(|(_, table)| table.rows.len()).sum();
    let every = rows.div_ceil(MAX_COMPLETIONS).max(1);
    for (file, table) in filled {
        let logged = run.axis.steps.get(file.row as usize).copied().unwrap_or(f64::NAN);
        for layout in layouts(table) {
            samples.extend(table.rows.iter().step_by(every).filter_map(|row| layout.sample(table, row, logged)));
        }
    }
    samples.retain(|sample| sample.step.is_finite());
    samples.compact_sort_by(|a, b| a.step.total_cmp(&b.step));
    samples
}

/// Which columns of a table belong to one completion of a row.
struct SampleColumns {
    text: usize,
    prompt: Option<usize>,
    step: Option<usize>,
    scores: Vec<usize>,
}

/// One layout for each completion that a row holds; none for a table of something else.
fn layouts(table: &LoggedTable) -> Vec<SampleColumns> {
    let names: Vec<String> = table.columns.iter().map(|name| name.trim().to_lowercase()).collect();
    let step = names.iter().position(|name| name == "step" || name == "global_step" || name == "steps");
    // `output_1`, `score_1`: what ends in the same number belongs together.
    let number = |name: &str| numbered(name).map(|(_, number)| number);
    let text_columns: Vec<usize> = (0..names.len()).filter(|place| is_named(&names, *place, &TEXTS)).collect();
    let many: Vec<usize> = text_columns
        .iter()
        .copied()
        .filter(|place| names.get(*place).is_some_and(|name| number(name).is_some()))
        .collect();
    let chosen = if many.is_empty() { text_columns.into_iter().take(1).collect() } else { many };
    let layout = |text: usize| {
        let own = names.get(text).and_then(|name| number(name));
        let belongs = |place: &usize| {
            let theirs = names.get(*place).and_then(|name| number(name));
            *place != text && Some(*place) != step && (own.is_none() || theirs == own)
        };
        let prompt = (0..names.len()).filter(belongs).find(|place| is_named(&names, *place, &PROMPTS));
        let is_score = |place: &usize| {
            let name = names.get(*place).map_or("", String::as_str);
            Some(*place) != prompt && !COUNTERS.contains(&name) && !name.starts_with("unnamed")
        };
        let scores = (0..names.len()).filter(belongs).filter(is_score).collect();
        SampleColumns { text, prompt, step, scores }
    };
    chosen.into_iter().map(layout).collect()
}

/// True when a column's name begins with one of these words: `completion`, `completions`, `output_3`.
fn is_named(names: &[String], place: usize, words: &[&str]) -> bool {
    let last = names.get(place).map(|name| name.rsplit(['/', '.']).next().unwrap_or(name)).unwrap_or_default();
    words.iter().any(|word| {
        let rest = last.strip_prefix(word).map(|rest| rest.strip_prefix('s').unwrap_or(rest));
        rest.is_some_and(|rest| rest.is_empty() || rest == "_text" || rest.strip_prefix('_').is_some_and(is_number))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The name and the number of a numbered column, such as `output_1`.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let (name, number) = name.rsplit_once('_')?;
    Some((name, number.parse().ok()?))
}

impl SampleColumns {
    fn sample<'r>(&self, table: &'r LoggedTable, row: &'r [LoggedCell], logged: f64) -> Option<Sample<'r>> {
        let Some(LoggedCell::Text(text)) = row.get(self.text) else { return None };
        let text_of = |place: Option<usize>| match place.and_then(|place| row.get(place)) {
            Some(LoggedCell::Text(text)) => text.as_str(),
            _ => "",
        };
        let number = |place: usize| match row.get(place) {
            Some(LoggedCell::Number(value)) => Some(*value),
            Some(LoggedCell::Bool(value)) => Some(f64::from(u8::from(*value))),
            _ => None,
        };
        let name = |place: usize| {
            let name = table.columns.get(place)?.as_str();
            Some(numbered(name).map_or(name, |(name, _)| name))
        };
        let scores = self.scores.iter().filter_map(|place| Some((name(*place)?, number(*place)?)));
        Some(Sample {
            step: self.step.and_then(number).filter(|step| step.is_finite()).unwrap_or(logged),
            prompt: text_of(self.prompt),
            text,
            scores: scores.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::TableFile;

    fn run(columns: &[&str], rows: Vec<Vec<LoggedCell>>) -> Run {
        let mut run = Run::default();
        let row = run.push_row(7.0, f64::NAN);
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        let content = Some(LoggedTable { columns, rows, dropped: 0 });
        run.tables.push(TableFile { key: "t".to_owned(), row, path: String::new(), rows: None, content });
        run.choose_axis();
        run
    }

    fn text(text: &str) -> LoggedCell {
        LoggedCell::Text(text.to_owned())
    }

    #[test]
    fn a_row_of_trl_is_one_completion() {
        let row = vec![LoggedCell::Number(3.0), text("1+1="), text("2"), LoggedCell::Number(0.5), LoggedCell::Null];
        let run = run(&["step", "prompt", "completion", "answer", "advantage"], vec![row]);
        let found = samples(&run);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].step, found[0].prompt, found[0].text), (3.0, "1+1=", "2"));
        assert_eq!(found[0].scores, [("answer", 0.5)]);
    }

    #[test]
    fn a_row_of_verl_holds_many() {
        let names = ["step", "input_1", "output_1", "score_1", "input_2", "output_2", "score_2"];
        let row = vec![
            LoggedCell::Number(5.0),
            text("a"),
            text("b"),
            LoggedCell::Number(1.0),
            text("c"),
            text("d"),
            LoggedCell::Number(0.0),
        ];
        let many = run(&names, vec![row]);
        let found = samples(&many);
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].prompt, found[1].text), ("c", "d"));
        assert_eq!(found[1].scores, [("score", 0.0)]);
    }

    #[test]
    fn other_tables_hold_none_and_the_row_gives_the_step() {
        let other = run(&["criterion", "mean"], vec![vec![text("x"), LoggedCell::Number(1.0)]]);
        assert!(samples(&other).is_empty());
        let plain = run(&["Response"], vec![vec![text("x")]]);
        let found = samples(&plain);
        assert_eq!(found[0].step, 7.0);
    }
}
