//! Settings of a command: one that a shell traced (`set -x`), `+ python3 -m verl.trainer.main_ppo
//! data.train_batch_size=64`, or those of a launch script.
//!
//! Often it is all that a log says of the config, for what a trainer prints of it scrolls away first.

use std::collections::BTreeMap;

use crate::rows::names::is_one_of;
use crate::syntax::json::Json;
use crate::syntax::python;

/// Programs that start a training, by the beginning of their file's name.
const TRAINING_PROGRAMS: [&str; 6] = ["python", "torchrun", "accelerate", "deepspeed", "ray", "uv"];
/// Words among which the program is looked for.
const MAX_WRAPPERS: usize = 3;
/// The same behind `conda run`, with its options: `conda run --no-capture-output -n NAME python`.
const MAX_WRAPPERS_OF_CONDA: usize = 6;
/// Words with which a program says what it runs; lower case.
const COMMAND_LABELS: [&str; 6] = ["cmd", "command", "running", "executing", "launching", "running command"];
/// Words of a line that are looked at.
const MAX_WORDS: usize = 4_000;
/// Fewest options of a command that nothing marks as one.
const MIN_OPTIONS: usize = 2;
/// Longest command over several lines, or with the values of its variables, in bytes.
const MAX_COMMAND: usize = 64 << 10;

/// Settings of a command, each with the parts of its dotted key.
pub(super) type CommandSettings = Vec<(Vec<String>, Json)>;

/// A command with settings.
#[derive(Debug, Clone, Default)]
pub(super) struct Command {
    pub settings: CommandSettings,
    /// True where the log shows that it was run: a shell traced it, or it was typed.
    pub is_marked: bool,
}

/// The settings of a traced command; empty for any other line.
pub(super) fn settings(line: &str) -> CommandSettings {
    // DeepSpeed's launcher prints `cmd = deepspeed main.py --learning_rate 1e-5`.
    if let Some((_, command)) = line.split_once("cmd = ") {
        return of_command(&words(command));
    }
    // Scripts that start several trainings print `cmd: python train.py --lora_rank 8`.
    if let Some(command) = announced(line) {
        return of_command(&words(command));
    }
    let traced = line.trim_start_matches('+');
    if traced.len() == line.len() || !traced.starts_with(' ') {
        return Vec::new();
    }
    of_command(&words(traced))
}

/// The settings of a program that failed, whose command DeepSpeed's launcher prints as a list:
/// `[ERROR] [launch.py:325:sigkill_handler] ['python', '-u', 'train.py', '--lr', '1e-5'] exits with return code = -6`.
/// The rank of the process is no setting of the training.
pub(super) fn failed(line: &str) -> CommandSettings {
    let list = line.rsplit_once(' ').and_then(|(line, _)| line.strip_suffix("'] exits with return code ="));
    let Some((_, list)) = list.and_then(|line| line.split_once("['")) else { return Vec::new() };
    let words: Vec<String> = list.split("', '").map(str::to_owned).collect();
    let mut found = of_command(&words);
    found.retain(|(key, _)| *key != ["local_rank"]);
    found
}

/// The command behind a word that announces it, such as `Running: `.
fn announced(line: &str) -> Option<&str> {
    let (word, command) = line.split_once(": ")?;
    let word = word.rsplit(']').next()?.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    (is_one_of(word, &COMMAND_LABELS) && is_start(command)).then_some(command)
}

/// The settings of a command that stands on a line by itself, without a sign that it was run: programs also print commands
/// that a person may run next. One of a training names its program and several options.
pub(super) fn unmarked(line: &str) -> CommandSettings {
    if line.starts_with(char::is_whitespace) || !is_start(line) {
        return Vec::new();
    }
    let words = words(without_prompt(line));
    let names_program = words.iter().any(|word| word.ends_with(".py") || word == "-m");
    let options = words.iter().filter(|word| word.starts_with("--")).count();
    if names_program && options >= MIN_OPTIONS { of_command(&words) } else { Vec::new() }
}

