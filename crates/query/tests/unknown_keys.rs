//! Keys that no run has, and what was meant.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests may panic")]

use rundown_compare::RunSummary;
use rundown_query::{CompletionIndex, Query};
use rundown_run::{Config, ConfigValue};

fn index() -> CompletionIndex {
    let mut config = Config::default();
    for key in ["learning_rate", "actor.optim.weight_decay", "odd key", "beta"] {
        config.insert(key, ConfigValue::Number(1.0));
    }
    let last = [("eval/accuracy".to_owned(), 1.0), ("train/kl".to_owned(), 1.0)].into();
    CompletionIndex::new(&[RunSummary { config, last, ..RunSummary::default() }])
}

fn unknown(query: &str) -> Vec<(String, String)> {
    Query::parse(query).unwrap().unknown_keys(&index())
}

fn near(query: &str) -> String {
    let mut found = unknown(query);
    assert_eq!(found.len(), 1, "{query}: {found:?}");
    found.remove(0).1
}

#[test]
fn keys_that_a_run_has_are_known() {
    for query in [
        "",
        "anything",
        "verdict == good and hours > 1",
        "config.learning_rate > 0",
        "learning_rate > 0 or not eval/accuracy > 0",
        "config.optim.weight_decay > 0",
        "config.actor != null",
        "weight_decay > 0",
        "summary.train/kl > 0",
        "`odd key` == 1",
    ] {
        assert_eq!(unknown(query), [], "{query}");
    }
    assert_eq!(Query::parse("nowhere > 1").unwrap().unknown_keys(&CompletionIndex::default()), []);
}

#[test]
fn the_nearest_key_is_named() {
    assert_eq!(near("config.learning_rte > 0"), "config.learning_rate");
    assert_eq!(near("Learning_Rates > 0"), "learning_rate");
    assert_eq!(near("BETA > 0"), "beta");
    assert_eq!(near("config.weight_decy > 0"), "config.actor.optim.weight_decay");
    assert_eq!(near("config.train/kl > 0"), "summary.train/kl", "it is a metric");
    assert_eq!(near("summary.eval/acuracy > 0"), "summary.eval/accuracy");
    assert_eq!(near("oddkey == 1"), "`odd key`");
    assert_eq!(near("verdct == good"), "verdict");
    assert_eq!(near("something_else > 0"), "");
    let both = unknown("betta > 0 and betta < 1 and gamma > 0");
    assert_eq!(both, [("betta".to_owned(), "beta".to_owned()), ("gamma".to_owned(), String::new())]);
}
