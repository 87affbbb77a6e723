//! Private keys that fill many lines: PEM, PGP, SSH, PuTTY. Also in one line, with `\n` for its ends.

use std::ops::Range;

/// Longest name between the dashes of a first line.
const LONGEST_LABEL: usize = 48;

pub(super) fn find(text: &str, secrets: &mut Vec<Range<usize>>) {
    dashed(text, secrets);
    putty(text, secrets);
}

/// From `-----BEGIN … PRIVATE KEY` to the last line, or to the end of the text.
fn dashed(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, begin) in text.match_indices("BEGIN ") {
        let block = text.get(start + begin.len()..).unwrap_or_default();
        if start < done || !text.get(..start).unwrap_or_default().trim_end_matches(' ').ends_with("---") {
            continue;
        }
        let label: String = block.chars().take(LONGEST_LABEL).take_while(|c| *c != '-').collect();
        if !is_private(&label) {
            continue;
        }
        let length = block.find("END ").map_or(block.len(), |end| {
            let last_line = block.get(end..).unwrap_or_default();
            last_line.find("---").map_or(block.len(), |dashes| {
                let rest = last_line.get(dashes..).unwrap_or_default();
                end + dashes + rest.len() - rest.trim_start_matches('-').len()
            })
        });
        let dashes = text.get(..start).unwrap_or_default().trim_end_matches([' ', '-']).len();
        let indent = text.get(dashes..start).unwrap_or_default().find('-').unwrap_or_default();
        done = start + begin.len() + length;
        secrets.push(dashes + indent..done);
    }
}

/// True for the name of a private key between the dashes.
pub(super) fn is_private(label: &str) -> bool {
    let label = label.trim_end().to_ascii_uppercase();
    label.ends_with("PRIVATE KEY") || label.ends_with("PRIVATE KEY BLOCK")
}

/// From `PuTTY-User-Key-File` to the end of the line `Private-MAC`, or of the text.
fn putty(text: &str, secrets: &mut Vec<Range<usize>>) {
    let mut done = 0;
    for (start, _) in text.match_indices(PUTTY_FIRST) {
        if start < done {
            continue;
        }
        let block = text.get(start..).unwrap_or_default();
        let last = block.find(PUTTY_LAST).unwrap_or(block.len());
        let rest = block.get(last..).unwrap_or_default();
        let end = rest.find(['\n', '"']).or_else(|| rest.find("\\n")).unwrap_or(rest.len());
        done = start + last + end;
        secrets.push(start..done);
    }
}

pub(super) const PUTTY_FIRST: &str = "PuTTY-User-Key-File-";
pub(super) const PUTTY_LAST: &str = "Private-MAC:";
