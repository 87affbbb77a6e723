//! Which runs of a project a list of the server holds, and in which order.

use serde_json::{Value, json};

/// A choice among the runs of a project. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSelection {
    /// Run ids or names; any of them.
    pub ids_or_names: Vec<String>,
    /// Group.
    pub group: Option<String>,
    /// Sweep id.
    pub sweep: Option<String>,
    /// More to hold, in the server's own language.
    pub filter: Option<Value>,
    /// Which come first.
    pub order: Order,
}

/// Which runs come first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Order {
    /// The newest.
    #[default]
    Newest,
    /// Those with the highest final value of a metric.
    Highest(String),
    /// Those with the lowest.
    Lowest(String),
}

impl RunSelection {
    /// The `filters` argument: JSON in a string.
    pub fn filters(&self) -> String {
        let mut parts: Vec<Value> = Vec::new();
        if !self.ids_or_names.is_empty() {
            let any = json!({ "$in": self.ids_or_names });
            parts.push(json!({ "$or": [{ "name": any }, { "display_name": any }] }));
        }
        if let Some(group) = &self.group {
            parts.push(json!({ "group": group }));
        }
        if let Some(sweep) = &self.sweep {
            parts.push(json!({ "sweep": sweep }));
        }
        parts.extend(self.filter.clone());
        let filters = match parts.len() {
            0 => json!({}),
            1 => parts.pop().unwrap_or_default(),
            _ => json!({ "$and": parts }),
        };
        filters.to_string()
    }

    /// The `order` argument.
    pub fn order_argument(&self) -> String {
        match &self.order {
            Order::Newest => "-created_at".to_owned(),
            Order::Highest(metric) => ["-summary_metrics.", metric].concat(),
            Order::Lowest(metric) => ["+summary_metrics.", metric].concat(),
        }
    }

    /// The keys by which [`Selection::filters`] filters, apart from `filter`.
    pub fn words(&self) -> Vec<&'static str> {
        let words =
            [(!self.ids_or_names.is_empty(), "id"), (self.group.is_some(), "group"), (self.sweep.is_some(), "sweep")];
        words.into_iter().filter(|(is_set, _)| *is_set).map(|(_, word)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_it_is_asked_of_the_server() {
        let more = json!({"$and": [{"tags": {"$in": ["a\"b"]}}]});
        let mut selection = RunSelection { filter: Some(more.clone()), ..RunSelection::default() };
        assert_eq!(RunSelection::default().filters(), "{}");
        assert_eq!(selection.filters(), more.to_string());
        selection.group = Some("g".into());
        selection.ids_or_names = vec!["abc".into()];
        let filters: Value = serde_json::from_str(&selection.filters()).unwrap();
        let any = json!({"$in": ["abc"]});
        assert_eq!(filters, json!({"$and": [{"$or": [{"name": any}, {"display_name": any}]}, {"group": "g"}, more]}));
        assert_eq!(selection.words(), ["id", "group"]);
    }

    #[test]
    fn orders_are_the_servers() {
        let order = |order| RunSelection { order, ..RunSelection::default() }.order_argument();
        assert_eq!(order(Order::Newest), "-created_at");
        assert_eq!(order(Order::Highest("eval/acc".into())), "-summary_metrics.eval/acc");
        assert_eq!(order(Order::Lowest("loss".into())), "+summary_metrics.loss");
    }
}
