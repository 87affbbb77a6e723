//! The language from its text to what it selects.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may panic")]

use proptest::prelude::*;
use rundown_compare::{FindingSummary, RunSummary};
use rundown_diagnose::{Code, Severity, Verdict};
use rundown_query::*;
use rundown_run::{Config, ConfigValue, RunState, iso_seconds};

/// A run with a bit of everything.
fn entry() -> RunSummary {
    let mut config = Config::default();
    for (key, value) in [
        ("use_lora", ConfigValue::Bool(true)),
        ("num_steps", ConfigValue::Number(200.0)),
        ("rubric_file", ConfigValue::Null),
        ("lr", ConfigValue::Text("1e-5".into())),
        ("actor.optim.weight_decay", ConfigValue::Number(0.1)),
        ("actor.seed", ConfigValue::Number(1.0)),
        ("critic.seed", ConfigValue::Number(2.0)),
        ("odd key", ConfigValue::Text("it's".into())),
        ("targets", ConfigValue::List(vec![ConfigValue::Text("q".into()), ConfigValue::Text("v".into())])),
        ("layers", ConfigValue::List(vec![ConfigValue::Number(4.0), ConfigValue::Number(8.0)])),
        ("model", ConfigValue::Text("Qwen/Qwen2.5-7B".into())),
    ] {
        config.insert(key, value);
    }
    RunSummary {
        id: "a1b2c3".into(),
        name: "lr-1e-5-Seed3".into(),
        tags: vec!["sweep".into(), "good one".into()],
        group: Some("first".into()),
        started_at: iso_seconds("2026-11-05T12:00:00Z"),
        state: RunState::Finished,
        verdict: Verdict::Bad,
        findings: vec![FindingSummary {
            code: Code::KlBlowUp,
            severity: Severity::Warning,
            onset: None,
            is_root: true,
        }],
        last: [("eval/accuracy".to_owned(), 0.85), ("train/loss-x".to_owned(), -0.5)].into(),
        steps: Some((1.0, 200.0)),
        config,
        ..RunSummary::default()
    }
}

#[track_caller]
fn check(entry: &RunSummary, wanted: bool, queries: &[&str]) {
    for text in queries {
        let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(query.matches(entry), wanted, "{text}: {query:?}");
    }
}

#[test]
fn what_holds() {
    check(
        &entry(),
        true,
        &[
            "",
            "   ",
            "config.use_lora == true AND config.num_steps >= 100",
            "config.use_lora = True && config.num_steps>=100",
            "config.rubric_file == null",
            "state == \"finished\"",
            "state == Finished",
            "tags contains \"sweep\"",
            "tags contains 'good one'",
            "tags == sweep",
            "name ~ /^lr-/",
            "name ~ /seed\\d$/i",
            "name =~ '^lr-1e'",
            "model ~ /Qwen\\/Qwen/",
            "summary.eval/accuracy > 0.8",
            "summary_metrics.eval/accuracy > 8e-1",
            "eval/accuracy > 0.8",
            "`train/loss-x` < 0",
            "train/loss-x == -.5",
            "verdict != ugly",
            "verdict in [bad, ugly]",
            "verdict not in (good)",
            "created > 2026-11-01",
            "created == 2026-11-05",
            "created < 2026-11-05T13:00:00+00:30",
            "created <= 2026-11-05",
            "created >= 2026-11-05",
            "created > 2026-11-04",
            "created in [2026-11-04, 2026-11-05]",
            "created in [2026-11-05T12:00:00Z, 2026-11-04]",
            "created not in [2026-11-04]",
            "created == 1793880000",
            "created != 2026-11-04",
            "finding contains kl_blow_up",
            "config.lr == 1e-5",
            "config.lr < 0.001 and lr > 1E-6",
            "config.weight_decay == 0.1",
            "weight_decay == 0.1",
            "config.\"odd key\" == \"it's\"",
            "`odd key` contains IT",
            "config.'odd key' != null",
            "config.targets contains q",
            "config.targets == [q, v]",
            "config.targets in [x, v]",
            "config.layers > 7",
            "layers == 8",
            "config.actor != null",
            "missing == null",
            "missing != 3",
            "missing not in [1, 2]",
            "NOT missing > 3",
            "!(missing > 3)",
            "steps >= 200",
            "qwen == null",
            "SEED3",
            "first sweep",
            "a1b \"good one\" state == finished",
            "-other",
            "-\"one good\"",
            "name ~ ^lr&&state == finished",
            "(name ~ ^lr-1e)",
            "state == running or state == finished and not verdict == good",
            "(state == running or state == finished) && !(verdict == good)",
            "NOT NOT state == finished",
        ],
    );
}

#[test]
fn what_does_not_hold() {
    check(
        &entry(),
        false,
        &[
            "config.use_lora == false",
            "config.rubric_file != null",
            "missing > 3",
            "missing < 3",
            "missing == 3",
            "missing ~ /./",
            "missing !~ /./",
            "missing contains x",
            "missing not contains x",
            "missing != null",
            "config.actor == null",
            "config.actor > 0",
            "config.seed == 1",
            "config.eval/accuracy > 0",
            "summary.num_steps > 0",
            "config.targets == [v, q]",
            "config.targets == []",
            "config.targets != q",
            "config.layers > 8",
            "tags contains swee",
            "tags not contains sweep",
            "name ~ /^LR/",
            "name !~ /^lr/",
            "created > 2026-11-06",
            "created == 2026-11-04",
            "created != 2026-11-05",
            "created > 2026-11-05",
            "created < 2026-11-05",
            "created <= 2026-11-04",
            "created not in [2026-11-05]",
            "created == 1793879999",
            "model > 3",
            "elsewhere",
            "-sweep",
            "-\"good one\"",
            "-'good one'",
            "lr-1e sweep elsewhere",
            "verdict == ugly or state == running",
        ],
    );
}

