//! The settings of a training in the source of the cells before it: `GRPOConfig(learning_rate=5e-6, …)`.
//!
//! A training takes one class of arguments, whose settings keep their names, as trackers have them. Those of any other
//! class are named after it (`BitsAndBytesConfig.load_in_4bit`), and adapters as W&B names them (`peft_config.r`). A loop of one's
//! own takes none: its settings are the arguments of its function, `train_grpo(steps=50, lr=1e-5)`, and names to which literals were
//! assigned, `learning_rate = 1e-4`.

use std::collections::BTreeMap;

use super::supervised::TrainerKind;
use crate::formats::console::{GROUP_SIZE, changed_group};
use crate::setting_names::{has_word, is_also_metric, is_no_metric, setting_key};
use crate::syntax::json::Json;
use crate::syntax::python_calls::{Call, SourceCalls};
use rundown_run::Config;

/// Classes of the arguments of a training beside those of the Trainer, which are named after the algorithm in capitals.
const ARGUMENT_CLASSES: [&str; 3] = ["Config", "TrainConfig", "TrainingConfig"];
/// Unsloth's functions that load a model and put an adapter on it; the second is also PEFT's.
const LOAD_MODEL: &str = "from_pretrained";
const ADD_ADAPTER: &str = "get_peft_model";
/// Magic words of a cell that is run as Python all the same.
const PYTHON_MAGIC: [&str; 3] = ["%%time", "%%timeit", "%%capture"];

/// Fewest settings by names alone: one may be of anything.
const MIN_NAMED: usize = 2;
/// Settings that names alone do not tell: in a loop of one's own, steps and epochs may be those of an episode, a rollout or a batch.
const UNCERTAIN: [&str; 2] = ["max_steps", "num_train_epochs"];

/// Settings by their keys.
type Settings = Vec<(String, Json)>;

/// The settings in the cells so far.
#[derive(Debug, Default)]
pub(super) struct CellSettings {
    source: SourceCalls,
    /// Of the last call of arguments of a training.
    training: Settings,
    /// Of the last call of each other class.
    others: BTreeMap<String, Settings>,
    /// Of the last call of a function that trains.
    function: Settings,
    /// What the last class of a trainer trains.
    trainer: TrainerKind,
    /// Trainers so far.
    trainers: usize,
}

impl CellSettings {
    /// Reads the source of the next cell that was run.
    pub(super) fn read(&mut self, source: &str) {
        if source.starts_with("%%") && !PYTHON_MAGIC.iter().any(|magic| source.starts_with(magic)) {
            return;
        }
        let is_wanted = |name: &str| {
            let endings = ["Config", "Arguments", "Trainer"];
            let is_class = endings.iter().any(|ending| name.ends_with(ending));
            is_class || [LOAD_MODEL, ADD_ADAPTER].contains(&name) || is_training_function(name)
        };
        let calls = self.source.read(source, is_wanted);
        for (place, call) in calls.iter().enumerate() {
            self.trainer = TrainerKind::of(&call.name).unwrap_or(self.trainer);
            self.trainers += usize::from(call.name.ends_with("Trainer"));
            let is_same = |other: &&Call| other.name == call.name && call.is_indented;
            let branches: Vec<&Call> = calls.iter().take(place).filter(is_same).collect();
            // Which branch of a condition was taken is unknown: the settings of all of them count.
            let is_certain =
                |argument: &&(String, Json)| branches.iter().all(|other| other.arguments.contains(argument));
            let settings: Settings = call.arguments.iter().filter(is_certain).cloned().collect();
            if is_of_training(&call.name) {
                self.training = settings;
            } else if is_training_function(&call.name) {
                if !call.is_indented {
                    self.function = settings;
                }
            // Of tokenizers and of transformers' own models the name is no keyword argument.
            } else if call.name != LOAD_MODEL || settings.iter().any(|(key, _)| key.contains("model_name")) {
                self.others.insert(call.name.clone(), settings);
            }
        }
    }

