//! Side files that are read as a whole: settings, rubric, summary, machine.

use super::{SidecarKind, own_name};
use crate::budget::MemoryUse;
use crate::formats::{console, wandb};
use crate::rows::closing_row::tracked_runtimes;
use crate::syntax::json::{Json, flatten_into};
use crate::syntax::python;
use crate::syntax::yaml::{self, Yaml, YamlFault};
use crate::{FileEnd, FileReader, Place, Problem, Weight};
use crate::{PartKind, PartialRun};
use rundown_run::{Config, ConfigValue, Ending, Run, RunState, iso_seconds};
use rundown_stats::CompactCollect as _;

/// Largest file read. Configs have some 100 kB; summaries grow with the number of metrics.
const MAX_FILE: usize = 16 << 20;
/// What a machine's description is kept for, by its key there. The rest (paths, user names) says nothing of a run.
const MACHINE_KEYS: [&str; 8] = ["program", "args", "gpu", "gpu_count", "gpu_type", "cpu_count", "python", "os"];
/// Settings of an adapter that change how it is trained, by their keys in PEFT's `LoraConfig`.
const ADAPTER: [&str; 12] = [
    "bias", "init_lora_weights", "layers_to_transform", "lora_alpha", "lora_dropout", "modules_to_save", "peft_type",
    "r", "target_modules", "task_type", "use_dora", "use_rslora",
];

/// Reads one small file.
pub(crate) struct SmallFileReader {
    kind: SidecarKind,
    bytes: Vec<u8>,
}

impl SmallFileReader {
    pub(crate) fn new(kind: SidecarKind) -> Self {
        Self { kind, bytes: Vec::new() }
    }

    /// What could be read, and what could not.
    fn read(&self) -> (Option<Run>, Vec<(Place, &'static str)>) {
        // What is wanted of the SDK's log stands at its beginning.
        if self.bytes.len() > MAX_FILE && self.kind != SidecarKind::SdkLog {
            return (None, vec![(Place::File, "This side file is larger than 16 MB and was skipped.")]);
        }
        let bytes = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.bytes);
        let text = String::from_utf8_lossy(bytes);
        match self.kind {
            SidecarKind::Config => {
                let Yaml { tree, faults } = yaml::parse(&text);
                let mut problems = not_utf8(bytes);
                problems.extend(faults.into_iter().map(|(line, fault)| (Place::Line(line), yaml_fault(fault))));
                problems.extend(not_settings(&tree));
                (settings(unwrapped(tree)), problems)
            }
            SidecarKind::Rubric => {
                // No metric is in it: whether the trainer could read it is all that a diagnosis needs.
                let fault = yaml::parse(&text).faults.into_iter().find(|(_, fault)| *fault == YamlFault::Syntax);
                let what = "This rubric is not valid YAML from here on: a trainer cannot load it.";
                (None, fault.map(|(line, _)| (Place::Line(line), what)).into_iter().collect())
            }
            SidecarKind::Script => (settings(console::script_settings(&text)), Vec::new()),
            SidecarKind::SdkLog => (sdk_settings(&text), Vec::new()),
            _ => match Json::parse(bytes) {
                Ok(tree) => self.read_json(tree),
                Err(error) => (None, vec![(Place::Byte(error.at as u64), "The JSON is broken here.")]),
            },
        }
    }

    fn read_json(&self, tree: Json) -> (Option<Run>, Vec<(Place, &'static str)>) {
        let mut run = Run::default();
        match self.kind {
            SidecarKind::Settings if is_of_model(&tree) => return (None, Vec::new()),
            SidecarKind::Settings => {
                let problems = not_settings(&tree).into_iter().collect();
                return (settings(unwrapped(tree)), problems);
            }
            SidecarKind::OwnName => return (settings(own_name::without_sections(tree)), Vec::new()),
            SidecarKind::Adapter => return (adapter(&tree), Vec::new()),
            SidecarKind::Summary => summary(&mut run, tree),
            _ => metadata(&mut run, &tree),
        }
        (Some(run), Vec::new())
    }
}

impl FileReader for SmallFileReader {
    fn push(&mut self, bytes: &[u8]) {
        let room = (MAX_FILE + 1).saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.bytes.len())
    }

