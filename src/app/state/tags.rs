//! Words that the user puts on runs. This browser remembers them by the runs' ids; they are no part of a link.

use std::collections::BTreeMap;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Most tags of a run, and most characters of one.
const MAX_TAGS: usize = 8;
const LONGEST: usize = 24;

/// Tags by id of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tags(BTreeMap<String, Vec<String>>);

impl Tags {
    /// The tags of a run.
    pub fn of(&self, id: &str) -> &[String] {
        self.0.get(id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Sets the tags of a run to the words of a text, which spaces or commas separate.
    pub fn set(&mut self, id: &str, text: &str) {
        let mut tags: Vec<String> = Vec::new();
        for word in text.split([',', ' ', '\t', '\n']) {
            let tag: String = word.chars().take(LONGEST).collect();
            if !tag.is_empty() && !tags.contains(&tag) && tags.len() < MAX_TAGS {
                tags.push(tag);
            }
        }
        if tags.is_empty() {
            self.0.remove(id);
        } else {
            self.0.insert(id.to_owned(), tags);
        }
    }

    /// Reads what [`Tags::written`] wrote; a line that can't be read is left out.
    pub fn read(text: &str) -> Self {
        let mut tags = Self::default();
        for (id, words) in text.lines().filter_map(|line| line.split_once(' ')) {
            tags.set(&decoded(id), &words.split(' ').map(decoded).collect::<Vec<_>>().join(" "));
        }
        tags
    }

    /// A line a run: its id and its tags.
    pub fn written(&self) -> String {
        let line = |(id, tags): (&String, &Vec<String>)| {
            let words = std::iter::once(id).chain(tags).map(|word| encoded(word));
            words.collect::<Vec<_>>().join(" ")
        };
        self.0.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// A text whose characters stand as they were before they were encoded for an address or a line.
pub fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_words() {
        let mut tags = Tags::default();
        tags.set("a", " paper, best  best,\tünï ");
        assert_eq!(tags.of("a"), ["paper", "best", "ünï"]);
        assert!(tags.of("b").is_empty());
        tags.set("a", &"x".repeat(100));
        assert_eq!(tags.of("a"), ["x".repeat(LONGEST)]);
        tags.set("a", "1 2 3 4 5 6 7 8 9 10");
        assert_eq!(tags.of("a").len(), MAX_TAGS);
        tags.set("a", " , ");
        assert_eq!(tags, Tags::default());
    }

    #[test]
    fn tags_are_read_as_they_were_written() {
        let mut tags = Tags::default();
        tags.set("a b\nc (2)", "100% über");
        tags.set("z", "kept");
        assert_eq!(Tags::read(&tags.written()), tags);
        assert_eq!(Tags::read(""), Tags::default());
        assert_eq!(Tags::read("no-tags\n \nz kept"), Tags::read("z kept"));
    }
}
