//! JSON documents with a list of rows: Hugging Face's `trainer_state.json`, an export with `history`, or a bare list.
//!
//! `trainer_state.json` is what the Trainer saves with each checkpoint (transformers, `TrainerState.save_to_json`).
//! Training and evaluation entries of one step are separate; the last entry may be a summary of the whole training.

use super::json::{Json, Piece, Splitter, flatten_into};
use super::rows::Rows;
use super::{FileReader, Fragment, Place, Problem, Role, Weight, path};
use crate::run::{Config, Ending, Run, RunState};

/// Lists that hold rows, by the key that they stand under.
const ROW_LISTS: [&str; 3] = ["log_history", "history", ""];
/// Members of a trainer state that are settings; the others describe how far it came.
const SETTINGS: [&str; 6] =
    ["max_steps", "num_train_epochs", "logging_steps", "eval_steps", "save_steps", "train_batch_size"];
/// Members of a trainer state that sum it up.
const SUMMARY: [&str; 6] =
    ["global_step", "epoch", "total_flos", "num_input_tokens_seen", "best_metric", "best_global_step"];
/// Largest member looked at: settings and summaries are small.
const MAX_MEMBER: usize = 1 << 20;

/// Reads a JSON document.
pub(crate) struct DocumentReader {
    path: String,
    splitter: Splitter,
    content: Content,
}

#[derive(Default)]
struct Content {
    rows: Rows,
    /// Set by `log_history`, even when it is empty.
    is_trainer_state: bool,
    members: Vec<(String, Json)>,
    /// The Trainer's last entry, which sums up the training.
    totals: Option<Json>,
    bad: u64,
}

impl DocumentReader {
    pub(crate) fn new(path: &str) -> Self {
        Self { path: path.to_owned(), splitter: Splitter::default(), content: Content::default() }
    }
}

impl Content {
    fn take(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Element { key, value } if ROW_LISTS.contains(&key) => {
                self.is_trainer_state |= key == "log_history";
                if key == "log_history" && memchr::memmem::find(value, b"\"train_runtime\"").is_some() {
                    self.totals = Json::parse(value).ok();
                } else if self.rows.json_row(value).is_err() {
                    self.bad += 1;
                }
            }
            Piece::Member { key, value } if value.len() <= MAX_MEMBER => {
                // Every trainer state has this member, also one without any log yet.
                self.is_trainer_state |= key == "is_world_process_zero";
                if let Ok(value) = Json::parse(value) {
                    self.members.push((key.to_owned(), value));
                }
            }
            _ => {}
        }
    }

    fn member(&self, key: &str) -> Option<&Json> {
        self.members.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    fn into_run(mut self) -> Run {
        if !self.is_trainer_state {
            return self.into_export();
        }
        let ending = self.trainer_ending();
        let mut summary = Config::default();
        for (key, value) in self.members {
            if value == Json::Null {
                continue;
            }
            if SETTINGS.contains(&key.as_str()) {
                self.rows.setting(&key, value);
            } else if SUMMARY.contains(&key.as_str()) {
                summary.insert(key, value.into_config_value());
            }
        }
        flatten_into(&mut summary, "", self.totals.unwrap_or_default());
        Run { summary, ending, ..self.rows.finish() }
    }

    /// `{"config": {…}, "summary": {…}, "history": […]}`, as scripts export from W&B.
    fn into_export(mut self) -> Run {
        let mut summary = Config::default();
        let mut name = String::new();
        for (key, value) in self.members {
            match (key.as_str(), value) {
                ("config", Json::Object(settings)) => {
                    for (key, value) in settings {
                        self.rows.setting(&key, value);
                    }
                }
                ("summary", value) => flatten_into(&mut summary, "", value),
                ("name", Json::Text(text)) => name = text,
                _ => {}
            }
        }
        Run { summary, name, ..self.rows.finish() }
    }

    /// A trainer state does not say how the run ended, but it says how far it came.
    fn trainer_ending(&self) -> Ending {
        let number = |key| self.member(key).and_then(Json::metric);
        let (done, planned) = (number("global_step").unwrap_or(0.0), number("max_steps").unwrap_or(0.0));
        let is_whole = planned > 0.0 && done >= planned;
        let state = if is_whole || self.totals.is_some() { RunState::Finished } else { RunState::Unknown };
        let evidence = match (is_whole, self.totals.is_some(), planned > 0.0) {
            (true, _, _) => format!("the trainer state was saved at step {done} of {planned}, the last one planned"),
            (false, true, _) => format!("the trainer state sums up the training, at step {done}"),
            (false, false, true) => format!("the trainer state was saved at step {done} of {planned}"),
            (false, false, false) => format!("the trainer state was saved at step {done}"),
        };
        Ending { state, evidence: vec![evidence], ..Ending::default() }
    }
}

impl FileReader for DocumentReader {
    fn push(&mut self, bytes: &[u8]) {
        let content = &mut self.content;
        self.splitter.push(bytes, &mut |piece| content.take(piece));
    }

