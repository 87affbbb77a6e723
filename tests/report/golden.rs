//! The reports of synthetic runs, compared with the snapshots under `tests/golden`.
//!
//! After a wanted change, run once with `INSTA_UPDATE=always` and read the difference before it is committed.

use rundown_diagnose::samples::{CompletionGroup, Excerpt, Measured, Phrase, Samples};
use rundown_diagnose::{
    Action, ActionKind, Cause, Code, Cost, CostAfterFinding, Diagnosis, Evidence, Finding, Learning, LearningState,
    Movement, Need, Quiet, Relation, Rulebook, SettingName, Severity, Skipped, Spent, Trend, Verdict,
};
use rundown_format::rich;
use rundown_format::rich_text::metric;
use rundown_report::{Format, write};
use rundown_run::{ConfigValue, Ending, FileFormat, Run, RunState, RunWarning, SourceFile};
use rundown_vocabulary::{Binding, Bindings, Concept, Direction, Framework, Scale, Unit};

use crate::support::golden::same_as_snapshot;

const SECRET: &str = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

/// A run of 40 steps with a reward, an evaluation every ten steps and a KL.
fn run(id: &str, name: &str, accuracy: f64) -> Run {
    let mut run = Run {
        id: id.to_owned(),
        name: name.to_owned(),
        project: Some("tiny".to_owned()),
        started_at: Some(1_795_183_500.0),
        ending: Ending {
            state: RunState::Finished,
            exit_code: Some(0),
            interrupted: false,
            expects_exit: true,
            evidence: vec!["the exit record says 0".to_owned()],
        },
        files: vec![SourceFile {
            path: format!("project/{name}/run-{id}.wandb"),
            format: FileFormat::Wandb,
            bytes: 32_768,
            crc32: 0xdead_beef,
        }],
        ..Run::default()
    };
    for step in 1..=40_u32 {
        let row = run.push_row(f64::from(step), f64::NAN);
        let share = f64::from(step) / 40.0;
        run.push_value("train/global_step", row, f64::from(step));
        run.push_value("train/reward", row, share / 3.0);
        run.push_value("train/kl", row, 0.01 * share);
        if step.is_multiple_of(10) {
            run.push_value("eval/accuracy", row, accuracy * share);
        }
    }
    run.config.insert("learning_rate", ConfigValue::Number(1e-3));
    run.config.insert("beta", ConfigValue::Number(0.0));
    run.config.insert("dataloader_drop_last", ConfigValue::Bool(false));
    run.choose_axis();
    run
}

fn binding(concept: Concept, key: &str, unit: Unit) -> Binding {
    let why = format!("{key} is TRL's name for it");
    Binding { concept, key: key.to_owned(), unit, scale: Scale::One, direction: Direction::Up, name: None, why }
}

fn healthy() -> (Run, Diagnosis) {
    let mut bindings = Bindings::new(Framework::Trl);
    bindings.push(binding(Concept::Reward, "train/reward", Unit::Plain));
    bindings.push(binding(Concept::Evaluation, "eval/accuracy", Unit::Share));
    bindings.push(binding(Concept::KlToReference, "train/kl", Unit::NatsPerToken));
    let movement = |concept: Concept, key: &str, last: f64| Movement {
        concept,
        key: key.to_owned(),
        first: last / 9.0,
        starts_near_zero: false,
        mid: last / 2.0,
        last,
        best: if concept == Concept::KlToReference { f64::NAN } else { last },
        best_step: if concept == Concept::KlToReference { f64::NAN } else { 40.0 },
        slope: last / 0.4,
    };
    let diagnosis = Diagnosis {
        acts_in_environment: false,
        verdict: Verdict::Good,
        headline: rich!("Healthy: {} rose from 0.24 to 0.95", metric("eval/accuracy")),
        summary: rich!("The run learns its task; {} stays below 0.01.", metric("train/kl")),
        learning: Learning {
            measure: bindings.first(Concept::Evaluation).cloned(),
            state: LearningState::Improved,
            first: 0.24,
            last: 0.95,
            best: 0.95,
            best_step: 40.0,
            points: 4,
            p: 0.01,
            why: rich!("{} rose from 0.24 to 0.95", metric("eval/accuracy")),
            ..Learning::default()
        },
        movements: vec![
            movement(Concept::Reward, "train/reward", 1.0 / 3.0),
            movement(Concept::Evaluation, "eval/accuracy", 0.95),
            movement(Concept::KlToReference, "train/kl", 0.01),
        ],
        bindings,
        findings: Vec::new(),
        samples: Vec::new(),
        quiet: vec![Quiet::new(
            Code::KlBlowUp,
            vec![
                Evidence::new("largest KL", 0.01, "nats/token").limited(Relation::Above, 0.2, "GRPO logs, rulebook"),
                Evidence::new("points", 40.0, ""),
            ],
            None,
        )],
        skipped: vec![Skipped {
            code: Code::EntropyCollapse,
            need: Need { concepts: vec![Concept::Entropy], hint: rich!("Log {}.", metric("train/entropy")) },
        }],
        cost: Cost {
            total: Spent { steps: 39.0, hours: Some(1.0 / 3.0), tokens: Some(1e6), ..Spent::default() },
            ..Cost::default()
        },
        points: 40,
        nonfinite: 0,
        rulebook: Rulebook::default(),
    };
    (run("gr4me5rr", "amber-01", 0.95), diagnosis)
}