#[test]
fn errors_point_at_the_character() {
    for (text, at, word) in [
        ("state ==", 8, "value is missing"),
        ("state == finished and", 21, "missing here"),
        ("and state == finished", 0, "key or a word"),
        ("(state == finished", 0, "never closed"),
        ("state == finished)", 17, "Unmatched"),
        ("a == [1, 2", 5, "never closed"),
        ("a == [1 2]", 8, "comma"),
        ("a in 3", 5, "needs a list"),
        ("name ~ /a(b/", 7, "not valid"),
        ("name ~ ^(lr|kl)-", 7, "between slashes"),
        ("name ~ [ab]", 7, "must stand here"),
        ("name ~ a[bc]", 7, "between slashes"),
        ("name ~ /a", 7, "second"),
        ("name ~ /a/g", 10, "only letter"),
        ("name ~ 3 ~", 9, "key or a word"),
        ("name == \"a", 8, "quote"),
        ("é ü == 'a", 7, "quote"),
        ("verdict == ugli", 11, "verdict"),
        ("created > yesterday", 10, "not a time"),
        ("created in [2026-11-01, soon]", 11, "not a time"),
        ("a > null", 4, "Only a number"),
        ("a > [1]", 4, "Only a number"),
        ("a == 1 2 == ,", 12, "value is missing"),
        ("] == 1", 0, "key or a word"),
    ] {
        let error = Query::parse(text).map(|query| panic!("{text}: {query:?}")).unwrap_err();
        assert_eq!(error.at, at, "{text}: {error}");
        assert!(error.what.contains(word), "{text}: {error}");
    }
    assert!(Query::parse(&"(".repeat(100_000)).is_err());
    assert!(Query::parse(&"not ".repeat(100_000)).is_err());
    assert!(Query::parse(&"a ".repeat(100_000)).is_ok());
}

#[test]
fn the_keys_that_are_asked_for() {
    let query = Query::parse("displayName ~ /a/ AND config.a == 1 OR NOT config.a > 2 lora").unwrap();
    assert_eq!(query.keys(), ["name", "config.a", "the words \"lora\""]);
}

#[test]
fn a_list_carries_the_columns_that_are_asked_for() {
    let query =
        Query::parse("config.lr > 1 and eval/acc > 0.5 and summary.kl < 1 and not verdict == bad verdict != ugly x");
    let query = query.unwrap();
    assert_eq!(query.keys_after_loading(), ["verdict"]);
    let (settings, metrics) = query.column_keys();
    assert_eq!(settings, ["lr", "eval/acc"]);
    assert_eq!(metrics, ["eval/acc", "kl"]);
}

#[track_caller]
fn completed(typed: &str) -> Vec<String> {
    let mut entries = [entry(), entry()];
    entries[1].config.insert("use_lora", ConfigValue::Bool(false));
    entries[1].config.insert("learning_rate", ConfigValue::Number(1e-4));
    let index = CompletionIndex::new(&entries);
    complete(typed, typed.chars().count(), &index).into_iter().map(|suggestion| suggestion.text).collect()
}

#[test]
fn completion_knows_what_may_stand_next() {
    assert_eq!(completed("stat"), ["state"]);
    assert_eq!(completed("lora"), ["config.use_lora"]);
    assert_eq!(completed("config.le")[0], "config.learning_rate");
    assert_eq!(completed("learn"), ["config.learning_rate"]);
    assert_eq!(completed("odd"), ["`config.odd key`"]);
    assert_eq!(completed("eval/acc"), ["summary.eval/accuracy"]);
    assert!(completed("").contains(&"state".to_owned()));
    assert_eq!(completed("state ")[0], "== ");
    assert_eq!(completed("tags ")[0], "contains ");
    assert_eq!(completed("state == "), ["\"finished\"", "null"]);
    assert_eq!(completed("config.use_lora == t"), ["true"]);
    assert_eq!(completed("use_lora in [true, f"), ["false"]);
    assert_eq!(completed("tags contains \"go"), ["\"good one\""]);
    assert_eq!(completed("state == finished "), ["AND ", "OR "]);
    assert_eq!(completed("state == finished AND verd"), ["verdict"]);
    assert_eq!(completed("(name ~ /x/ or fram"), ["framework"]);
    assert_eq!(completed("name ~ /a"), Vec::<String>::new());
    // Unknown letters must not be lost or counted as bytes.
    let index = CompletionIndex::new([&entry()]);
    let typed = "é AND stat AND x";
    let suggestion = &complete(typed, 10, &index)[0];
    assert_eq!((suggestion.start, suggestion.end, suggestion.runs), (6, 10, 1));
}

proptest! {
    #[test]
    fn nothing_that_is_typed_panics(text in ".{0,60}", cursor in 0..70_usize) {
        if let Ok(query) = Query::parse(&text) {
            let _ = query.matches(&entry());
        }
        let _ = complete(&text, cursor, &CompletionIndex::new([&entry()]));
    }

    #[test]
    fn nor_what_looks_like_a_query(parts in prop::collection::vec(prop::sample::select(vec![
        "state", "config.a", "==", "!=", "~", "/a.b/", "in", "[", "]", "(", ")", ",", "and", "or", "not", "1e-4", "'x'", "contains", "null",
    ]), 0..12)) {
        let text = parts.join(" ");
        match Query::parse(&text) {
            Ok(query) => { let _ = query.matches(&entry()); }
            Err(error) => prop_assert!(error.at <= text.chars().count()),
        }
    }
}
