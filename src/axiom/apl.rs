//! APL text from names and filters that a user typed, so that none of them can change what the query does.

/// A query for the events of a window of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventQuery {
    /// Name of the data set.
    pub dataset: String,
    /// Field and text that must be equal.
    pub equal: Vec<(String, String)>,
    /// Fields wanted; all without one. `_time` always comes.
    pub fields: Vec<String>,
    /// Events at most.
    pub limit: u32,
}

impl EventQuery {
    /// The query's text, oldest events first.
    pub fn to_apl(&self) -> String {
        let mut apl = format!("[{}]", quoted(&self.dataset));
        for (field, value) in &self.equal {
            apl.push_str(&format!(" | where [{}] == {}", quoted(field), quoted(value)));
        }
        apl.push_str(" | order by _time asc");
        if !self.fields.is_empty() {
            let fields: Vec<String> = self.fields.iter().map(|field| format!("[{}]", quoted(field))).collect();
            apl.push_str(&format!(" | project _time, {}", fields.join(", ")));
        }
        apl.push_str(&format!(" | limit {}", self.limit.max(1)));
        apl
    }
}

/// A string literal of APL (Kusto's): backslashes and quotes escaped, control characters left out.
pub fn quoted(text: &str) -> String {
    let mut literal = String::from("'");
    for character in text.chars().filter(|character| !character.is_control()) {
        if matches!(character, '\'' | '\\') {
            literal.push('\\');
        }
        literal.push(character);
    }
    literal.push('\'');
    literal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_stay_in_their_quotes() {
        let query = EventQuery {
            dataset: "train'] | union ['other".into(),
            equal: vec![("run.id".into(), "a' or 1==1 //\n".into())],
            fields: vec!["event".into()],
            limit: 0,
        };
        assert_eq!(
            query.to_apl(),
            r"['train\'] | union [\'other'] | where ['run.id'] == 'a\' or 1==1 //' | order by _time asc | project _time, ['event'] | limit 1"
        );
    }
}
