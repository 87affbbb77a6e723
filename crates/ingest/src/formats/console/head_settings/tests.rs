//! Headings of logs, and text and rows without settings.

use super::*;

fn of(lines: &[&str]) -> Vec<String> {
    let mut head = HeadSettings::default();
    lines.iter().for_each(|line| head.add(line));
    let (mut config, mut flat) = (Json::Null, Config::default());
    head.add_to(&mut config);
    flatten_into(&mut flat, "", config);
    flat.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[test]
fn settings_of_a_banner_are_read() {
    let found = of(&[
        "===== GRPO =====", "  Model: Qwen/Qwen2.5-0.5B", "  Learning rate: 1e-6", "  KL coef: 0.04 (k3)",
        "- **Rollouts per prompt**: 8", "  Max new tokens: 1,024", "  Batch size: 16 prompts",
    ]);
    let expected = [
        "batch_size=16", "kl_coef=0.04", "learning_rate=1e-6", "max_new_tokens=1024", "model_name=Qwen/Qwen2.5-0.5B",
        "num_generations=8",
    ];
    assert_eq!(found, expected);
}

#[test]
fn another_name_of_a_setting_may_stand_in_brackets_behind_it() {
    let found =
        of(&["  Beta (KL penalty): 0.1 (low)", "  Learning rate (lr): 1e-6", "  **Group size (G)**: 8", "  Seed: 1"]);
    assert_eq!(found, ["beta=0.1", "group_size=8", "learning_rate=1e-6", "seed=1"]);
    let parts = ["Batch size (per device): 4", "Max new tokens (prompt): 512", "Max steps: 9", "Warmup steps: 3"];
    assert_eq!(of(&parts), ["max_steps=9", "warmup_steps=3"], "of a part");
    let parts =
        ["Temperature (reward): 0.7", "Learning rate (value loss): 1e-3", "Seed (dataset): 3", "Beta (KL): 0.1"];
    assert_eq!(
        of(&[&parts[..], &["Max steps: 9", "Warmup steps: 3"]].concat()),
        ["beta=0.1", "max_steps=9", "warmup_steps=3"],
        "of a part"
    );
}

#[test]
fn a_line_with_the_model_and_other_settings_is_read() {
    let line = "[run_a] 900 examples | model=org/Model-8B seed=42 rank=64 lr=3e-05";
    assert_eq!(of(&[line]), ["lr=3e-5", "model_name=org/Model-8B", "rank=64", "seed=42"]);
    assert!(of(&["model=org/Model-8B lr=3e-05"]).is_empty() && of(&["seed=1 rank=0 lr=3e-05"]).is_empty());
    assert_eq!(of(&["lr: 1 | max_steps: 2 | Total batch size (2 x 4) = 8"]), ["lr=1", "max_steps=2"]);
    assert_eq!(of(&["lr: 1 | max_steps: 2 | Total batch size = 8"]), ["lr=1", "max_steps=2"]);
}

#[test]
fn a_heading_with_the_model_or_with_short_names_is_read() {
    let heading = ["Device   : MPS", "Model    : org/Model-0.6B", "Sampling : temperature=1.2 top_p=0.95"];
    assert_eq!(of(&heading), ["model_name=org/Model-0.6B", "temperature=1.2", "top_p=0.95"]);
    let short = ["Model: org/Model-1B", "Batch: 32 questions x 4 answers = 128", "Max gen len: 1024, LR: 1e-05"];
    assert_eq!(of(&short), ["lr=1e-5", "max_completion_length=1024", "model_name=org/Model-1B"]);
    let loading = ["Loading model: /data/sft_merged", "Loading model: /data/sft_merged", "KL coef: 0.05", "Seed: 1"];
    assert_eq!(of(&loading), ["kl_coef=0.05", "model_name_or_path=/data/sft_merged", "seed=1"]);
    let two = ["Loading model: org/Policy-8B", "Loading model: org/Judge-8B", "KL coef: 0.05", "Seed: 1"];
    assert_eq!(of(&two), ["kl_coef=0.05", "seed=1"]);
    let line = "[b_high_lr] Run: 2d4-a1:train:0 | LR=0.0001 group=16 temp=0.8 rank=32";
    assert_eq!(of(&[line]), ["lr=1e-4", "num_generations=16", "rank=32", "temperature=0.8"]);
    assert!(of(&["temp: 20", "LR=0.1"]).is_empty());
    let call = ["Example: `model = AutoModel.from_pretrained(\"org/name\")`", "batch_size=8 max_steps=2"];
    assert_eq!(of(&call), ["batch_size=8", "max_steps=2"], "a call is no name of a model");
    assert!(of(&["Model: org/Model-8B (4-bit)", "batch_size=8"]).contains(&"model_name=org/Model-8B".to_owned()));
    let apart = ["model='org/Model-8B', seed=0", "rank=0", "", "", "", "", "", "", "", "temperature=1.0"];
    assert!(of(&apart).is_empty(), "an engine's line, a process and a line far below");
}

#[test]
fn a_list_with_known_settings_brings_the_others() {
    let line = "2026-04-19 13:40:36,270 [INFO] pilot: === Run: rho=0.70, seed=42, G=3, adq=False, dataset=gsm8k ===";
    assert_eq!(of(&[line]), ["adq=false", "dataset=gsm8k", "num_generations=3", "rho=0.7", "seed=42"]);
    for line in [
        "seed=42, batch_size=8, rho=0.7, loss=0.5",
        "seed=42, batch_size=8, step=3, rho=0.7",
        "seed=42, batch_size=8, local_rank=1",
        "seed=42, batch_size=8, out=/tmp/x",
        "seed=42 batch_size=8 rho=0.7",
        "seed=42, batch_size=8, a=1, b=2, c=3, d=4, e=5",
    ] {
        assert_eq!(of(&[line]), ["batch_size=8", "seed=42"], "{line}");
    }
    let runs = ["seed=1, G=3, rho=0.5", "seed=2, G=3, rho=0.7", "batch_size=8"];
    assert_eq!(of(&runs), ["batch_size=8", "num_generations=3"], "what changes is of no single run");
}

#[test]
fn objects_are_read_whole() {
    let expected = ["batch_size=16", "foo=x", "lr=1e-6"];
    assert_eq!(of(&["Namespace(lr=1e-06, batch_size=16, foo='x')"]), expected);
    assert_eq!(of(&["args: {'lr': 1e-06, 'batch_size': 16, 'foo': 'x'}"]), expected);
    assert_eq!(of(&["2026-01-02 10:00:00 - INFO - {\"lr\": 1e-06, \"batch_size\": 16, \"foo\": \"x\"}"]), expected);
    assert_eq!(of(&["{", "  \"lr\": 1e-06,", "  \"batch_size\": 16,", "  \"foo\": \"x\"", "}"]), expected);
    assert_eq!(of(&["TrainConfig(", "    lr=1e-06,", "    batch_size=16,", "    foo='x',", ")"]), expected);
    assert_eq!(
        of(&["Config(optim=Optim(lr=1e-06, betas=(0.9, 0.95)), batch_size=16, dtype=torch.bfloat16)"]),
        ["batch_size=16", "dtype=torch.bfloat16", "optim.betas=[0.9, 0.95]", "optim.lr=1e-6"]
    );
}

#[test]
fn single_settings_are_read_in_every_form() {
    for lines in [
        ["learning_rate: 1e-06", "batch_size: 16"],
        ["learning_rate = 1e-06", "batch_size = 16"],
        ["2026-01-02 10:00:00,123 - INFO - learning_rate: 1e-06", "[rank0] INFO batch_size: 16"],
        ["  learning_rate ........ 1e-06", "  batch_size ........... 16"],
        ["│ learning_rate │ 1e-06 │", "│ batch_size    │ 16    │"],
        ["| learning_rate | 1e-06 |", "| batch_size | 16 |"],
        ["learning_rate: 1e-6 | batch size: 16", ""],
        ["learning_rate=1e-6 batch_size=16", ""],
        // Cut before its end.
        ["{'learning_rate': 1e-06,", " 'batch_size': 16,"],
    ] {
        assert_eq!(of(&lines), ["batch_size=16", "learning_rate=1e-6"], "{lines:?}");
    }
    let unsloth = of(&[
        "   \\\\   /|    Num examples = 7,473 | Num Epochs = 1 | Total steps = 250",
        "O^O/ \\_/ \\    Batch size per device = 4 | Gradient accumulation steps = 2",
    ]);
    let expected =
        ["gradient_accumulation_steps=2", "max_steps=250", "num_train_epochs=1", "per_device_train_batch_size=4"];
    assert_eq!(unsloth, expected);
    let change = ["We will change the batch size of 1 to the `num_generations` of 6", "Total steps = 250"];
    assert_eq!(of(&change), ["max_steps=250", "num_generations=6"]);
}

#[test]
fn arguments_that_are_commented_out_are_no_settings() {
    let script = [
        "    # learning_rate = 1e-4,",
        "    eval_steps = 3,",
        "    # loss_type = \"dr_grpo\",",
        "    loss_type = \"dapo\",",
        "    importance_sampling_level = \"sequence\",",
        "    mask_truncated_completions = True,",
        ")",
    ];
    let expected =
        ["eval_steps=3", "importance_sampling_level=sequence", "loss_type=dapo", "mask_truncated_completions=true"];
    assert_eq!(of(&script), expected);
    assert_eq!(
        of(&["# learning_rate = 1e-06", "# batch_size = 16"]),
        ["batch_size=16", "learning_rate=1e-6"],
        "a banner"
    );
}

#[test]
fn a_symbol_far_from_other_settings_is_none() {
    let answer = "so the estimate is α = β = 4 (since β = 4)";
    let far = [&["batch_size: 16", "max_steps: 9"][..], &[""; 9][..], &[answer][..]].concat();
    assert_eq!(of(&far), ["batch_size=16", "max_steps=9"]);
    assert_eq!(of(&["beta: 0.04", "batch_size: 16"]), ["batch_size=16", "beta=0.04"]);
    let list: Vec<String> = (b'a'..b'm').map(|name| format!("{}_x: None", char::from(name))).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let arguments = [&["beta: 0.04"][..], &list[..], &["learning_rate: 1e-6", "max_steps: 9"][..]].concat();
    assert_eq!(of(&arguments), ["beta=0.04", "learning_rate=1e-6", "max_steps=9"]);
    let again = [&["so α = β = 0.04"][..], &[""; 9][..], &["beta: 0.04", "batch_size: 16"][..]].concat();
    assert_eq!(of(&again), ["batch_size=16", "beta=0.04"]);
}

#[test]
fn what_repeats_a_known_config_is_left_out() {
    let with = |known: &str| {
        let mut head = HeadSettings::default();
        for line in ["Batch size: 16", "Total steps: 250", "args: {'num_generations': 8, 'beta': 0.1}"] {
            head.add(line);
        }
        let mut config = Json::parse(known.as_bytes()).unwrap();
        head.add_to(&mut config);
        config
    };
    let known = r#"{"trainer": {"max_steps": 9, "lr": 1}, "beta": 0.2}"#;
    assert_eq!(with(known), Json::parse(known.as_bytes()).unwrap());
    let expected = br#"{"seed": 1, "beta": 0.2, "num_generations": 8}"#;
    assert_eq!(with(r#"{"seed": 1, "beta": 0.2}"#), Json::parse(expected).unwrap());
}

#[test]
fn the_arguments_of_a_model_stand_beside_those_of_its_trainer() {
    let with = |known: &str| {
        let mut head = HeadSettings::default();
        head.add("INFO - Model parameters ModelConfig(model_name_or_path='org/Model-1B', lora_r=16, dtype=None)");
        head.add("engine: {'seed': 0, 'max_steps': 5, 'gpu': 1}");
        let mut config = Json::parse(known.as_bytes()).unwrap();
        head.add_to(&mut config);
        config
    };
    let model = with(r#"{"max_steps": 9, "beta": 0.2}"#);
    let text = |key: &str| model.get(key).and_then(Json::text);
    assert_eq!((text("model_name_or_path"), model.get("lora_r")), (Some("org/Model-1B"), Some(&Json::Number(16.0))));
    assert_eq!((model.get("max_steps"), model.get("gpu")), (Some(&Json::Number(9.0)), None));
    let named = r#"{"max_steps": 9, "beta": 0.2, "model_name_or_path": "org/Other"}"#;
    assert_eq!(with(named), Json::parse(named.as_bytes()).unwrap());
}

#[test]
fn text_and_rows_hold_no_settings() {
    for lines in [
        &["The batch size: 16 loaves", "temperature: 30 degrees"][..],
        &["Batch size: 16"],
        &["learning_rate: 1e-6", "temperature: 1.0"],
        &["batch_size: 16", "batch_size: 32", "lr: 1e-6"],
        &["{'loss': 0.5, 'learning_rate': 1e-06, 'batch_size': 16}"],
        &["batch size: 1/4", "max_steps: 10%", "num_generations: 2-3"],
        &["{{{", "Namespace(", "{'a': {'b': "],
    ] {
        let found = of(lines);
        assert!(found.iter().all(|pair| !pair.starts_with("batch_size")), "{lines:?} {found:?}");
        assert!(found.is_empty(), "{lines:?} {found:?}");
    }
}
