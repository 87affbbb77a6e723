//! YAML files (W&B and Hydra settings, MLflow's `meta.yaml`) as trees.
//!
//! The grammar is read by `saphyr-parser`, the parser of `saphyr`. The tree is built here from its events instead of by
//! saphyr's loader for three reasons: a damaged file keeps what stands before the damage, the loader returns nothing;
//! plain scalars mean what PyYAML reads in them (YAML 1.1), because PyYAML is what wrote and read these files; and
//! nesting and aliases are bounded (docs/decisions/yaml.md).

mod scalar;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use crate::ingest::json::Json;

/// Deepest nesting read.
const MAX_DEPTH: usize = 64;
/// Values that anchors may store and aliases repeat in all: a few nested ones can stand for billions.
const MAX_ALIASED: usize = 100_000;

/// Reads a file: what stands before the first line that could not be read, and that line (from 1).
///
/// Of several documents the members are merged, later ones replace earlier ones; tags other than `!!str` are ignored.
pub(crate) fn parse(text: &str) -> (Json, Option<u64>) {
    let mut tree = TreeBuilder::default();
    let mut damaged_line = None;
    for event in Parser::new_from_str(text) {
        let line = match event {
            Ok((event, span)) => match tree.add(event) {
                Ok(()) => continue,
                Err(TooDeep) => span.start.line(),
            },
            Err(error) => error.marker().line(),
        };
        // An error at the end of the file stands behind its last line.
        damaged_line = Some(line.clamp(1, text.lines().count().max(1)) as u64);
        break;
    }
    (tree.finish(), damaged_line)
}

/// Nesting beyond [`MAX_DEPTH`].
struct TooDeep;

/// A list or a mapping whose end has not come yet.
struct OpenNode {
    /// Number of its anchor; 0 without one.
    anchor: usize,
    children: YamlChildren,
}

enum YamlChildren {
    List(Vec<Json>),
    /// Members, and the key whose value comes next.
    Mapping(BTreeMap<String, Json>, Option<String>),
}

impl OpenNode {
    fn add(&mut self, value: Json) {
        match &mut self.children {
            YamlChildren::List(values) => values.push(value),
            YamlChildren::Mapping(members, next_key) => match next_key.take() {
                None => *next_key = Some(key_text(value)),
                Some(key) if key == "<<" => merge(members, value),
                Some(key) => {
                    members.insert(key, value);
                }
            },
        }
    }

    fn close(self) -> Json {
        match self.children {
            YamlChildren::List(values) => Json::List(values),
            YamlChildren::Mapping(mut members, next_key) => {
                if let Some(key) = next_key {
                    members.insert(key, Json::Null);
                }
                Json::Object(members)
            }
        }
    }

    /// True where the next scalar is a key, which stays as it is written.
    fn expects_key(&self) -> bool {
        matches!(self.children, YamlChildren::Mapping(_, None))
    }
}

/// Builds the tree from the parser's events.
#[derive(Default)]
struct TreeBuilder {
    open: Vec<OpenNode>,
    root: Json,
    /// Values by the number of their anchor.
    anchors: FxHashMap<usize, Json>,
    /// Values stored for anchors and repeated by aliases so far.
    aliased: usize,
}

impl TreeBuilder {
    fn add(&mut self, event: Event<'_>) -> Result<(), TooDeep> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = self.open.last().is_some_and(OpenNode::expects_key);
                let is_text = is_key || style != ScalarStyle::Plain || tag.is_some_and(|tag| is_string_tag(&tag));
                let value = if is_text { Json::Text(text.into_owned()) } else { scalar::plain(&text) };
                self.place(value, anchor);
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, YamlChildren::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => self.open(anchor, YamlChildren::Mapping(BTreeMap::new(), None))?,
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let value = self.repeated(anchor);
                self.place(value, 0);
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// The tree, in which nodes without an end hold what came of them.
    fn finish(mut self) -> Json {
        while !self.open.is_empty() {
            self.close();
        }
        self.root
    }

    fn open(&mut self, anchor: usize, children: YamlChildren) -> Result<(), TooDeep> {
        if self.open.len() >= MAX_DEPTH {
            return Err(TooDeep);
        }
        self.open.push(OpenNode { anchor, children });
        Ok(())
    }

    fn close(&mut self) {
        if let Some(node) = self.open.pop() {
            let anchor = node.anchor;
            self.place(node.close(), anchor);
        }
    }

    /// Puts a value where it belongs: into the open node, or at the root.
    fn place(&mut self, value: Json, anchor: usize) {
        if anchor > 0 && self.spend(&value) {
            self.anchors.insert(anchor, value.clone());
        }
        match (self.open.last_mut(), &mut self.root, value) {
            (Some(node), _, value) => node.add(value),
            (None, Json::Object(members), Json::Object(more)) => members.extend(more),
            (None, root @ Json::Null, value) => *root = value,
            (None, ..) => {}
        }
    }

    /// The value of an anchor; `null` within the anchor's own value, and beyond [`MAX_ALIASED`].
    fn repeated(&mut self, anchor: usize) -> Json {
        let Some(value) = self.anchors.get(&anchor).cloned() else { return Json::Null };
        if self.spend(&value) { value } else { Json::Null }
    }

    /// Counts a value against [`MAX_ALIASED`]; false when it goes beyond.
    fn spend(&mut self, value: &Json) -> bool {
        let size = size(value, MAX_ALIASED.saturating_sub(self.aliased));
        self.aliased += size.unwrap_or(0);
        size.is_some()
    }
}

/// Members of a mapping, or of a list of them, that `<<` adds where the key is not there yet.
fn merge(members: &mut BTreeMap<String, Json>, value: Json) {
    match value {
        Json::Object(more) => {
            for (key, value) in more {
                members.entry(key).or_insert(value);
            }
        }
        Json::List(values) => values.into_iter().filter(|value| matches!(value, Json::Object(_))).for_each(|value| {
            merge(members, value);
        }),
        _ => {}
    }
}

/// The text of a key. Lists and mappings, which PyYAML refuses as keys, are not written out: written into each other
/// they would grow exponentially, by the escapes of their quotes.
fn key_text(key: Json) -> String {
    match key {
        Json::Text(text) | Json::BigInteger(text) => text,
        Json::List(_) => "[…]".to_owned(),
        Json::Object(_) => "{…}".to_owned(),
        other => other.into_config_value().to_string(),
    }
}

fn is_string_tag(tag: &Tag) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == "str"
}