/// A run whose texts try to break out of the report, with two findings and planted secrets.
fn hostile() -> (Run, Diagnosis) {
    let (_, mut diagnosis) = healthy();
    let mut run = run("x|y", "<b>am|ber</b> `02` [x](javascript:1)", 0.2);
    run.notes = Some(format!("# title\nuse {SECRET}"));
    run.ending.state = RunState::Crashed;
    run.ending.exit_code = Some(1);
    run.ending.evidence = vec![format!("RuntimeError: login with {KEY} failed")];
    run.config.insert("model_name_or_path", ConfigValue::Text(format!("https://me:{KEY}@host/model")));
    run.config.insert("hub_token", ConfigValue::Text("short".to_owned()));
    run.warnings.push(RunWarning::Text { text: "the step went back from 20 to 10".to_owned(), step: Some(20.0) });
    run.push_value("custom|<i>", 3, f64::NAN);
    diagnosis.nonfinite = 1;
    diagnosis.verdict = Verdict::Ugly;
    diagnosis.headline = "The policy games the reward instead of learning the task".into();
    diagnosis.summary = rich!("{} rose while the evaluation fell.", metric("train/reward"));
    diagnosis.learning.state = LearningState::Declined;
    diagnosis.learning.why = rich!("{} fell from 0.5 to 0.2", metric("eval/accuracy"));
    let mut root = Finding::new(Code::RewardHacking, Severity::Critical, "Reward rose by 0.33 while accuracy fell");
    root.detail = "The format reward alone rose. 3 < 5 & so on.".into();
    root.metrics = vec!["train/reward".to_owned(), "custom|<i>".to_owned()];
    root.onset = Some(12.0);
    root.end = Some(40.0);
    root.evidence = vec![
        Evidence::new("gain of the reward", 1.0 / 3.0, "").limited(Relation::Above, 0.1, "rulebook"),
        Evidence::new("change of the evaluation", -30.0, "%"),
        Evidence::new("ratio", f64::INFINITY, ""),
    ];
    root.trend =
        vec![Trend { metric: "train/reward".to_owned(), first: 0.0333, mid: 0.17, last: 0.3, slope: 0.833_333_3 }];
    root.causes = vec![
        Cause { config: "beta".to_owned(), value: "0".to_owned(), why: "nothing holds the policy".into() },
        Cause { config: "hub_token".to_owned(), value: "short".to_owned(), why: "planted".into() },
    ];
    root.actions = vec![
        Action {
            kind: ActionKind::Set {
                setting: SettingName::Key("beta".to_owned()),
                from: Some("0".into()),
                to: "0.02".into(),
            },
            effect: "holds the policy near the reference".to_owned(),
            risk: "slower learning".to_owned(),
            watch: "train/kl below 0.05".to_owned(),
        },
        Action {
            kind: ActionKind::Do("Read twenty completions of step 40".into()),
            effect: String::new(),
            risk: String::new(),
            watch: String::new(),
        },
    ];
    root.alternative = "the evaluation set is another task".into();
    root.refute = "score the same completions by hand".into();
    root.references = vec!["arXiv 2210.10760".to_owned()];
    root.confidence = 0.85;
    let mut consequence = Finding::new(Code::LengthExplosion, Severity::Warning, "Length doubled at step 20");
    consequence.onset = Some(20.0);
    consequence.explained_by = vec![Code::RewardHacking];
    let note =
        Finding::new(Code::MetricNotComputed, Severity::Note, rich!("{} is 0; {}", metric("train/entropy"), SECRET));
    diagnosis.findings = vec![root, consequence, note];
    let after = Spent { steps: 28.0, hours: Some(0.25), tokens: None, gpu_hours: Some(2.0), money: Some(5.0) };
    diagnosis.cost = Cost {
        total: Spent { steps: 39.0, hours: Some(0.375), tokens: None, gpu_hours: Some(3.0), money: Some(7.5) },
        useless: Some(after),
        findings: vec![CostAfterFinding { code: Code::RewardHacking, from: 12.0, to: 40.0, spent: after }],
        hours_from: "times of the rows".to_owned(),
        idle_hours: 0.5,
        gpus: Some(8.0),
        gpus_from: "given".to_owned(),
        per_gpu_hour: Some(2.5),
    };
    (run, diagnosis)
}

