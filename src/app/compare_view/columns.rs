//! Columns of a table of runs as words in an address.

use crate::protocol::{Aggregate, TableColumn};

const PLAIN: [(TableColumn, &str); 6] = [
    (TableColumn::Name, "name"),
    (TableColumn::State, "state"),
    (TableColumn::Verdict, "verdict"),
    (TableColumn::Rank, "rank"),
    (TableColumn::LastStep, "steps"),
    (TableColumn::Duration, "duration"),
];
const AGGREGATES: [(Aggregate, &str); 6] = [
    (Aggregate::Last, "last"),
    (Aggregate::Best, "best"),
    (Aggregate::Mean, "mean"),
    (Aggregate::First, "first"),
    (Aggregate::Min, "min"),
    (Aggregate::Max, "max"),
];
const SETTING: &str = "setting";
const TO_BASELINE: &str = "to-baseline-";

/// The word of a column, such as `setting:lr` or `last:eval/accuracy`.
pub fn word(column: &TableColumn) -> String {
    match column {
        TableColumn::Setting(key) => format!("{SETTING}:{key}"),
        TableColumn::Metric { key, aggregate } => format!("{}:{key}", aggregate_word(*aggregate)),
        TableColumn::ToBaseline { key, aggregate } => format!("{TO_BASELINE}{}:{key}", aggregate_word(*aggregate)),
        plain => PLAIN.iter().find(|(known, _)| known == plain).map_or("", |(_, word)| word).to_owned(),
    }
}

/// The column of a word.
pub fn column(word: &str) -> Option<TableColumn> {
    let Some((kind, key)) = word.split_once(':') else {
        return PLAIN.iter().find(|(_, known)| *known == word).map(|(column, _)| column.clone());
    };
    let key = key.to_owned();
    if kind == SETTING {
        return Some(TableColumn::Setting(key));
    }
    match kind.strip_prefix(TO_BASELINE) {
        Some(kind) => Some(TableColumn::ToBaseline { key, aggregate: aggregate(kind)? }),
        None => Some(TableColumn::Metric { key, aggregate: aggregate(kind)? }),
    }
}

/// Several columns as one text. Line breaks separate them: keys hold commas.
pub fn words(columns: &[TableColumn]) -> String {
    columns.iter().map(word).collect::<Vec<_>>().join("\n")
}

/// The columns of such a text; what is no column is left out.
pub fn columns(words: &str) -> Vec<TableColumn> {
    words.lines().filter_map(column).collect()
}

fn aggregate_word(aggregate: Aggregate) -> &'static str {
    AGGREGATES.iter().find(|(known, _)| *known == aggregate).map_or("", |(_, word)| word)
}

fn aggregate(word: &str) -> Option<Aggregate> {
    AGGREGATES.iter().find(|(_, known)| *known == word).map(|(aggregate, _)| *aggregate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_read_as_they_were_written() {
        let mut all: Vec<TableColumn> = PLAIN.map(|(column, _)| column).to_vec();
        all.push(TableColumn::Setting("a:b,c".into()));
        for (aggregate, _) in AGGREGATES {
            all.push(TableColumn::Metric { key: "eval/x".into(), aggregate });
            all.push(TableColumn::ToBaseline { key: "eval/x".into(), aggregate });
        }
        assert_eq!(columns(&words(&all)), all);
        for odd in ["", "sideways", "sideways:x", "to-baseline-:x"] {
            assert_eq!(column(odd), None, "{odd}");
        }
    }
}
