//! docs/guides.md: what is equal, what differs and why.

use std::fmt::Write as _;

use super::{Compared, GUIDES, Printed, Value, is_equal};
use rundown_format::{counted, number};

/// The page.
pub fn page(outcome: &[Vec<Compared<'_>>]) -> String {
    let all: usize = outcome.iter().flatten().map(|compared| compared.pairs.len()).sum();
    let differing: usize = outcome.iter().flatten().filter(|compared| !compared.place.differs.is_empty()).count();
    let mut page = format!(
        "# The numbers of other guides\n\n\
         `tests/golden/make_guides.py` computes what the guides of [sources.md](sources.md) print, by their own formulas; \
         `tests/guides` looks each number up in Rundown's report on the same runs: {}. Most are equal; {} are computed \
         in another way, and the reason stands beside them. Where the reason is another formula, the script has that one \
         too, and it is equal. \"JSON\" is the report for programs; the other places are \
         in the report and in the views.\n",
        counted(all, "number"),
        counted(differing, "kind"),
    );
    for ((guide, _), compared) in GUIDES.iter().zip(outcome) {
        let _ = write!(page, "\n## {guide}\n\n");
        let (equal, differing): (Vec<_>, Vec<_>) =
            compared.iter().partition(|compared| compared.place.differs.is_empty());
        page.push_str("| Equal | In Rundown | Compared |\n|---|---|---:|\n");
        for Compared { place, pairs } in equal {
            let _ = writeln!(page, "| {} | {} | {} |", place.number, place.shown, pairs.len());
        }
        if differing.is_empty() {
            continue;
        }
        page.push_str("\n| Different | In Rundown | Guide → Rundown | Why |\n|---|---|---|---|\n");
        for Compared { place, pairs } in differing {
            let example = example(pairs);
            let _ = writeln!(page, "| {} | {} | {example} | {} |", place.number, place.shown, place.differs);
        }
    }
    page
}

/// How often a rule holds, all words, or the two numbers that are furthest from each other.
fn example(pairs: &[(&Printed, Value)]) -> String {
    let is_flag = pairs.iter().all(|(printed, _)| matches!(printed.value, Value::Flag(_)));
    if is_flag && pairs.len() > 1 {
        let of = |value: &Value| *value == Value::Flag(true);
        let guide = pairs.iter().filter(|(printed, _)| of(&printed.value)).count();
        let ours = pairs.iter().filter(|(_, ours)| of(ours)).count();
        let both = pairs.iter().filter(|(printed, ours)| of(&printed.value) && of(ours)).count();
        return format!("{guide} → {ours} of {}, {both} in both", counted(pairs.len(), "run"));
    }
    let is_word = pairs.iter().all(|(printed, _)| matches!(printed.value, Value::Word(_)) && printed.of.is_empty());
    if is_word {
        let written = |(printed, ours): &(&Printed, Value)| {
            format!("{}: {} → {}", printed.data, written(&printed.value), written(ours))
        };
        return pairs.iter().map(written).collect::<Vec<_>>().join("; ");
    }
    let apart = |(printed, ours): &&(&Printed, Value)| match (&printed.value, ours) {
        (Value::Number(guide), Value::Number(ours)) => (guide - ours).abs() / guide.abs().max(ours.abs()),
        (guide, ours) if is_equal(guide, ours) => 0.0,
        _ => 1.0,
    };
    let Some((printed, ours)) = pairs.iter().rev().max_by(|a, b| apart(a).total_cmp(&apart(b))) else {
        return String::new();
    };
    let of = if printed.of.is_empty() { String::new() } else { format!(", `{}`", printed.of) };
    format!("{}{of}: {} → {}", printed.data, written(&printed.value), written(ours))
}

fn written(value: &Value) -> String {
    match value {
        Value::Flag(true) => "yes".to_owned(),
        Value::Flag(false) => "no".to_owned(),
        Value::Number(value) => number(*value),
        Value::Word(word) => word.clone(),
    }
}
