//! Settings that a trainer prints before it starts: verl's `pprint` of its Hydra tree, and the `repr` of
//! `TrainingArguments`, one argument a line.
//!
//! Others print between the lines of a block: other workers, and warnings of the same one under Ray, which marks
//! both streams of a process alike. A line belongs to the block when it has the same Ray mark and goes on as `pprint`
//! does, indented and with a value; whatever else stands between is read as usual.

mod continuation;
mod indented;
mod setting_pairs;
mod trained_share;

use std::collections::BTreeMap;

use continuation::{goes_on, is_continuation};

use super::command::{self, Command, CommandSettings, TypedCommand};
use super::verl;
use crate::syntax::json::Json;
use crate::syntax::python;
use rundown_stats::CompactCollect as _;

/// Sections of verl's config. Two of them make a dictionary one.
const SECTIONS: [&str; 7] = ["actor_rollout_ref", "algorithm", "critic", "data", "reward_model", "trainer", "actor"];
/// Ends of what a block of arguments begins with: the class, then an opening bracket at the end of the line.
const ARGUMENTS: [&str; 5] = ["TrainingArguments(", "GRPOConfig(", "PPOConfig(", "RLOOConfig(", "OnlineDPOConfig("];
/// Longest block, in bytes, and lines that may pass before it ends. verl's tree has about 40 kB in 800 lines.
const MAX_BLOCK: usize = 1 << 20;
const MAX_LINES: u32 = 20_000;
/// Lines that the same process may print between those of a block: imports warn, and data sets show their bars.
const MAX_FOREIGN_LINES: u32 = 200;

/// Collects the settings of a log.
#[derive(Debug, Default)]
pub(crate) struct LogSettings {
    found: Json,
    block: Option<SettingsBlock>,
    typed: TypedCommand,
    /// The last command.
    command: Command,
    /// A command with other settings than the last one, which were not taken yet.
    next: Option<Command>,
    /// The last block that was a dictionary of something else.
    other: Option<String>,
}

#[derive(Debug)]
struct SettingsBlock {
    kind: SettingsKind,
    mark: String,
    text: String,
    /// Brackets that are open.
    depth: usize,
    lines: u32,
    /// Lines of other things under the same mark.
    foreign_lines: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SettingsKind {
    Dictionary,
    Arguments,
}

impl LogSettings {
    /// True where the next line may go on a block or a command.
    pub(crate) fn is_open(&self) -> bool {
        self.block.is_some() || self.typed.is_open()
    }

    /// Adds a line when it is part of a block. `mark` is what Ray put before it.
    pub(crate) fn add_line(&mut self, mark: &str, text: &str) -> bool {
        let Some(block) = &mut self.block else { return self.line(text) || self.start(mark, text) };
        block.lines += 1;
        if block.lines > MAX_LINES || block.text.len() > MAX_BLOCK {
            self.end();
            return false;
        }
        let trimmed = text.trim_end();
        let is_part = match block.kind {
            SettingsKind::Dictionary => is_continuation(trimmed) || goes_on(&block.text, trimmed),
            SettingsKind::Arguments => trimmed == ")" || (trimmed.ends_with(',') && trimmed.contains('=')),
        };
        if mark != block.mark {
            return false;
        }
        if !is_part {
            block.foreign_lines += 1;
            // Without a mark, or before something of its own, the block was cut, or was no block of settings.
            let is_cut = mark.is_empty() || block.foreign_lines > MAX_FOREIGN_LINES || verl::line(text).is_some();
            if is_cut || trimmed.starts_with('{') {
                self.end();
            }
            return false;
        }
        let is_last = match block.kind {
            SettingsKind::Dictionary => {
                block.depth = python::depth_after(block.depth, text);
                block.text.push('\n');
                block.text.push_str(text);
                block.depth == 0
            }
            SettingsKind::Arguments => {
                if trimmed != ")" {
                    block.text.push('\n');
                    block.text.push_str(trimmed.trim_end_matches(','));
                }
                trimmed == ")"
            }
        };
        if is_last {
            self.end();
        }
        true
    }

