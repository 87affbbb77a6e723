//! What a pasted text is: the address of runs on a W&B server, or the content of a file, and of which kind.

/// What was pasted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pasted {
    /// An address of a W&B server.
    Address(String),
    /// The content of a file with this ending.
    File(&'static str),
}

/// Lines that are looked at.
const LINES: usize = 20;

/// What a text is; `None` for a few words without numbers, which are no run.
pub fn recognise(text: &str) -> Option<Pasted> {
    let text = text.trim();
    if is_address(text) {
        return Some(Pasted::Address(text.to_owned()));
    }
    let is_data = text.contains('\n') || text.starts_with(['{', '[']);
    if !is_data || !text.contains(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    Some(Pasted::File(ending(text)))
}

fn is_address(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let (host, path) = rest.unwrap_or(text).split_once('/').unwrap_or((rest.unwrap_or(text), ""));
    let has_runs = rest.is_some() && (path.contains("/runs/") || path.ends_with("/workspace"));
    (host.contains("wandb") && host.contains('.') && !path.is_empty()) || has_runs
}

fn ending(text: &str) -> &'static str {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(LINES).collect();
    // Python writes its objects with other quotes.
    let opens = |text: &str| text.strip_prefix('{').is_some_and(|rest| rest.trim_start().starts_with('"'));
    if lines.iter().all(|line| opens(line) && line.ends_with('}')) {
        return "jsonl";
    }
    let is_list = text.strip_prefix('[').is_some_and(|rest| opens(rest.trim_start()));
    if (opens(text) && text.ends_with('}')) || (is_list && text.ends_with(']')) {
        return "json";
    }
    if is_table(&lines) { "csv" } else { "log" }
}

/// True where every line has as many separators as the first one, which names columns.
fn is_table(lines: &[&str]) -> bool {
    let Some((head, rest)) = lines.split_first() else { return false };
    let is_same = |separator: char| {
        let columns = head.matches(separator).count();
        columns > 0 && rest.iter().all(|line| line.matches(separator).count() == columns)
    };
    let names = head.split([',', ';', '\t']).all(|name| name.trim().parse::<f64>().is_err());
    names && !rest.is_empty() && [',', ';', '\t'].into_iter().any(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_are_recognised() {
        for address in [
            "https://wandb.ai/corpus/tiny-grpo",
            " https://wandb.ai/corpus/tiny-grpo/runs/abc?nw=1\n",
            "wandb.ai/corpus/tiny-grpo/workspace",
            "https://wandb.lab.example/corpus/tiny-grpo",
            "http://10.0.0.7:8080/corpus/tiny-grpo/runs/abc",
        ] {
            assert_eq!(recognise(address), Some(Pasted::Address(address.trim().to_owned())), "{address}");
        }
        for other in ["https://example.org/a/b", "wandb", "see https://wandb.ai/a/b for 3 runs", "a/b"] {
            assert!(!matches!(recognise(other), Some(Pasted::Address(_))), "{other}");
        }
    }

    #[test]
    fn files_are_told_apart_by_their_look() {
        let kind = |text| match recognise(text) {
            Some(Pasted::File(ending)) => ending,
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(kind("step,loss\n1,2\n2,3\n"), "csv");
        assert_eq!(kind("step\tloss\n1\t2"), "csv");
        assert_eq!(kind("{\"step\": 1}\n{\"step\": 2}\n"), "jsonl");
        assert_eq!(kind("{\"loss\": 0.5}"), "jsonl");
        assert_eq!(kind("{\n  \"log_history\": [1]\n}"), "json");
        assert_eq!(kind("[{\"step\": 1}]"), "json");
        assert_eq!(kind("{'loss': 0.5, 'epoch': 1}\nsaving\n{'loss': 0.4, 'epoch': 2}"), "log");
        assert_eq!(kind("step 1, loss 2\nstep 2, loss 3, done"), "log");
        assert_eq!(kind("1,2\n3,4"), "log", "a table without names of columns");
    }

    #[test]
    fn a_few_words_are_nothing() {
        for words in ["", "  ", "amber-07", "what a run", "two\nlines"] {
            assert_eq!(recognise(words), None, "{words}");
        }
    }
}