fn markdown_run(run: &Run, diagnosis: &Diagnosis) -> String {
    write(&[(run, diagnosis)], Format::Markdown)
}

fn json(runs: &[(&Run, &Diagnosis)]) -> String {
    write(runs, Format::Json)
}

fn markdown_project(runs: &[(&Run, &Diagnosis)]) -> String {
    write(runs, Format::Markdown)
}

#[test]
fn one_healthy_run() {
    let (run, diagnosis) = healthy();
    same_as_snapshot("report_healthy", &markdown_run(&run, &diagnosis));
}

#[test]
fn one_hostile_run() {
    let (run, diagnosis) = hostile();
    same_as_snapshot("report_hostile", &markdown_run(&run, &diagnosis));
}

#[test]
fn a_project_as_json() {
    let (a, b) = (hostile(), healthy());
    let report = json(&[(&a.0, &a.1), (&b.0, &b.1)]);
    serde_json::from_str::<serde_json::Value>(&report).expect("valid JSON");
    same_as_snapshot("report_project", &report);
}

#[test]
fn a_project_lists_the_good_first() {
    let (a, b) = (hostile(), healthy());
    let report = markdown_project(&[(&a.0, &a.1), (&b.0, &b.1)]);
    let (table, _) = report.split_once("\n## Run ").unwrap();
    same_as_snapshot("report_project_table", table);
    assert!(report.find("## Run amber-01").unwrap() < report.find("## Run &lt;b>").unwrap());
    assert!(report.contains("\n### Findings\n") && report.contains("\n#### 1. Reward hacking (critical)\n"));
}

#[test]
fn secrets_and_html_are_in_no_report() {
    let (a, b) = (hostile(), healthy());
    let runs = [(&a.0, &a.1), (&b.0, &b.1)];
    for report in [markdown_run(&a.0, &a.1), markdown_project(&runs), json(&runs)] {
        for secret in [SECRET, KEY, "\"short\"", "`short`"] {
            assert!(!report.contains(secret), "{secret} in {report}");
        }
    }
    for report in [markdown_run(&a.0, &a.1), markdown_project(&runs)] {
        assert!(!report.contains('<'), "{report}");
        for line in report.lines().filter(|line| line.starts_with('|')) {
            let unescaped = line.replace("\\\\", "").replace("\\|", "");
            assert!(unescaped.ends_with('|') && !unescaped.contains("[x]("), "{line}");
        }
    }
}

/// Completions that try to leave their fence, with a secret across the cut.
fn hostile_samples() -> Samples {
    let excerpt = |step: f64, text: String| Excerpt {
        step,
        prompt: "1+1=| <b>\n# x".to_owned(),
        length: text.chars().count() as u32,
        text,
        end: String::new(),
        repeated: "`a` | <i>".to_owned(),
        times: 5,
        scores: vec![("reward".to_owned(), 0.5)],
    };
    let broken = "```\n# heading\n<script>alert(1)</script> ````` | a |".to_owned();
    let long = format!("{} {SECRET} {}", "word ".repeat(78), "end ".repeat(300));
    Samples {
        finding: 0,
        before: CompletionGroup { compared: 80, steps: (1.0, 11.0), shown: vec![excerpt(11.0, "<2>".to_owned())] },
        after: CompletionGroup {
            compared: 90,
            steps: (12.0, 40.0),
            shown: vec![excerpt(40.0, broken), excerpt(39.0, long)],
        },
        measures: vec![Measured {
            is_share: true,
            name: "share that repeats itself".to_owned(),
            before: 0.0,
            after: 0.5,
        }],
        phrases: vec![Phrase { text: "<b> |".to_owned(), before: 0.1, after: 0.9 }],
    }
}