/// A command that was typed over several lines, as a terminal shows it: each but the last ends with a backslash, and a
/// shell puts its prompt `> ` before those that go on. One whose first line is indented, without such prompts, stands in a text:
/// the advice of a program on what to run next.
#[derive(Debug, Default)]
pub(super) struct TypedCommand {
    /// What of it came so far; empty between commands.
    text: String,
    /// Its first line is indented, and no prompt of a shell came yet.
    is_advice: bool,
}

impl TypedCommand {
    /// True where the next line may go on a command.
    pub(super) fn is_open(&self) -> bool {
        !self.text.is_empty()
    }

    /// Adds a line that is a part of a command, with the settings where it is the last one; `None` for other lines.
    pub(super) fn add(&mut self, line: &str) -> Option<CommandSettings> {
        let is_first = self.text.is_empty();
        let goes_on = line.trim_end().strip_suffix('\\');
        if is_first && !goes_on.is_some_and(is_start) {
            return None;
        }
        let part = goes_on.unwrap_or(line).trim();
        let behind_prompt = part.strip_prefix("> ").filter(|_| !is_first);
        self.is_advice = behind_prompt.is_none() && if is_first { line.starts_with(' ') } else { self.is_advice };
        let part = if is_first { without_prompt(part) } else { behind_prompt.unwrap_or(part) };
        self.text.push_str(part);
        self.text.push(' ');
        if goes_on.is_some() && self.text.len() < MAX_COMMAND {
            return Some(Vec::new());
        }
        let command = std::mem::take(&mut self.text);
        Some(if self.is_advice { Vec::new() } else { of_command(&words(&command)) })
    }
}

/// True for a line that begins with a program of a training, perhaps behind a prompt and variables.
fn is_start(line: &str) -> bool {
    let mut words = without_prompt(line.trim()).split_whitespace().filter(|word| !word.contains('='));
    words.next().is_some_and(|word| is_program(word) || word == "nohup")
}

fn without_prompt(line: &str) -> &str {
    line.strip_prefix("$ ").unwrap_or(line)
}

/// The settings of the commands of a shell script, nested. Variables that the script sets are put in their places.
pub(crate) fn script(text: &str) -> Json {
    let mut found = Json::default();
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    for line in text.replace("\\\n", " ").lines() {
        let line = line.trim();
        if line.starts_with('#') {
            continue;
        }
        let words = words(&substituted(line, &variables));
        let assigned = words.iter().skip_while(|word| matches!(word.as_str(), "export" | "local" | "declare"));
        let assigned: Vec<(&str, &str)> = assigned.map_while(|word| word.split_once('=')).collect();
        let (settings, is_command) = (of_command(&words), words.iter().any(|word| is_program(word)));
        if !is_command {
            let named = assigned.into_iter().filter(|(name, _)| name.chars().all(is_of_name));
            let named = named.filter(|(_, value)| value.len() <= MAX_COMMAND);
            variables.extend(named.map(|(name, value)| (name.to_owned(), value.to_owned())));
        }
        for (key, value) in settings {
            found.set(&key, value);
        }
    }
    found
}

/// A line with `$NAME`, `${NAME}` and `${NAME:-default}` replaced where they are known, up to the longest command: variables
/// that stand in each other can double with each line.
fn substituted(line: &str, variables: &BTreeMap<String, String>) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once('$').filter(|_| text.len() <= MAX_COMMAND) {
        text.push_str(before);
        let (inner, after) = match behind.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some(braced) => braced,
            None => behind.split_at(behind.find(|letter| !is_of_name(letter)).unwrap_or(behind.len())),
        };
        let (name, default) = inner.split_once(":-").unwrap_or((inner, ""));
        text.push_str(variables.get(name).map_or(default, String::as_str));
        rest = after;
    }
    text + rest
}

fn is_of_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