    /// Reads the output of that cell. Unsloth says with which group size it goes on: that of the source may have been edited
    /// since.
    pub(super) fn read_output(&mut self, text: &str) {
        if let Some(size) = changed_group(text) {
            // The first one of a key counts.
            self.training.insert(0, (GROUP_SIZE.to_owned(), Json::Number(size)));
        }
    }

    /// What a training that runs now is, by the last class of a trainer.
    pub(super) fn trainer(&self) -> TrainerKind {
        self.trainer
    }

    /// How many trainers were made so far.
    pub(super) fn trainers(&self) -> usize {
        self.trainers
    }

    /// What is set for a training that runs now.
    pub(super) fn config(&self) -> Config {
        let mut config = Config::default();
        let mut add = |key: &str, value: &Json| {
            if config.get(key).is_none() {
                config.insert(key, value.clone().into_config_value());
            }
        };
        self.training.iter().for_each(|(key, value)| add(key, value));
        for (class, settings) in &self.others {
            for (key, value) in settings {
                match class.as_str() {
                    // TRL's own class of the model and its adapters.
                    name if name.ends_with("Trainer") || name == "ModelConfig" => add(key, value),
                    LOAD_MODEL if key.contains("model_name") || key.starts_with("load_in_") => add(key, value),
                    LOAD_MODEL => {}
                    "LoraConfig" | ADD_ADAPTER => add(&format!("peft_config.{key}"), value),
                    name => add(&format!("{name}.{key}"), value),
                }
            }
        }
        if self.training.is_empty() {
            self.named().iter().for_each(|(key, value)| add(key, value));
        }
        config
    }

    /// The known settings among the arguments of the function that trains, and the names of literals, where they are several, one of
    /// which no loop has as a metric.
    fn named(&self) -> Settings {
        let is_setting = |key: &str, value: &Json| match value {
            Json::Number(_) | Json::Bool(_) => is_no_metric(key) || is_also_metric(key),
            Json::Text(_) => has_word(key),
            _ => false,
        };
        let known = |(name, value): (&String, &Json)| Some((setting_key(name)?.into_owned(), value.clone()));
        let arguments = self.function.iter().map(|(name, value)| (name, value)).filter_map(known);
        let names = self.source.names().iter().filter_map(known).filter(|(key, _)| !UNCERTAIN.contains(&key.as_str()));
        let found: Settings = arguments.chain(names).filter(|(key, value)| is_setting(key, value)).collect();
        let is_config = found.len() >= MIN_NAMED && found.iter().any(|(key, _)| is_no_metric(key));
        if is_config { found } else { Settings::new() }
    }
}

/// True for a function, of which a word says that it trains: `train_rlvr_grpo`, `run_training`.
fn is_training_function(name: &str) -> bool {
    name.split('_').any(|word| ["train", "training"].contains(&word))
}