#[test]
fn completions_stay_text() {
    let (run, mut diagnosis) = hostile();
    diagnosis.samples = vec![hostile_samples()];
    let report = markdown_run(&run, &diagnosis);
    assert!(!report.contains("abcdefgh") && report.contains("characters left out …]"), "{report}");
    let (mut outside, mut fences, mut fence) = (String::new(), 0, None);
    for line in report.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => (fence, fences) = (Some(ticks), fences + 1),
            None => outside.push_str(line),
            Some(open) if ticks >= open => fence = None,
            Some(_) => {}
        }
    }
    assert_eq!((fence, fences), (None, 3));
    assert!(!outside.contains('<') && !outside.contains("alert"), "{outside}");
    let read: serde_json::Value = serde_json::from_str(&json(&[(&run, &diagnosis)])).unwrap();
    let samples = read.pointer("/runs/0/findings/0/samples").unwrap();
    assert_eq!(samples.pointer("/after/shown/0/step"), Some(&serde_json::json!(40)));
    assert!(!samples.to_string().contains("abcdefgh"));
    assert_eq!(read.pointer("/runs/0/findings/1/samples"), None);
}

#[test]
fn the_same_runs_give_the_same_bytes_in_any_order() {
    let (a, b) = (hostile(), healthy());
    let (forth, back) = ([(&a.0, &a.1), (&b.0, &b.1)], [(&b.0, &b.1), (&a.0, &a.1)]);
    for format in [Format::Markdown, Format::Json] {
        assert_eq!(write(&forth, format), write(&back, format));
    }
}

#[test]
fn no_run_gives_a_report_too() {
    assert!(write(&[], Format::Markdown).contains("No run could be read."));
    let empty: serde_json::Value = serde_json::from_str(&write(&[], Format::Json)).unwrap();
    assert_eq!(empty.get("runs"), Some(&serde_json::json!([])));
}

#[test]
fn the_outline_of_the_json_is_the_published_one() {
    let (a, b) = (hostile(), healthy());
    let report: serde_json::Value = serde_json::from_str(&json(&[(&a.0, &a.1), (&b.0, &b.1)])).unwrap();
    let keys = |value: &serde_json::Value| {
        value.as_object().expect("an object").keys().cloned().collect::<std::collections::BTreeSet<String>>()
    };
    let set = |names: &str| names.split(' ').map(str::to_owned).collect::<std::collections::BTreeSet<String>>();
    assert_eq!(keys(&report), set("schema rundown rulebook runs comparison"));
    let run = report.pointer("/runs/1").unwrap();
    let outline = "id name files source framework state first_step last_step points verdict findings quiet skipped \
                   bindings unbound summary cost headline project group job_type sweep notes tags started_at tasks \
                   config last traces";
    assert_eq!(keys(run), set(outline));
    let trace = "key concept name unit direction points last best best_step tail tail_error steps values";
    assert_eq!(keys(run.pointer("/traces/0").unwrap()), set(trace));
    let finding = "code severity title detail metrics onset end evidence trend causes actions alternative refute \
                   explained_by references confidence";
    assert_eq!(keys(run.pointer("/findings/0").unwrap()), set(finding));
    assert_eq!(keys(run.pointer("/skipped/0").unwrap()), set("code needs"));
    assert_eq!(keys(run.pointer("/bindings/kl_to_reference").unwrap()), set("key why"));
    assert_eq!(keys(run.pointer("/summary/reward").unwrap()), set("first mid last best best_step slope"));
    let cost = "total useless findings hours_from idle_hours gpus gpus_from price_per_gpu_hour";
    assert_eq!(keys(run.pointer("/cost").unwrap()), set(cost));
    assert_eq!(keys(run.pointer("/cost/total").unwrap()), set("steps hours tokens gpu_hours money"));
    let comparison = "leaderboard pareto signals groups recommendations best_default_config";
    assert_eq!(keys(report.pointer("/comparison").unwrap()), set(comparison));
}