/// Number of values in a tree, when it is at most `limit`.
fn size(value: &Json, limit: usize) -> Option<usize> {
    let add = |sum: usize, value: &Json| Some(sum + size(value, limit.checked_sub(sum)?)?);
    let total = match value {
        Json::List(values) => values.iter().try_fold(1, add),
        Json::Object(members) => members.values().try_fold(1, add),
        _ => Some(1),
    };
    total.filter(|total| *total <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(yaml: &str, json: &str) {
        assert_eq!(parse(yaml), (Json::parse(json.as_bytes()).unwrap(), None), "{yaml}");
    }

    #[test]
    fn settings_are_read_as_the_tools_write_them() {
        same(
            "a: 1\nb:\n  c: 1e-05\n  d:\n    - x\n    - 2\ne: null\n",
            r#"{"a":1,"b":{"c":1e-5,"d":["x",2]},"e":null}"#,
        );
        same(
            "---\r\na:\r\n- 1\r\n- b: 2\r\n  c: 3\r\n- - 4\r\n# end\r\nd: .inf # huge\r\n",
            r#"{"a":[1,{"b":2,"c":3},[4]],"d":Infinity}"#,
        );
        same(
            "a: []\nb: {}\nc: [1, 'x', null]\nd: {k: v}\ne: [1,\n  2]\n",
            r#"{"a":[],"b":{},"c":[1,"x",null],"d":{"k":"v"},"e":[1,2]}"#,
        );
        same("a:\nb: ~\nc: ''\nd: true\ne: 'yes'\n", r#"{"a":null,"b":null,"c":"","d":true,"e":"yes"}"#);
        same("model: ${base.name}\n1: x\nnull: y\n", r#"{"model":"${base.name}","1":"x","null":"y"}"#);
        same("", "null");
        same("# nothing\n", "null");
    }

    #[test]
    fn texts_may_be_quoted_and_long() {
        same(
            "a: 'it''s: #1'\nb: \"x\\ny \\u00e9 \\\"q\\\"\"\n\"c d\": http://x:1/y#z\n",
            r#"{"a":"it's: #1","b":"x\ny é \"q\"","c d":"http://x:1/y#z"}"#,
        );
        same(
            "a: one\n  two\n  three\nb: 'one\n  two'\nc: \"x\\\n  y\"\n",
            r#"{"a":"one two three","b":"one two","c":"xy"}"#,
        );
        same(
            "a: |\n  one\n    two\n\n  # three\nb: >-\n  one\n  two\nc: |-\n  x\n",
            r##"{"a":"one\n  two\n\n# three\n","b":"one two","c":"x"}"##,
        );
    }

    #[test]
    fn tags_are_ignored_and_aliases_are_followed() {
        same("a: &x\n  k: 1\nb: *x\nc: !!python/tuple\n- 1\n- 2\n", r#"{"a":{"k":1},"b":{"k":1},"c":[1,2]}"#);
        same("a: !!python/name:torch.float32 ''\nb: !!str 12\nc: !own {d: 1}\n", r#"{"a":"","b":"12","c":{"d":1}}"#);
        same("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", r#"{"a":{"k":1,"l":2},"b":{"k":1,"l":3}}"#);
        same("a: &x [1, *x]\n", r#"{"a":[1,null]}"#);
    }

    #[test]
    fn documents_are_merged() {
        same("a: 1\nb: 1\n---\nb: 2\n...\n---\nc: 3\n", r#"{"a":1,"b":2,"c":3}"#);
    }

    #[test]
    fn nested_aliases_are_bounded() {
        let mut bomb = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            bomb.push_str(&format!("a{level}: &a{level}\n- *a{0}\n- *a{0}\n", level - 1));
        }
        let (tree, damaged_line) = parse(&bomb);
        assert_eq!(damaged_line, None);
        assert!(size(&tree, 3 * MAX_ALIASED).is_some());
    }

    #[test]
    fn what_stands_before_the_damage_is_kept() {
        let (tree, damaged_line) = parse("a: 1\nb:\n  c: 2\n oops\n");
        assert_eq!((tree.get("a"), damaged_line), (Some(&Json::Number(1.0)), Some(4)));
        let (tree, _) = parse("a: [1, 2\nb");
        assert_eq!(tree.get("a").map(|list| matches!(list, Json::List(_))), Some(true));
        assert_eq!(parse("a: [1,\n").1, Some(1));
        assert_eq!(parse("a: 'x\n").1, Some(1));
        for text in ["- ".repeat(1000), "[".repeat(1000), "? ".repeat(1000)] {
            assert!(parse(&text).1.is_some());
        }
        for text in ["\t", ":", "- -", "?", "a: &", "a: *", "'", "{", "\u{feff}a: 1", "%YAML", "--- !", "a: !<"] {
            parse(text);
        }
    }
}