fn is_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    TRAINING_PROGRAMS.iter().any(|known| name.starts_with(known))
}

/// The settings of a command; empty for one that starts no training.
fn of_command(words: &[String]) -> CommandSettings {
    let end = words.iter().position(|word| is_end(word)).unwrap_or(words.len());
    let words = words.get(..end).unwrap_or(words);
    // Variables of the environment may stand before the program, and wrappers such as `nohup`.
    let before = words.iter().enumerate().filter(|(_, word)| !word.contains('='));
    // `mamba` and `micromamba` take the same options.
    let mut first = before.clone().map(|(_, word)| word.as_str());
    let is_conda = first.next().is_some_and(|word| word.ends_with("conda") || word.ends_with("mamba"))
        && first.next() == Some("run");
    let mut before = before.take(if is_conda { MAX_WRAPPERS_OF_CONDA } else { MAX_WRAPPERS });
    let Some((program, _)) = before.find(|(_, word)| is_program(word)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut rest = words.iter().skip(program + 1).peekable();
    while let Some(word) = rest.next() {
        let option = word.strip_prefix("--");
        let pair = option.unwrap_or(word).trim_start_matches('+').split_once('=');
        match (pair, option) {
            (Some((key, value)), _) => push(&mut found, key, value),
            (None, Some(key)) => match rest.next_if(|value| !value.starts_with("--") && !value.contains('=')) {
                Some(value) => push(&mut found, key, value),
                None => push(&mut found, key, "True"),
            },
            (None, None) => {}
        }
    }
    found
}

/// True where another command or a redirection begins.
fn is_end(word: &str) -> bool {
    matches!(word, "|" | "||" | "&&" | "&" | ";") || word.starts_with('>') || word.starts_with("2>")
}

fn push(found: &mut Vec<(Vec<String>, Json)>, key: &str, value: &str) {
    let is_name = |part: &str| {
        !part.is_empty() && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '-')
    };
    if !key.split('.').all(is_name) || key.starts_with('-') {
        return;
    }
    // Options are written with either dash.
    let part = |part: &str| part.replace('-', "_");
    found.push((key.split('.').map(part).collect(), python::value_or_text(value)));
}

