//! Which files of a folder are of one job, by their names: the logs `job-1.out` and `job-1.err` are, `job-1.out` and
//! `job-2.out` are not, and the settings `seed3.json` are of `seed3.csv`.

use super::origin::is_only;
use crate::path;
use rundown_run::{FileFormat, Run};

/// Words of a file name that say which stream of a job it holds, and nothing about the job.
const STREAMS: [&str; 9] = ["out", "err", "stdout", "stderr", "output", "error", "errors", "log", "txt"];

/// True for a name that says nothing about the job: `stderr.log`.
pub(super) fn is_unnamed(file: &str) -> bool {
    words(file).next().is_none()
}

/// True for a run of console logs one of which has the name of this file but for the stream: `job.out` and `job.err`.
pub(super) fn is_of_name(run: &Run, file: &str) -> bool {
    is_of_logs(run) && run.files.iter().any(|known| is_one_job(&known.path, file))
}

/// True when a log without metrics may be of this run by its name. Logs of a run without metrics differ in the stream
/// alone. Beside a run with metrics a log of another kind of name may be what its launcher wrote; loose files, which no
/// folder holds together, have to share a word.
pub(super) fn may_be_of(run: &Run, file: &str, folder: &str) -> bool {
    if is_of_name(run, file) || is_unnamed(file) {
        return true;
    }
    if !is_of_logs(run) {
        return !folder.is_empty() || run.files.iter().any(|known| share_word(&known.path, file));
    }
    let is_other_job = |known: &str| match run.row_steps.is_empty() {
        true => !is_unnamed(known),
        false => is_one_pattern(known, file),
    };
    !run.files.iter().any(|known| is_other_job(&known.path))
}

/// Words of a file name that are those of any training.
const USUAL: [&str; 10] =
    ["train", "training", "trainer", "run", "console", "main", "nohup", "debug", "metrics", "wandb"];

/// True where a file is named after any training, or both after the same one: `train.log`, `gsm8k.csv` and `gsm8k_train.log`.
fn share_word(known: &str, file: &str) -> bool {
    let is_own = |word: &&str| !USUAL.iter().any(|usual| usual.eq_ignore_ascii_case(word));
    let mut own = words(file).filter(is_own).peekable();
    own.peek().is_none() || own.any(|word| words(known).any(|other| other.eq_ignore_ascii_case(word)))
}

/// Words of a file name that say that it holds settings or rows.
const CONTENTS: [&str; 12] = [
    "args", "arguments", "cfg", "conf", "config", "history", "hparams", "hyperparameters", "manifest", "params",
    "rewards", "settings",
];

/// True for a file of settings and one of rows that are named after one training: `seed3_config.json` and `seed3_log.jsonl`.
pub(super) fn is_of_one_training(settings: &str, rows: &str) -> bool {
    let lower = |word: &str| word.to_ascii_lowercase();
    let mut own = own_words(path::stem(settings)).map(lower).peekable();
    own.peek().is_some() && own.eq(own_words(path::stem(rows)).map(lower))
}

/// True where a word in the name of settings has another number in the path of a run: `seed3.json` is not of `seed4.csv`.
pub(super) fn has_other_number(settings: &str, run: &str) -> bool {
    numbered(path::stem(settings)).any(|(word, number)| {
        let mut same = numbered(run).filter(|(other, _)| other.eq_ignore_ascii_case(word)).peekable();
        same.peek().is_some() && same.all(|(_, other)| other != number)
    })
}

/// The words that end in a number, each with that number.
fn numbered(text: &str) -> impl Iterator<Item = (&str, &str)> {
    own_words(text).filter_map(|word| {
        let letters = word.trim_end_matches(|letter: char| letter.is_ascii_digit()).len();
        word.split_at_checked(letters).filter(|(_, number)| !number.is_empty())
    })
}

/// The words that are those of one training.
fn own_words(text: &str) -> impl Iterator<Item = &str> {
    let is_one_of = |word: &str, words: &[&str]| words.iter().any(|other| other.eq_ignore_ascii_case(word));
    let all = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    all.filter(move |word| !is_one_of(word, &STREAMS) && !is_one_of(word, &USUAL) && !is_one_of(word, &CONTENTS))
}