    fn finish(self: Box<Self>, _: &mut FileEnd) -> (Vec<PartialRun>, Vec<Problem>) {
        let (run, problems) = self.read();
        let part = run.map(|run| PartialRun::of(run, PartKind::Sidecar));
        let remedy = match self.kind {
            SidecarKind::Rubric => "Correct this line, and start the run again with the file.",
            _ => "Copy the file again, or correct it there.",
        };
        let weight = match self.kind {
            // No metric and no setting is in them.
            SidecarKind::Rubric | SidecarKind::Metadata => Weight::Remark,
            _ => Weight::Partial,
        };
        let problem = |(place, what)| Problem::here(place, weight, what, remedy);
        (part.into_iter().collect(), problems.into_iter().map(problem).collect())
    }
}

fn yaml_fault(fault: YamlFault) -> &'static str {
    match fault {
        YamlFault::Syntax => "The settings could not be understood from here on.",
        YamlFault::TooDeep => "Settings are nested deeper than 64 levels here: nothing from here on is read.",
        YamlFault::AliasOfItself => "An alias repeats the value that it stands in: it is read as null.",
        YamlFault::TooManyAliases => {
            "Aliases repeat more than 100,000 values: this one and later ones are read as null."
        }
    }
}

/// The first byte that is no UTF-8.
fn not_utf8(bytes: &[u8]) -> Vec<(Place, &'static str)> {
    let at = std::str::from_utf8(bytes).err().map(|error| Place::Byte(error.valid_up_to() as u64));
    at.map(|at| (at, "Bytes here are not UTF-8: they are read as \u{fffd}.")).into_iter().collect()
}

/// The settings that a run began with: a dictionary as Python prints it, behind a word of its own at the start of a line.
fn sdk_settings(text: &str) -> Option<Run> {
    let (_, printed) = text.split_once("\nconfig: ")?;
    let (tree, _) = python::parse_prefix(printed).ok()?;
    settings(unwrapped(tree))
}

/// What is wrong with a file of settings that holds something else.
fn not_settings(tree: &Json) -> Option<(Place, &'static str)> {
    let is_settings = matches!(tree, Json::Object(_) | Json::Null);
    (!is_settings)
        .then_some((Place::File, "The file holds a list or a single value, not named settings: nothing of it is read."))
}

/// A run of nothing but settings; `None` where there are none.
fn settings(tree: Json) -> Option<Run> {
    let mut run = Run::default();
    flatten_into(&mut run.config, "", tree);
    (!run.config.is_empty()).then_some(run)
}

/// True for the description of a model that Hugging Face writes under the same name.
fn is_of_model(tree: &Json) -> bool {
    tree.get("architectures").is_some() || (tree.get("model_type").is_some() && tree.get("hidden_size").is_some())
}

/// W&B wraps each setting: `lr: {desc: null, value: 0.1}`, SwanLab with also a `sort`. Hydra does not.
fn unwrapped(tree: Json) -> Json {
    let Json::Object(mut members) = tree else { return Json::default() };
    members.remove("_wandb");
    members.remove("wandb_version");
    let all_wrapped = members.values().all(wandb::is_wrapped);
    let unwrap = |value: Json| if all_wrapped { wandb::unwrapped(value) } else { value };
    Json::Object(members.into_iter().map(|(key, value)| (key, unwrap(value))).compact_collect())
}

/// What an adapter adds to the model, under the name that configs of trainers have for it. What PEFT notes for loading
/// (classes, its version, the base model) is no setting of a training.
fn adapter(tree: &Json) -> Option<Run> {
    let mut run = Run::default();
    for key in ADAPTER {
        if let Some(value) = tree.get(key).filter(|value| **value != Json::Null) {
            flatten_into(&mut run.config, &format!("peft_config.{key}"), value.clone());
        }
    }
    (!run.config.is_empty()).then_some(run)
}

fn summary(run: &mut Run, mut tree: Json) {
    tree.remove(&["_wandb".to_owned()]);
    flatten_into(&mut run.summary, "", tree);
    if tracked_runtimes().iter().any(|key| run.summary.get(key).is_some()) {
        let evidence = vec!["the final values sum up the training (train_runtime)".to_owned()];
        run.ending = Ending { state: RunState::Finished, evidence, ..Ending::default() };
    }
}

fn metadata(run: &mut Run, tree: &Json) {
    let text = |key: &str| tree.owned_text(key);
    run.host = text("host");
    run.started_at = text("startedAt").and_then(|started| iso_seconds(&started));
    run.ending = ending(text("state").as_deref());
    let mut machine = Config::default();
    for key in MACHINE_KEYS {
        if let Some(value) = tree.get(key).filter(|value| **value != Json::Null) {
            machine.insert(format!("machine.{key}"), value.clone().into_config_value());
        }
    }
    for key in ["remote", "commit"] {
        if let Some(value) = tree.get("git").and_then(|git| git.get(key)).and_then(Json::text) {
            machine.insert(format!("machine.git.{key}"), ConfigValue::Text(without_password(value)));
        }
    }
    run.summary = machine;
}

