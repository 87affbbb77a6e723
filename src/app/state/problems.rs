//! How many files had problems, in a few words: the same wherever it is said.

use rundown_format::plural;
use rundown_protocol::ProblemRow;

/// Files that lost something, else files with a remark; `None` where there are neither.
pub fn summary(problems: &[ProblemRow]) -> Option<String> {
    match (files(problems, true), files(problems, false)) {
        (0, 0) => None,
        (0, remarks) => Some(format!("{remarks} {}", plural(remarks, "file with a note", "files with notes"))),
        (lost, _) => Some(format!("{lost} {}", plural(lost, "file had problems", "files had problems"))),
    }
}

/// How many files have problems of a kind.
pub fn files(problems: &[ProblemRow], lost: bool) -> usize {
    let mut files: Vec<&str> = problems.iter().filter(|row| row.lost == lost).map(|row| row.file.as_str()).collect();
    // The engine lists them by file.
    files.dedup();
    files.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: &str, lost: bool) -> ProblemRow {
        ProblemRow { file: file.to_owned(), place: String::new(), text: String::new(), lost }
    }

    #[test]
    fn a_file_counts_once() {
        let rows = [row("a", true), row("a", true), row("a", false), row("b", true)];
        assert_eq!(summary(&rows).as_deref(), Some("2 files had problems"));
        assert_eq!(summary(&[row("a", false)]).as_deref(), Some("1 file with a note"));
        assert_eq!(summary(&[]), None);
    }
}