fn is_of_logs(run: &Run) -> bool {
    is_only(run, &[FileFormat::ConsoleLog])
}

fn is_one_job(one: &str, other: &str) -> bool {
    let (mut one, mut other) = (words(one).peekable(), words(other).peekable());
    if one.peek().is_none() {
        return false;
    }
    loop {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(word), Some(own)) if word.eq_ignore_ascii_case(own) => {}
            _ => return false,
        }
    }
}

/// True for names with as many words of which one is the same but for its digits: `train-a` and `train-b`, `run1` and
/// `run2`.
fn is_one_pattern(one: &str, other: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|letter: char| letter.is_ascii_digit()).to_ascii_lowercase();
    let is_like = |(word, own): (&str, &str)| !bare(word).is_empty() && bare(word) == bare(own);
    words(one).count() == words(other).count() && words(one).zip(words(other)).any(is_like)
}

/// The words of a file name that name the job. PBS and Grid Engine write the stream before the number: `job.o12`.
fn words(file: &str) -> impl Iterator<Item = &str> {
    let name = path::file_name(file);
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let number = extension.strip_prefix(['o', 'e']).filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    let all = stem.split(|letter: char| !letter.is_alphanumeric()).chain([number.unwrap_or(extension)]);
    all.filter(|word| !word.is_empty() && !STREAMS.iter().any(|stream| stream.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_job_have_one_name() {
        for (one, other) in [
            ("a/slurm-2631.out", "a/slurm-2631.err"),
            ("job_7.stdout.log", "job_7.stderr.log"),
            ("grpo.o4711", "grpo.e4711"),
            ("Train.log", "train_err.log"),
        ] {
            assert!(is_one_job(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("slurm-2631.out", "slurm-2632.out"),
            ("slurm-1.out", "slurm-1_2.out"),
            ("grpo.o4711", "grpo.o4712"),
            ("stdout.log", "stderr.log"),
        ] {
            assert!(!is_one_job(one, other), "{one} {other}");
        }
        assert!(is_unnamed("a1/stderr.log") && is_unnamed("out.txt") && !is_unnamed("train.log"));
    }

    #[test]
    fn settings_are_named_as_the_rows_of_their_training() {
        for (settings, rows) in [
            ("a/seed3.json", "a/seed3.csv"),
            ("seed3.json", "seed3_log.jsonl"),
            ("hparams_seed3.json", "Seed3.csv"),
            ("ppo_config.json", "ppo_history.json"),
        ] {
            assert!(is_of_one_training(settings, rows) && !has_other_number(settings, rows), "{settings} {rows}");
        }
        for (settings, rows) in
            [("seed3.json", "seed30.csv"), ("train_args.json", "train.log"), ("grpo.json", "ppo.csv")]
        {
            assert!(!is_of_one_training(settings, rows), "{settings} {rows}");
        }
        assert!(has_other_number("seed3.json", "seed4.csv") && has_other_number("exp_3.json", "/exp_4/metrics.csv"));
        assert!(!has_other_number("ppo_grpo_v2.json", "metrics.csv") && !has_other_number("v2.json", "v2_seed1.csv"));
    }

    #[test]
    fn loose_files_share_a_word_of_their_names() {
        assert!(share_word("metrics.csv", "train.log") && share_word("gsm8k.csv", "gsm8k_train.log"));
        assert!(!share_word("training_metrics_grpo.csv", "verl_demo.log"));
    }

    #[test]
    fn names_of_one_pattern_are_of_several_jobs() {
        assert!(is_one_pattern("train-a.log", "train-b.log") && is_one_pattern("run1.out", "run2.out"));
        assert!(is_one_pattern("slurm-2631.out", "slurm-2632.err"));
        assert!(!is_one_pattern("slurm-2631.out", "train.log") && !is_one_pattern("2631.out", "train.log"));
    }
}
