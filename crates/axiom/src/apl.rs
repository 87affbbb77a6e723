//! APL text from the name of a data set that a user typed, so that it cannot change what the query does.

/// The query for the events of a data set, oldest first.
pub(super) fn events_query(dataset: &str, limit: u32) -> String {
    format!("[{}] | order by _time asc | limit {limit}", quoted(dataset))
}

/// A string literal of APL (Kusto's): backslashes and quotes escaped, control characters left out.
fn quoted(text: &str) -> String {
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
    fn a_name_stays_in_its_quotes() {
        let query = events_query("train'] | union\n ['other\\", 1);
        assert_eq!(query, r"['train\'] | union [\'other\\'] | order by _time asc | limit 1");
    }
}