/// True for a class of the arguments of a training: `TrainingArguments`, `GRPOConfig`, `UnslothGRPOConfig`.
fn is_of_training(class: &str) -> bool {
    if class.ends_with("TrainingArguments") || ARGUMENT_CLASSES.contains(&class) {
        return true;
    }
    let Some(stem) = class.strip_suffix("Config") else { return false };
    stem.chars().rev().take_while(char::is_ascii_uppercase).count() >= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(cells: &[&str]) -> Vec<String> {
        let mut settings = CellSettings::default();
        cells.iter().for_each(|cell| settings.read(cell));
        let mut found: Vec<String> = settings.config().iter().map(|(key, value)| format!("{key}={value}")).collect();
        found.sort();
        found
    }

    #[test]
    fn the_last_arguments_of_a_training_count() {
        let cells = [
            "LENGTH = 256\nargs = SFTConfig(learning_rate=1e-4, packing=True)",
            "LoraConfig(r=8, bias='none')\nargs = GRPOConfig(max_completion_length=LENGTH, beta=0.0)",
            "trainer = GRPOTrainer(model='m', args=args, beta=0.5)\ntrainer.train()",
        ];
        let expected = ["beta=0", "max_completion_length=256", "model=m", "peft_config.bias=none", "peft_config.r=8"];
        assert_eq!(of(&cells), expected);
        assert_eq!(
            of(&["TrainingArguments(seed=1)", "BitsAndBytesConfig(load_in_4bit=True)"]),
            ["BitsAndBytesConfig.load_in_4bit=true", "seed=1"]
        );
    }

    #[test]
    fn a_model_and_its_adapter_of_unsloth_are_settings() {
        let cells = [
            "rank = 64\nmodel, tokenizer = FastLanguageModel.from_pretrained(model_name='m', load_in_4bit=True, dtype=None)",
            "model = FastLanguageModel.get_peft_model(model, r=rank, lora_alpha=rank, bias='none')",
            "tokenizer = AutoTokenizer.from_pretrained('t', padding_side='left')",
        ];
        assert_eq!(of(&cells[..2]).join(" "), of(&cells).join(" "));
        assert_eq!(
            of(&cells),
            [
                "load_in_4bit=true", "model_name=m", "peft_config.bias=none", "peft_config.lora_alpha=64",
                "peft_config.r=64"
            ]
        );
    }

    #[test]
    fn of_branches_what_they_have_in_common_counts() {
        let cell = "if small:\n    a = GRPOConfig(lr=1, seed=3)\nelse:\n    a = GRPOConfig(lr=2, seed=3)";
        assert_eq!(of(&[cell]), ["seed=3"]);
        assert!(of(&["%%writefile train.py\nGRPOConfig(lr=1)"]).is_empty());
        assert_eq!(of(&["%%time\nGRPOConfig(lr=1)"]), ["lr=1"]);
    }

    #[test]
    fn a_loop_of_ones_own_has_settings_by_name() {
        let names = "LEARNING_RATE = 1e-4\nbatch_size = 16\nepochs = 20\ntemperature = .8\nmodel = load()\nn = 3";
        assert_eq!(of(&["batch_size = 8", names]), ["batch_size=16", "learning_rate=1e-4", "temperature=0.8"]);
        assert!(of(&["lr = 1e-4\ngamma = 0.99"]).is_empty(), "a loop may have them as metrics");
        assert_eq!(of(&[names, "args = GRPOConfig(seed=3)"]), ["seed=3"]);
    }

    #[test]
    fn a_function_that_trains_has_settings_as_arguments() {
        let cells = [
            "temperature = 1.0\ndef train_rl(model, steps=9, lr=1e-3):\n    train_step(model, lr=lr, top_p=0.5)",
            "log = train_rl(model=model, num_steps=50, max_new_tokens=512, temperature=.8, lr=1e-5, path='a.csv')",
        ];
        assert_eq!(of(&cells), ["lr=1e-5", "max_new_tokens=512", "max_steps=50", "temperature=0.8"]);
        assert!(of(&["trainer.train(resume_from_checkpoint=True)"]).is_empty());
    }

    #[test]
    fn what_unsloth_says_of_the_group_counts_before_the_source() {
        let mut settings = CellSettings::default();
        let mut size = |source: &str, printed: &str| {
            settings.read(source);
            settings.read_output(printed);
            settings.config().number(&["num_generations"]).map(|(_, size)| size)
        };
        let printed = "Unsloth: text\nWe will change the batch size of 1 to the `num_generations` of 6\n";
        assert_eq!(size("args = GRPOConfig(num_generations=4)", printed), Some(6.0));
        assert_eq!(size("print(1)", "1"), Some(6.0));
        assert_eq!(size("args = GRPOConfig(num_generations=8)", ""), Some(8.0), "of the next training");
    }
}