    /// Takes the settings of a command that the shell traced or showed, and of a line of settings. What the trainer
    /// prints later counts before them.
    fn line(&mut self, text: &str) -> bool {
        if let Some(pairs) = setting_pairs::pairs(text) {
            self.add(pairs.into_iter().compact_collect());
            return true;
        }
        if let Some(adapter) = trained_share::adapter(text) {
            self.add([adapter].into_iter().compact_collect());
            return true;
        }
        // Of the training above: no other one begins here, and what its trainer printed counts before the command.
        for (key, value) in command::failed(text) {
            if key.iter().try_fold(&self.found, |inner, part| inner.get(part)).is_none() {
                self.found.set(&key, value);
            }
        }
        let typed = self.typed.add(text);
        let is_part = typed.is_some();
        let found = typed.unwrap_or_else(|| command::settings(text));
        if !found.is_empty() {
            self.next = (found != self.command.settings).then_some(Command { settings: found, is_marked: true });
            return true;
        }
        let unmarked = command::unmarked(text);
        if !is_part && !unmarked.is_empty() {
            self.next = (unmarked != self.command.settings).then_some(Command { settings: unmarked, is_marked: false });
            return true;
        }
        is_part
    }

    /// A command with other settings than the one before, once.
    pub(crate) fn take_next(&mut self) -> Option<Command> {
        self.next.take()
    }

    /// Adds the settings of a command that was run; those of one that may not have been are only kept.
    pub(crate) fn begin(&mut self, command: Command) {
        if command.is_marked {
            for (key, value) in command.settings.clone() {
                self.found.set(&key, value);
            }
        }
        self.command = command;
    }

    /// The settings of the last command where nothing says that it was run.
    pub(crate) fn unmarked(&self) -> CommandSettings {
        if self.command.is_marked { Vec::new() } else { self.command.settings.clone() }
    }

    /// Ends the block and takes what is in it, were it cut or not.
    fn end(&mut self) {
        let Some(block) = self.block.take() else { return };
        match block.kind {
            SettingsKind::Dictionary if block.depth == 0 && !self.dictionary(&block.text) => {
                self.other = Some(block.text.replace('\n', " "));
            }
            SettingsKind::Dictionary => _ = self.dictionary(&block.text),
            SettingsKind::Arguments => self.arguments(&block.text),
        }
    }

    /// The dictionary that ended last where it holds no settings, on one line.
    pub(crate) fn take_other(&mut self) -> Option<String> {
        self.other.take()
    }

    /// The settings, nested as they were printed; of two blocks the later wins, key by key.
    pub(crate) fn into_json(mut self) -> Json {
        self.end();
        self.found
    }

    fn start(&mut self, mark: &str, text: &str) -> bool {
        let (kind, depth) = if text.starts_with("{'") {
            match python::parse_prefix(text) {
                Ok(_) => return self.is_config(text),
                // Only one that goes on below: brackets behind a whole one, or a broken one, are no block.
                Err(at) if at >= text.trim_end().len() => (SettingsKind::Dictionary, python::depth_after(0, text)),
                Err(_) => return false,
            }
        } else if is_start_of_arguments(text.trim_end()) {
            (SettingsKind::Arguments, 1)
        } else {
            return false;
        };
        if depth == 0 {
            return false;
        }
        let text = if kind == SettingsKind::Dictionary { text.to_owned() } else { String::new() };
        self.block = Some(SettingsBlock { kind, mark: mark.to_owned(), text, depth, lines: 0, foreign_lines: 0 });
        true
    }

    /// A dictionary on one line: most of them are metrics.
    fn is_config(&mut self, text: &str) -> bool {
        let is_one = SECTIONS.iter().filter(|section| text.contains(**section)).count() >= 2;
        if is_one {
            self.dictionary(text);
        }
        is_one
    }