    fn finish(self: Box<Self>) -> (Vec<Fragment>, Vec<Problem>) {
        let outcome = self.splitter.finish();
        let mut problems = Vec::new();
        let mut report = |place, weight, what: &str, remedy: &str| {
            problems.push(Problem::new(&self.path, place, weight, what, remedy));
        };
        // Without a step a list of objects may be anything, such as a data set.
        let has_rows = self.content.rows.len() > 0 && (self.content.is_trainer_state || self.content.rows.has_step());
        if !has_rows && !self.content.is_trainer_state {
            report(
                Place::File,
                Weight::Lost,
                "This JSON is none of the shapes that are read.",
                "Read are trainer_state.json (with log_history), an object with a list history, a list of rows, and one object per line.",
            );
            return (Vec::new(), problems);
        }
        if let Some(offset) = outcome.broken_at {
            report(Place::Byte(offset), Weight::Partial, "The JSON is broken here: what follows is lost.", "");
        } else if outcome.is_cut {
            report(
                Place::File,
                Weight::Partial,
                "The file ends early: the last rows may be missing.",
                "Copy the file again.",
            );
        }
        if self.content.bad > 0 {
            let what = format!("{} entries could not be understood and are left out.", self.content.bad);
            report(Place::File, Weight::Partial, &what, "");
        }
        if !has_rows {
            report(
                Place::File,
                Weight::Partial,
                "The trainer state has no log entry.",
                "Set logging_steps, or drop the file of a later checkpoint.",
            );
        } else if self.content.rows.are_samples() {
            report(
                Place::File,
                Weight::Remark,
                "These rows are samples (prompts and completions), not metrics, and are not read yet.",
                "",
            );
            return (Vec::new(), problems);
        }
        let folder = path::folder(&self.path).to_owned();
        (vec![Fragment { run: self.content.into_run(), role: Role::Primary, folder }], problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::ConfigValue;

    fn read(text: &str) -> (Vec<Fragment>, Vec<Problem>) {
        let mut reader = Box::new(DocumentReader::new("out/trainer_state.json"));
        for part in text.as_bytes().chunks(11) {
            reader.push(part);
        }
        reader.finish()
    }

    const STATE: &str = r#"{
      "best_metric": null, "global_step": 20, "is_world_process_zero": true,
      "log_history": [
        {"epoch": 0.1, "loss": 0.5, "reward": NaN, "kl": null, "step": 10},
        {"epoch": 0.1, "eval_reward": 0.9, "step": 10},
        {"epoch": 0.2, "loss": 0.25, "reward": 1.5, "step": 20},
        {"step": 20, "train_loss": 0.3, "train_runtime": 12.5}
      ],
      "max_steps": 40, "stateful_callbacks": {"TrainerControl": {"args": {"x": true}}}, "train_batch_size": 2 }"#;

    #[test]
    fn a_trainer_state_is_a_run() {
        let (fragments, problems) = read(STATE);
        assert_eq!(problems, []);
        let run = &fragments[0].run;
        assert_eq!(run.columns.keys().collect::<Vec<_>>(), ["epoch", "eval_reward", "loss", "reward", "step"]);
        assert_eq!(run.columns["step"].values(), [10.0, 10.0, 20.0]);
        assert_eq!(run.columns["eval_reward"].rows(), [1]);
        assert!(run.columns["reward"].values()[0].is_nan());
        assert_eq!(run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["max_steps", "train_batch_size"]);
        assert_eq!(run.summary.get("train_runtime"), Some(&ConfigValue::Number(12.5)));
        assert_eq!(run.summary.get("global_step"), Some(&ConfigValue::Number(20.0)));
        assert_eq!(run.ending.state, RunState::Finished);
    }

    #[test]
    fn a_cut_trainer_state_keeps_its_entries() {
        let (fragments, problems) = read(STATE.split("\"loss\": 0.25").next().unwrap());
        assert_eq!(fragments[0].run.columns["step"].values(), [10.0, 10.0]);
        assert_eq!(fragments[0].run.ending.state, RunState::Unknown);
        assert_eq!(problems[0].weight, Weight::Partial);
    }

    #[test]
    fn an_export_with_history_and_a_bare_list_are_runs() {
        let (fragments, _) =
            read(r#"{"name": "n", "config": {"lr": 1}, "history": [{"_step": 5, "loss": 1}], "summary": {"loss": 1}}"#);
        let run = &fragments[0].run;
        assert_eq!(
            (run.name.as_str(), run.config.len(), run.summary.len(), &run.row_steps[..]),
            ("n", 1, 1, &[5.0][..])
        );
        assert_eq!(read(r#"[{"step": 1, "loss": 1}, {"step": 2, "loss": 0}]"#).0[0].run.row_steps.len(), 2);
    }

    #[test]
    fn any_other_json_is_lost_and_says_what_is_read() {
        for text in [r#"{"a": 1}"#, "[1, 2]", r#"[{"id": 1}]"#, "{}", r#"{"runs": [{"x": 1}]}"#] {
            let (fragments, problems) = read(text);
            assert!(fragments.is_empty(), "{text}");
            assert_eq!(problems[0].weight, Weight::Lost);
            assert!(problems[0].remedy.contains("trainer_state.json"));
        }
    }
}