/// Words as a shell tells them apart, without their quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut letters = line.chars();
    let mut is_word = false;
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                is_word = true;
            }
            (Some(open), _) if open == letter => quote = None,
            (None | Some('"'), '\\') => {
                word.extend(letters.next());
                is_word = true;
            }
            (None, _) if letter.is_whitespace() => {
                if is_word && words.len() < MAX_WORDS {
                    words.push(std::mem::take(&mut word));
                }
                word.clear();
                is_word = false;
            }
            _ => {
                word.push(letter);
                is_word = true;
            }
        }
    }
    if is_word {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Vec<String> {
        settings(line)
            .into_iter()
            .map(|(key, value)| format!("{}={}", key.join("."), value.into_config_value()))
            .collect()
    }

    #[test]
    fn overrides_of_hydra_are_settings() {
        let line = "++ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo 'data.files=['\\''a.parquet'\\'']' \
                    actor_rollout_ref.actor.optim.lr=1e-6 +trainer.x.y=True actor_rollout_ref.rollout.n=8";
        let found = of(line);
        assert!(found.contains(&"algorithm.adv_estimator=grpo".to_owned()), "{found:?}");
        assert!(found.contains(&"actor_rollout_ref.rollout.n=8".to_owned()), "{found:?}");
        assert!(found.contains(&"trainer.x.y=true".to_owned()), "{found:?}");
        assert!(found.iter().any(|pair| pair.starts_with("actor_rollout_ref.actor.optim.lr=")), "{found:?}");
    }

    #[test]
    fn options_are_settings() {
        let line = "+ CUDA_VISIBLE_DEVICES=0 accelerate launch train.py --learning-rate 1e-5 --beta=0.04 --bf16 --temperature -1";
        assert_eq!(of(line), ["learning_rate=1e-5", "beta=0.04", "bf16=true", "temperature=-1"]);
    }

    #[test]
    fn a_command_in_an_environment_of_conda_is_read() {
        assert_eq!(of("+ conda run -n verl311 python -m verl.trainer.main_ppo data.seed=1"), ["data.seed=1"]);
        assert_eq!(of("+ /opt/conda/bin/conda run --no-capture-output -n rl python train.py --lr 1e-5"), ["lr=1e-5"]);
        assert!(of("+ conda create -n rl python --channel x").is_empty() && of("+ a b c python --lr 1").is_empty());
    }

    #[test]
    fn an_announced_command_was_run() {
        assert_eq!(of("  cmd: /opt/venv/bin/python train.py --lora_rank 8 --lr 1e-5"), ["lora_rank=8", "lr=1e-5"]);
        assert_eq!(of("[sweep] Running: torchrun --nproc 2 train.py n=4"), ["nproc=2", "n=4"]);
        for line in ["usage: python train.py --lr 1", "cmd: echo --lr 1", "hint: run: python x.py --lr 1", "cmd: "] {
            assert!(of(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn a_command_over_several_lines_is_read_as_a_shell_shows_it() {
        let mut typed = TypedCommand::default();
        let mut add = |line: &str| {
            let pairs = typed.add(line)?;
            let shown =
                pairs.into_iter().map(|(key, value)| format!("{}={}", key.join("."), value.into_config_value()));
            Some(shown.collect::<Vec<_>>())
        };
        assert_eq!(add("loading \\"), None, "no program");
        assert_eq!(add(" CUDA_VISIBLE_DEVICES=2 python train.py \\"), Some(vec![]));
        assert_eq!(add(">   --max-steps 20 \\"), Some(vec![]));
        assert_eq!(add(">   --learning-rate 5e-6 --use-vllm true"), {
            Some(vec!["max_steps=20".to_owned(), "learning_rate=5e-6".to_owned(), "use_vllm=true".to_owned()])
        });
        assert_eq!(add("> a quote"), None);
        assert_eq!(add("$ torchrun train.py \\"), Some(vec![]));
        assert_eq!(add("  --lr 1"), Some(vec!["lr=1".to_owned()]), "as it stands in a script");
        assert_eq!(add("  python train_grpo.py \\"), Some(vec![]));
        assert_eq!(add("    --lr 1"), Some(vec![]), "a program says what to run next");
    }

    #[test]
    fn a_program_that_failed_is_printed_as_a_list() {
        let line = "[2026-01-02 10:00:00,123] [ERROR] [launch.py:325:sigkill_handler] ['/opt/bin/python', '-u', '-m', \
                    'a.train_ppo', '--local_rank=7', '--bf16', '--actor_learning_rate', '5e-7'] exits with return code = -6";
        let keys: Vec<String> = failed(line).into_iter().map(|(key, _)| key.join(".")).collect();
        assert_eq!(keys, ["bf16", "actor_learning_rate"]);
        assert!(failed("['ls', '-l', '--lr', '1'] exits with return code = 1").is_empty(), "no training");
        assert!(failed("exits with return code = 1").is_empty());
    }

    #[test]
    fn an_unmarked_command_names_its_program_and_options() {
        let found = |line: &str| unmarked(line).len();
        assert_eq!([found("python run.py --method tree --epochs 10"), found("torchrun -m a.b --lr 1 --n=2")], [2, 2]);
        for line in
            ["  python run.py --a 1 --b 2", "python run.py --a 1", "run python x.py --a 1 --b 2", "python --a 1 --b 2"]
        {
            assert_eq!(found(line), 0, "{line}");
        }
    }

    #[test]
    fn other_lines_are_none() {
        for line in ["python train.py --lr 1", "+ echo --lr 1", "+ x=1", "++", "", "step:1 - a:2", "+ export A=python"]
        {
            assert!(of(line).is_empty(), "{line}");
        }
    }
}