    /// Takes the settings of a dictionary; false where it holds none.
    fn dictionary(&mut self, text: &str) -> bool {
        let tree = match python::parse_prefix(text) {
            Ok((Json::Object(tree), _)) => tree,
            Ok(_) => return false,
            // Lines are missing.
            Err(_) => indented::parse(text),
        };
        let is_section = |key: &str| matches!(tree.get(key), Some(Json::Object(_)));
        let is_config = SECTIONS.iter().filter(|key| is_section(key)).count() >= 2;
        if is_config {
            self.add(tree);
        }
        is_config
    }

    fn arguments(&mut self, text: &str) {
        let argument = |line: &str| {
            let (key, value) = line.split_once('=')?;
            Some((key.trim().to_owned(), python::value_or_text(value)))
        };
        self.add(text.lines().filter_map(argument).compact_collect());
    }

    fn add(&mut self, settings: BTreeMap<String, Json>) {
        for (key, value) in settings {
            self.found.set(&[key], value);
        }
    }
}

/// True for a line that ends with the name of a class of arguments and an opening bracket, perhaps behind words of a
/// logger. Classes of other libraries end in the same words (`UnslothGRPOConfig`).
fn is_start_of_arguments(line: &str) -> bool {
    let class = line.rsplit(|letter: char| letter.is_whitespace() || letter == '=').next().unwrap_or_default();
    ARGUMENTS.iter().any(|known| class.ends_with(known)) && !class.trim_end_matches('(').contains(['(', '.', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[(&str, &str)]) -> (Json, Vec<bool>) {
        let mut settings = LogSettings::default();
        let take = |(mark, text): &(&str, &str)| {
            let is_part = settings.add_line(mark, text);
            if let Some(command) = settings.take_next() {
                settings.begin(command);
            }
            is_part
        };
        let taken = lines.iter().map(take).collect();
        (settings.into_json(), taken)
    }

    #[test]
    fn a_printed_tree_is_read_among_other_lines() {
        let (config, taken) = read(&[
            ("(Task pid=1)", "{'actor_rollout_ref': {'actor': {'clip': 0.2,"),
            ("(Worker pid=2)", " 'x': 1}"),
            ("", "commit:"),
            ("(Task pid=1)", "                                 'path': 'a}b'}},"),
            ("(Task pid=1)", " 'trainer': {'n': None}}"),
            ("(Task pid=1)", " not a part"),
        ]);
        assert_eq!(taken, [true, false, false, true, true, false]);
        let expected = r#"{"actor_rollout_ref": {"actor": {"clip": 0.2, "path": "a}b"}}, "trainer": {"n": null}}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn a_tree_that_was_cut_between_keys_and_values_is_read() {
        let (config, taken) = read(&[
            ("(Task pid=1)", "{'actor': {'tool': "),
            ("(Task pid=1)", "WARNING: a platform is not available"),
            ("(Task pid=1)", "{'npu': {"),
            ("(Task pid=1)", "'level': 1},"),
            ("(Task pid=1)", "           "),
            ("(Task pid=1)", "'length': "),
            ("(Task pid=1)", "None,"),
            ("(Task pid=1)", "           'skip'"),
            ("(Task pid=1)", ": None,"),
            ("(Task pid=1)", "           'kind': 'x'"),
            ("(Task pid=1)", ","),
            ("(Task pid=1)", "           'lr': 5e-07"),
            ("(Task pid=1)", "}}"),
            ("(Task pid=1)", ","),
            ("(Task pid=1)", " 'trainer': {'n': None}}"),
        ]);
        assert_eq!(taken, [&[true, false, true, true, false][..], &[true; 10]].concat());
        let expected = r#"{"actor": {"tool": {"npu": {"level": 1}, "length": null, "skip": null, "kind": "x", "lr": 5e-7}},
            "trainer": {"n": null}}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn warnings_of_the_same_process_do_not_end_a_tree() {
        let (config, taken) = read(&[
            ("(Task pid=1)", "{'actor': {'clip': 0.2,"),
            ("(Task pid=1)", "x.py:3: FutureWarning: use another"),
            ("(Task pid=1)", "  warnings.warn("),
            ("(Task pid=1)", "Filtering:  25%|#   | 1000/4000 [00:02<00:06]"),
            ("(Task pid=1)", "           'betas': [0.9,"),
            ("(Task pid=1)", "                     0.999]},"),
            ("(Task pid=1)", " 'trainer': {'n': None}}"),
        ]);
        assert_eq!(taken, [true, false, false, false, true, true, true]);
        let expected = r#"{"actor": {"clip": 0.2, "betas": [0.9, 0.999]}, "trainer": {"n": null}}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
        let (_, taken) = read(&[
            ("(Task pid=1)", "{'actor': {'clip': 0.2,"),
            ("(Task pid=1)", "step:1 - kl:0.1"),
            ("(Task pid=1)", " 'x': 1}"),
        ]);
        assert_eq!(taken, [true, false, false], "a row says that the tree was cut");
    }

    #[test]
    fn a_tree_that_lost_lines_gives_the_others() {
        let (config, _) = read(&[
            ("(Task pid=1)", "{'actor': {'clip': 0.2,"),
            ("(Task pid=1)", "           'fsdp': {'min': 0,"),
            ("(Task pid=1)", " 'trainer': {'n': None}}"),
            ("(Task pid=1)", "step:0 - kl:0.1"),
        ]);
        let expected = r#"{"actor": {"clip": 0.2, "fsdp": {"min": 0}}, "trainer": {"n": null}}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn arguments_of_the_trainer_are_read() {
        let (config, _) = read(&[
            ("", "GRPOConfig("),
            ("", "beta=0.04,"),
            ("", "report_to=['wandb'],"),
            ("", "save_strategy=SaveStrategy.STEPS,"),
            ("", ")"),
        ]);
        let expected = r#"{"beta": 0.04, "report_to": ["wandb"], "save_strategy": "SaveStrategy.STEPS"}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn arguments_behind_words_of_a_logger_and_typed_commands_are_read() {
        let (config, taken) = read(&[
            ("", "2026-01-02 10:00:00.1 | INFO | __main__:train:7 - Training parameters UnslothGRPOConfig("),
            ("", "_n_gpu=1,"),
            ("", "learning_rate=2e-06,"),
            ("", ")"),
            ("", "trl.GRPOConfig.help("),
            ("", "python train.py \\"),
            ("", "> --lora-rank 8"),
            ("", "GRPO: num_generations=8, max_steps=60, seed=3"),
            ("", "['python', 'train.py', '--seed', '4', '--lam', '1'] exits with return code = 1"),
        ]);
        assert_eq!(taken, [true, true, true, true, false, true, true, true, false]);
        let expected = r#"{"_n_gpu": 1, "learning_rate": 2e-6, "lora_rank": 8, "num_generations": 8, "max_steps": 60,
            "seed": 3, "lam": 1}"#;
        assert_eq!(config, Json::parse(expected.as_bytes()).unwrap());
    }

    #[test]
    fn other_dictionaries_are_no_settings() {
        let (config, taken) = read(&[("", "{'loss': 0.5, 'epoch': 1}"), ("", "{'a': {'b': 1},"), ("", " 'c': 2}")]);
        assert_eq!(config, Json::Null);
        assert_eq!(taken, [false, true, true]);
    }

    #[test]
    fn a_row_beside_a_cut_bar_and_a_cut_dictionary_take_nothing_with_them() {
        let (_, taken) = read(&[
            ("", "{'loss': 1, 'epoch': 1} 99%|##| 9/10 [00:01"),
            ("", "{'prompt': ['a',"),
            ("", "  10%|#  | 1/10 [00:01<00:09]{'loss': 1, 'epoch': 1}"),
            ("", " 'x'"),
        ]);
        assert_eq!(taken, [false, true, false, false]);
    }
}