/// Only SDKs until 0.10 wrote a state.
fn ending(state: Option<&str>) -> Ending {
    let known = [RunState::Finished, RunState::Crashed, RunState::Failed, RunState::Killed];
    let Some(state) = state.and_then(|word| known.into_iter().find(|state| state.as_str() == word)) else {
        return Ending::default();
    };
    let evidence = format!("wandb-metadata.json says that the run is {}", state.as_str());
    Ending { state, evidence: vec![evidence], ..Ending::default() }
}

/// An address may hold a user and a password: `https://user:token@host/x`.
fn without_password(address: &str) -> String {
    match address.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1))) {
        Some((scheme, host)) => format!("{scheme}://{host}"),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: SidecarKind, text: &str) -> (Vec<PartialRun>, Vec<Problem>) {
        let mut reader = Box::new(SmallFileReader::new(kind));
        text.as_bytes().chunks(3).for_each(|part| reader.push(part));
        reader.finish(&mut FileEnd::default())
    }

    #[test]
    fn settings_lose_their_wrapping() {
        let wandb = "wandb_version: 1\n\n_wandb:\n  desc: null\n  value:\n    cli_version: 0.9\nlr:\n  desc: null\n  value: 1e-05\n";
        let (parts, _) = read(SidecarKind::Config, wandb);
        assert_eq!(parts[0].run.config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["lr"]);
        assert_eq!(parts[0].run.config.number(&["lr"]), Some(("lr", 1e-5)));
        let (parts, _) = read(SidecarKind::Config, "optim:\n  lr: 0.5\n  value: 3\nseed: 1\n");
        assert_eq!(parts[0].run.config.number(&["optim.value"]), Some(("optim.value", 3.0)));
    }

    #[test]
    fn settings_of_a_script_are_read_and_those_of_a_model_are_not() {
        let config = |kind, text: &str| {
            let (parts, problems) = read(kind, text);
            assert_eq!(problems, []);
            let config = parts.first().map(|part| part.run.config.clone()).unwrap_or_default();
            config.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>()
        };
        assert_eq!(config(SidecarKind::Settings, r#"{"lr": 0.5, "optim": {"beta": 1}}"#), ["lr=0.5", "optim.beta=1"]);
        assert!(
            config(SidecarKind::Settings, r#"{"architectures": ["Qwen2ForCausalLM"], "hidden_size": 8}"#).is_empty()
        );
        let script = "#!/bin/bash\nLR=1e-6\nexport N=8 # groups\nset -x\npython3 -m verl.trainer.main_ppo \\\n  \
                      actor.optim.lr=$LR \\\n  rollout.n=${N} trainer.epochs=${EPOCHS:-3} $@ 2>&1 | tee x.log\n";
        assert_eq!(config(SidecarKind::Script, script), ["actor.optim.lr=1e-6", "rollout.n=8", "trainer.epochs=3"]);
    }

    #[test]
    fn an_adapter_says_how_it_was_trained() {
        let text = r#"{"r": 16, "lora_alpha": 32, "target_modules": ["q_proj", "v_proj"], "modules_to_save": null,
            "base_model_name_or_path": "/home/u/model", "peft_version": "0.15"}"#;
        let config = &read(SidecarKind::Adapter, text).0[0].run.config;
        let keys: Vec<&str> = config.iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["peft_config.lora_alpha", "peft_config.r", "peft_config.target_modules"]);
        assert_eq!(config.number(&["peft_config.r"]), Some(("peft_config.r", 16.0)));
        assert!(read(SidecarKind::Adapter, "{}").0.is_empty(), "nothing of use");
    }

    #[test]
    fn a_rubric_that_no_trainer_can_load_is_named_with_its_line() {
        let (parts, problems) = read(SidecarKind::Rubric, "name: math\ncriteria:\n  - name: steps\n   weight: 1\n");
        assert!(parts.is_empty());
        assert_eq!(problems.len(), 1);
        assert!(matches!(problems[0].place, Place::Line(3..=4)), "{problems:?}");
        let (parts, problems) = read(SidecarKind::Rubric, "name: math\ncriteria:\n  - name: steps\n    weight: 1\n");
        assert!(parts.is_empty() && problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn a_machine_is_described_without_its_users() {
        let text = r#"{"host": "n1", "username": "u", "email": "e", "startedAt": "2026-11-20T23:57:04.5Z", "gpu": "H100",
            "gpu_count": 8, "git": {"remote": "https://u:secret@host/r.git", "commit": "abc"}, "state": "killed"}"#;
        let run = &read(SidecarKind::Metadata, text).0[0].run;
        assert_eq!((run.host.as_deref(), run.started_at), (Some("n1"), Some(1_795_219_024.5)));
        assert_eq!(run.summary.get("machine.git.remote"), Some(&ConfigValue::Text("https://host/r.git".into())));
        assert_eq!(run.summary.len(), 4);
        assert_eq!(run.ending.state, RunState::Killed);
    }

    #[test]
    fn the_sdk_s_log_holds_the_settings_that_the_run_began_with() {
        let log = |config: &str| {
            let head = "2026-11-20 23:57:04,378 INFO    MainThread:1 [wandb_init.py:init():845] wandb.init called with sweep_config: {}";
            let (parts, problems) =
                read(SidecarKind::SdkLog, &format!("{head}\nconfig: {config}\n2026-11-20 INFO starting backend\n"));
            assert_eq!(problems, []);
            parts.first().map(|part| part.run.config.clone()).unwrap_or_default()
        };
        let config = log("{'optim': {'lr': 1e-06, 'path': None}, 'kl': True, '_wandb': {}}");
        assert_eq!(config.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["kl", "optim.lr", "optim.path"]);
        assert_eq!(config.number(&["optim.lr"]), Some(("optim.lr", 1e-6)));
        assert!(log("{}").is_empty() && log("{'lr': ").is_empty());
    }

    #[test]
    fn a_summary_may_hold_what_json_does_not() {
        let run =
            &read(SidecarKind::Summary, r#"{"_wandb": {"runtime": 1}, "loss": NaN, "inf": Infinity, "a": {"b": 1}}"#).0
                [0]
            .run;
        assert_eq!(run.summary.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["a.b", "inf", "loss"]);
        assert_eq!(run.ending.state, RunState::Unknown);
    }

    #[test]
    fn a_summary_of_a_training_that_was_summed_up_says_that_it_is_finished() {
        let run = &read(SidecarKind::Summary, r#"{"train/train_runtime": 50.5, "train/loss": 0.5}"#).0[0].run;
        assert_eq!(run.ending.state, RunState::Finished);
    }

    #[test]
    fn settings_of_a_broken_file_are_lost() {
        for (kind, text) in [
            (SidecarKind::Summary, "{\"a\": "),
            (SidecarKind::Metadata, "oops"),
            (SidecarKind::Config, "a: [1,\n  b\n"),
            (SidecarKind::Config, "a: 1\nb: &b [*b]\n"),
        ] {
            let (parts, problems) = read(kind, text);
            assert_eq!(parts.len(), usize::from(kind == SidecarKind::Config), "{text}");
            let is_machine = kind == SidecarKind::Metadata;
            assert_eq!(problems[0].weight, if is_machine { Weight::Remark } else { Weight::Partial });
        }
    }

    #[test]
    fn settings_that_are_none_or_not_utf8_are_named() {
        for (kind, text) in
            [(SidecarKind::Config, "- a\n- b\n"), (SidecarKind::Config, "text"), (SidecarKind::Settings, "[1]")]
        {
            let (parts, problems) = read(kind, text);
            assert!(parts.is_empty() && problems.len() == 1 && problems[0].place == Place::File, "{problems:?}");
        }
        let mut reader = Box::new(SmallFileReader::new(SidecarKind::Config));
        reader.push(b"a: 1\nb: caf\xe9\n");
        let (parts, problems) = reader.finish(&mut FileEnd::default());
        assert_eq!(parts[0].run.config.get("b"), Some(&ConfigValue::Text("caf\u{fffd}".into())));
        assert_eq!(problems[0].place, Place::Byte(11));
    }

    #[test]
    fn a_prompt_over_several_lines_is_read_as_wandb_wrote_it() {
        // yaml.dump({"system_prompt": {"desc": None, "value": "You are\nhelpful: yes\nStep 1"}}, allow_unicode=True)
        let text = "system_prompt:\n  desc: null\n  value: 'You are\n\n    helpful: yes\n\n    Step 1'\n";
        let (parts, problems) = read(SidecarKind::Config, text);
        assert_eq!(problems, []);
        let prompt = ConfigValue::Text("You are\nhelpful: yes\nStep 1".into());
        assert_eq!(parts[0].run.config.get("system_prompt"), Some(&prompt));
    }
}
