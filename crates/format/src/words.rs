//! Counts and the words around them.

use super::tick::grouped;

/// A count and its noun, whose plural has an s: `1 run`, `27 runs`, `12,040 files`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", whole(count), plural(count, "", "s"))
}

/// A count alone: `27`, `12,040`.
pub fn whole(count: usize) -> String {
    grouped(&count.to_string())
}

/// How many of all are done: `120 of 2,000 files`.
pub fn done_of(done: usize, count: usize, noun: &str) -> String {
    format!("{} of {}", grouped(&done.min(count).to_string()), counted(count, noun))
}

/// The form of a word that goes with a count: `plural(1, "is", "are")` is `is`.
pub fn plural<'w>(count: usize, one: &'w str, many: &'w str) -> &'w str {
    if count == 1 { one } else { many }
}

/// A sentence or name to stand within another: abbreviations, such as KL, and names stay as they are.
pub fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if !second.is_uppercase() && !text.starts_with("Elo ") => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// A name for a file on every system: letters, digits, dots and dashes, at most 80 of them, none of the names that
/// Windows keeps for devices, no dot at either end.
pub fn file_name(words: &str) -> String {
    let mut name = String::new();
    for character in words.chars().take(80) {
        if character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-') {
            name.push(character);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches(['-', '.']);
    match name {
        "" => "runs".to_owned(),
        name if is_device(name) => format!("_{name}"),
        name => name.to_owned(),
    }
}

/// True for `CON`, `com1.txt` and the like: Windows opens a device by such a name, whatever its ending.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT"));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || numbered.is_some_and(|number| number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_hold_no_path() {
        assert_eq!(file_name("amber-18"), "amber-18");
        assert_eq!(file_name("../a b/c"), "a-b-c");
        assert_eq!(file_name("···"), "runs");
        assert_eq!(file_name(""), "runs");
        assert_eq!(file_name("a\u{202e}gpj.exe\u{1b}[31m. "), "a-gpj.exe-31m");
        let devices = ["CON", "nul", "com1.csv", "LPT9", "Aux.tar.gz"].map(file_name);
        assert_eq!(devices, ["_CON", "_nul", "_com1.csv", "_LPT9", "_Aux.tar.gz"]);
        assert_eq!(["console", "com", "com10", "aux-1"].map(file_name), ["console", "com", "com10", "aux-1"]);
        assert!(file_name(&"x".repeat(300)).len() <= 80);
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!(
            [0, 1, 27, 12_040].map(|count| counted(count, "run")),
            ["0 runs", "1 run", "27 runs", "12,040 runs"]
        );
        let names = ["Reward break", "KL blow-up", "Elo stagnant", "A gain"].map(lower_first);
        assert_eq!(names, ["reward break", "KL blow-up", "Elo stagnant", "a gain"]);
    }
}
