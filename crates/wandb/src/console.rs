//! Console lines as the server keeps them.

use super::client::{at, nodes};
use rundown_ingest::json::Json;
use rundown_run::{Log, LogLine, Stream};

/// The lines in the node of a run.
pub(crate) fn log(node: &Json) -> Log {
    let mut log = Log::default();
    let Some(connection) = node.get("logLines") else { return log };
    let Some((lines, _)) = nodes(connection) else { return log };
    let count = at(node, &["logLineCount"]).and_then(Json::metric).filter(|count| *count >= 0.0);
    log.dropped = count.map_or(0, |count| (count as u64).saturating_sub(lines.len() as u64));
    for line in lines {
        let is_error = line.text_at("level").is_some_and(|level| level.eq_ignore_ascii_case("error"));
        let text = line.text_at("line").unwrap_or_default().trim_end().to_owned();
        log.push(LogLine { stream: if is_error { Stream::Error } else { Stream::Out }, text });
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_order_and_say_how_many_are_missing() {
        let node = r#"{"logLineCount": 10, "logLines": {"edges": [
            {"node": {"number": 8, "level": null, "line": "step 8\n"}},
            {"node": {"number": 9, "level": "error", "line": "Traceback"}}]}}"#;
        let log = log(&Json::parse(node.as_bytes()).unwrap());
        let lines: Vec<_> = log.lines.iter().map(|line| (line.stream, line.text.as_str())).collect();
        assert_eq!(lines, [(Stream::Out, "step 8"), (Stream::Error, "Traceback")]);
        assert_eq!(log.dropped, 8);
    }
}
