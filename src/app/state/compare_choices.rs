//! What the user chose in Compare: its charts, the columns and the order of its table, the axes of its scatter plot.

use super::columns::{ColumnOrder, from_word, word};
use rundown_protocol::ColumnId;

/// The choices. In the address each has a name and a text; what is not chosen is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompareChoices {
    /// Keys of the metrics that have a chart; the page chooses them when `None`.
    pub charts: Option<Vec<String>>,
    /// Columns of the table; the engine chooses them when empty.
    pub columns: Vec<ColumnId>,
    /// Order of the rows of the table.
    pub order: ColumnOrder,
    /// The column that the scatter plot has across.
    pub scatter_x: Option<ColumnId>,
    /// The column that it has up.
    pub scatter_y: Option<ColumnId>,
}

const CHARTS: &str = "charts";
const COLUMNS: &str = "columns";
const ORDER: &str = "order";
const SCATTER_X: &str = "scatter-x";
const SCATTER_Y: &str = "scatter-y";
const UP: &str = "up";
const DOWN: &str = "down";

impl CompareChoices {
    /// Takes what the address holds under a name; false for the name of no choice.
    pub fn read(&mut self, name: &str, value: &str) -> bool {
        // Line breaks separate keys, which hold commas.
        match name {
            CHARTS => {
                let keys = value.lines().filter(|key| !key.trim().is_empty());
                self.charts = Some(keys.map(str::to_owned).collect());
            }
            COLUMNS => self.columns = value.lines().filter_map(from_word).collect(),
            ORDER => self.order = read_order(value).unwrap_or_default(),
            SCATTER_X => self.scatter_x = from_word(value),
            SCATTER_Y => self.scatter_y = from_word(value),
            _ => return false,
        }
        true
    }

    /// Names and texts of what is chosen.
    pub fn pairs(&self) -> Vec<(&'static str, String)> {
        let mut pairs = Vec::new();
        pairs.extend(self.charts.as_ref().map(|keys| (CHARTS, keys.join("\n"))));
        if !self.columns.is_empty() {
            pairs.push((COLUMNS, self.columns.iter().map(word).collect::<Vec<_>>().join("\n")));
        }
        if self.order != ColumnOrder::default() {
            let direction = if self.order.is_descending { DOWN } else { UP };
            pairs.push((ORDER, format!("{}\n{direction}", word(&self.order.column))));
        }
        pairs.extend(self.scatter_x.as_ref().map(|column| (SCATTER_X, word(column))));
        pairs.extend(self.scatter_y.as_ref().map(|column| (SCATTER_Y, word(column))));
        pairs
    }
}

fn read_order(text: &str) -> Option<ColumnOrder> {
    let (column, direction) = text.rsplit_once('\n')?;
    Some(ColumnOrder { column: from_word(column)?, is_descending: direction == DOWN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_protocol::Aggregate;

    fn read_back(choices: &CompareChoices) -> CompareChoices {
        let mut read = CompareChoices::default();
        choices.pairs().iter().for_each(|(name, value)| assert!(read.read(name, value), "{name}"));
        read
    }

    #[test]
    fn choices_are_read_as_they_were_written() {
        let metric = ColumnId::Metric { key: "eval/pass:1, greedy".into(), aggregate: Aggregate::Best };
        let mut choices = CompareChoices {
            charts: Some(vec!["train/kl".into(), "a,b".into()]),
            columns: vec![ColumnId::Name, ColumnId::Setting("a:b".into()), metric.clone()],
            order: ColumnOrder { column: metric.clone(), is_descending: true },
            scatter_x: Some(ColumnId::Deciding),
            scatter_y: Some(metric),
        };
        assert_eq!(read_back(&choices), choices);
        choices.order.is_descending = false;
        choices.charts = Some(Vec::new());
        assert_eq!(read_back(&choices), choices, "no chart is not the default");
        assert!(CompareChoices::default().pairs().is_empty());
    }

    #[test]
    fn what_can_not_be_read_is_not_chosen() {
        let mut read = CompareChoices::default();
        let odd = [(COLUMNS, "median:x\n"), (ORDER, "rank"), (ORDER, "median:x\ndown"), (SCATTER_X, "lr")];
        odd.iter().for_each(|(name, value)| assert!(read.read(name, value)));
        assert_eq!(read, CompareChoices::default());
        assert!(!read.read("metric", "eval/accuracy"), "that one is the engine's");
    }
}
