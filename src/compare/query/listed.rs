//! What of a query a list of runs decides, before the runs are read.
//!
//! A list tells what a run is called, how it ended, its tags, settings and last values, but not what was found in it.
//! What depends on the latter stays open: a run is left out only when no reading of it could make it selected.

use super::field::{Field, Property};
use super::matches::holds;
use super::{Entry, Node, Query, Test};

impl Query {
    /// False when the query cannot select the run, whatever its reading will show. The entry holds what the list told;
    /// the rest of it is empty.
    pub fn may_match(&self, listed: &Entry) -> bool {
        self.root.as_ref().is_none_or(|root| decide(root, listed) != Some(false))
    }

    /// What only the reading of a run shows, as in [`Query::keys`].
    pub fn open_keys(&self) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        self.each_test(&mut |test| {
            let key = test.field.to_string();
            if is_open(&test.field) && !keys.contains(&key) {
                keys.push(key);
            }
        });
        keys
    }

    /// Keys of the settings, and of the last values, that a list must carry to decide the query.
    pub fn listed_keys(&self) -> (Vec<String>, Vec<String>) {
        let (mut settings, mut metrics) = (Vec::new(), Vec::new());
        self.each_test(&mut |test| match &test.field {
            Field::Property(_) => {}
            Field::Config(key) => settings.push(key.clone()),
            Field::Summary(key) => metrics.push(key.clone()),
            Field::Either(key) => {
                settings.push(key.clone());
                metrics.push(key.clone());
            }
        });
        (settings, metrics)
    }

    /// True when a setting of the query is not in the list of the run under its whole key, so that it may be the end of
    /// a key which the list does not carry.
    pub fn misses_settings(&self, listed: &Entry) -> bool {
        let mut misses = false;
        self.each_test(&mut |test| {
            misses |= match &test.field {
                Field::Property(_) | Field::Summary(_) => false,
                Field::Config(key) => !has_setting(listed, key),
                Field::Either(key) => !listed.last.contains_key(key) && !has_setting(listed, key),
            };
        });
        misses
    }

    fn each_test(&self, see: &mut dyn FnMut(&Test)) {
        if let Some(root) = &self.root {
            root.each_test(see);
        }
    }
}

impl Node {
    fn each_test(&self, see: &mut dyn FnMut(&Test)) {
        match self {
            Node::All(parts) | Node::Any(parts) => parts.iter().for_each(|part| part.each_test(see)),
            Node::Not(part) => part.each_test(see),
            Node::Search(_) => {}
            Node::Test(test) => see(test),
        }
    }
}

/// Whether a part holds; `None` while that is open. Kleene's logic of three values.
fn decide(node: &Node, listed: &Entry) -> Option<bool> {
    // The value that settles a list of parts when one of them has it.
    let settled = |parts: &[Node], settling: bool| {
        let mut is_open = false;
        for part in parts {
            match decide(part, listed) {
                Some(value) if value == settling => return Some(settling),
                Some(_) => {}
                None => is_open = true,
            }
        }
        if is_open { None } else { Some(!settling) }
    };
    match node {
        Node::All(parts) => settled(parts, false),
        Node::Any(parts) => settled(parts, true),
        Node::Not(part) => decide(part, listed).map(|holds| !holds),
        Node::Test(test) if is_open(&test.field) => None,
        Node::Search(_) | Node::Test(_) => Some(holds(node, listed)),
    }
}

fn is_open(field: &Field) -> bool {
    use Property::{Cost, Finding, Framework, Hours, Points, Steps, Tokens, Verdict};
    matches!(field, Field::Property(Framework | Verdict | Finding | Steps | Points | Hours | Tokens | Cost))
}

/// True for a value of this key, or a section of it.
fn has_setting(listed: &Entry, key: &str) -> bool {
    let is_it = |name: &str| name.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    listed.config.iter().any(|(name, _)| is_it(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Verdict;
    use crate::run::ConfigValue;

    fn run() -> Entry {
        let mut run = Entry { name: "lr-1".into(), tags: vec!["sweep".into()], ..Entry::default() };
        run.config.insert("actor.optim.lr", ConfigValue::Number(1e-4));
        run.config.insert("seed", ConfigValue::Number(7.0));
        run.last.insert("eval/accuracy".into(), 0.8);
        run
    }

    #[track_caller]
    fn query(text: &str) -> Query {
        Query::parse(text).unwrap()
    }

    #[test]
    fn what_the_reading_shows_excludes_no_run() {
        for text in [
            "",
            "verdict == good",
            "verdict != ugly and seed == 7",
            "not (verdict == good) config.lr > 1e-5",
            "seed == 8 or finding contains kl_blow_up",
            "not (seed == 7 and hours > 3)",
            "framework == trl steps > 100 points > 3 tokens > 1 cost > 1",
        ] {
            assert!(query(text).may_match(&run()), "{text}");
        }
        for text in [
            "seed == 8 and verdict != ugly",
            "not (seed == 7 or verdict == good)",
            "(seed == 8 or name ~ /^x/) finding contains kl_blow_up",
            "words",
        ] {
            assert!(!query(text).may_match(&run()), "{text}");
        }
    }

    #[test]
    fn a_run_that_is_selected_was_never_left_out() {
        let parts = ["verdict == good", "seed == 7", "seed == 8", "hours > 1", "sweep"];
        let joints = ["and", "or", "and not", "or not"];
        for verdict in [Verdict::Good, Verdict::Ugly] {
            let whole = Entry { verdict, ..run() };
            for first in parts {
                for second in parts {
                    for third in parts {
                        for one in joints {
                            for other in joints {
                                let text = format!("({first} {one} {second}) {other} {third}");
                                let query = query(&text);
                                assert!(query.may_match(&run()) || !query.matches(&whole), "{text}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn keys_are_asked_for_where_they_may_be() {
        let asked =
            query("config.lr > 1 and eval/acc > 0.5 and summary.kl < 1 and not verdict == bad verdict != ugly x");
        assert_eq!(asked.open_keys(), ["verdict"]);
        let (settings, metrics) = asked.listed_keys();
        assert_eq!(settings, ["lr", "eval/acc"]);
        assert_eq!(metrics, ["eval/acc", "kl"]);
        for (text, misses) in [
            ("config.lr > 1", true),
            ("lr > 1", true),
            ("optim.lr > 1", true),
            ("config.actor != null", false),
            ("config.actor.optim.lr > 1", false),
            ("seed > 1", false),
            ("eval/accuracy > 1", false),
            ("config.eval/accuracy > 1", true),
            ("summary.loss > 1 verdict == good words", false),
        ] {
            assert_eq!(query(text).misses_settings(&run()), misses, "{text}");
        }
    }
}
