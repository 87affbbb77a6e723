//! The page on metric names (docs/metrics.md) says what the tables say.

use std::fmt::Write as _;

use rundown_vocabulary::{Concept, Direction, Framework, FrameworkKey, Scale, framework_keys};

use crate::golden::same_as_page;

const HEAD: &str = "# Which metric means what

This page is made from the tables in `crates/vocabulary/src/tables/` by `tests/docs/metrics.rs`.

Rundown never looks for a key. A check asks for a *concept*, such as the KL to the reference, and gets the metric of the
run that stands for it. Which metric that is, and why, stands in each report under \"Which metric stands for what\";
what stands for nothing stands under \"Unknowns and missing logs\". In this order:

1. What you choose. In a terminal: `--bind KEY=CONCEPT` with a name from the first table, or `KEY=none`. The unit of
   the logged values may follow: `--bind kl=kl_to_reference:nats_per_sequence`. Units are `plain`, `share`,
   `nats_per_token`, `nats_per_token_signed`, `nats`, `nats_per_sequence`, `tokens`, `seconds`, `count`, `gigabytes`,
   `tokens_per_second` and `elo`.
2. The names of the framework that wrote the run. It is known by the names and settings that only it has.
3. What is measured on held-out tasks: `eval/…`, `val/…`, `test/…` and the like.
4. The names of frameworks that the run is like, for forks.
5. Plain names (first table), and keys all of whose words are understood, such as `mean_reward`.

A leading `train/`, capitals and spaces around slashes make no difference. A name in braces stands for any one part of a
key. Each key is bound once.

Units differ between frameworks under the same name, so they are part of a binding. A KL *per token* is a mean over
tokens that cannot be negative (k2, k3, or the full sum); *signed* means k1, which can, so that its zero proves nothing;
*per sequence* is summed over the response, and is divided by the mean length before it is compared. A KL that is said to
be of the first kind and has negative values is taken as signed.
";

#[test]
fn the_page_on_metrics_says_what_the_tables_say() {
    same_as_page("docs/metrics.md", &page());
}

fn page() -> String {
    let mut text = HEAD.to_owned();
    text.push_str("\n## Concepts\n\n| concept | name to choose it by | better | plain name of a key | keys |\n");
    text.push_str("|---|---|---|---|---|\n");
    for concept in Concept::ALL {
        let better = match concept.direction() {
            Direction::Up => "more",
            Direction::Down => "less",
            Direction::Neutral => "",
        };
        let plain = concept.key_hint(Framework::Unknown);
        let (words, name, keys) = (concept.words(), concept.name(), keys_of(*concept));
        writeln!(text, "| {words} | `{name}` | {better} | `{plain}` | {keys} |").unwrap();
    }
    let mut frameworks: Vec<Framework> = framework_keys().map(|(framework, _)| framework).collect();
    frameworks.dedup();
    let mut seen = Vec::new();
    for framework in frameworks {
        if !seen.contains(&framework) {
            seen.push(framework);
            text.push_str(&of_framework(framework));
        }
    }
    text
}

/// The keys of a concept, framework by framework.
fn keys_of(concept: Concept) -> String {
    let mut cell = String::new();
    let mut last = None;
    for (framework, known) in framework_keys().filter(|(_, known)| known.concept == concept) {
        match last {
            Some(last) if last == framework => write!(cell, ", `{}`", known.key).unwrap(),
            Some(_) => write!(cell, "; {}: `{}`", framework.as_str(), known.key).unwrap(),
            None => write!(cell, "{}: `{}`", framework.as_str(), known.key).unwrap(),
        }
        last = Some(framework);
    }
    cell
}

fn of_framework(framework: Framework) -> String {
    let mut text = format!("\n## {}\n\n| key | concept | unit | what it is |\n|---|---|---|---|\n", framework.as_str());
    for (_, known) in framework_keys().filter(|(of, _)| *of == framework) {
        let FrameworkKey { concept, key, unit, .. } = known;
        let mut unit = unit.name().replace('_', " ");
        if unit == "plain" {
            unit.clear();
        }
        writeln!(text, "| `{key}` | {} | {unit} | {} |", concept.words(), note(known)).unwrap();
    }
    text
}

fn note(known: &FrameworkKey) -> String {
    let parts = [known.note, if known.scale == Scale::One { "" } else { known.scale.why() }];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ")
}
