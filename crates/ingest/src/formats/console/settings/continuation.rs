//! Which lines go on a dictionary that `pprint` wrote.

/// True for a line as `pprint` goes on: indented, then a key or an item of a list.
pub(super) fn is_continuation(line: &str) -> bool {
    let value = line.trim_start_matches(' ');
    value.len() < line.len() && is_value(value) && !line.contains("%|")
}

/// True for the rest of a line that was cut between a key and its value, behind a comma or an opening bracket, or before a comma or
/// closing brackets, as Ray does with what is written in pieces: it begins in the first column.
pub(super) fn goes_on(block: &str, line: &str) -> bool {
    let is_end = !line.is_empty() && line.chars().all(|letter| ",)]}".contains(letter));
    match block.trim_end().chars().next_back() {
        Some(':' | '{' | '[' | '(') => is_value(line) || is_end,
        // Other lines may begin with a bracket (`[transformers] …`) or the time.
        Some(',') => is_end || line.starts_with('\''),
        Some('\'') => line.starts_with(':') || is_end,
        Some(_) => is_end,
        None => false,
    }
}

fn is_value(text: &str) -> bool {
    let is_word = ["None", "True", "False", "nan", "inf"].iter().any(|word| text.starts_with(word));
    is_word || text.starts_with(|first: char| "'\"([{<-".contains(first) || first.is_ascii_digit())
}
