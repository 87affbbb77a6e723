//! The tree of a YAML file, out of the parser's events.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use saphyr_parser::{Event, ScalarStyle};

use super::scalar::scalar;
use super::{Yaml, YamlFault};
use crate::json::Json;

/// Deepest nesting read.
const MAX_DEPTH: usize = 64;
/// Values that anchors may store and aliases repeat in all: a few nested ones can stand for billions.
pub(super) const MAX_ALIASED: usize = 100_000;

/// Builds the tree from the parser's events.
#[derive(Default)]
pub(super) struct TreeBuilder {
    open: Vec<OpenNode>,
    read: Yaml,
    /// Values by the number of their anchor.
    anchors: FxHashMap<usize, Json>,
    /// Values stored for anchors and repeated by aliases so far.
    aliased: usize,
}

impl TreeBuilder {
    /// Takes the next event.
    pub(super) fn add(&mut self, event: Event<'_>) -> Result<(), YamlFault> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref();
                if let Some(OpenNode { children: YamlChildren::Mapping(mapping), .. }) = self.open.last_mut()
                    && mapping.key.is_none()
                {
                    // A key stays as it is written.
                    let is_merge = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
                    mapping.key = Some(if is_merge { MappingKey::Merge } else { MappingKey::Text(text.to_string()) });
                    if anchor > 0 {
                        self.keep(anchor, &scalar(text, style, tag));
                    }
                } else {
                    self.place(scalar(text, style, tag), anchor);
                }
            }
            Event::SequenceStart(anchor, _) => self.open(anchor, YamlChildren::List(Vec::new()))?,
            Event::MappingStart(anchor, _) => self.open(anchor, YamlChildren::Mapping(OpenMapping::default()))?,
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => return self.repeat(anchor),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// True until a fault of this kind is noted.
    pub(super) fn is_new(&self, fault: YamlFault) -> bool {
        self.read.faults.iter().all(|(_, noted)| *noted != fault)
    }

    /// Notes a fault.
    pub(super) fn note(&mut self, line: u64, fault: YamlFault) {
        self.read.faults.push((line, fault));
    }

    /// What was read. Nodes without an end hold what came of them.
    pub(super) fn finish(mut self) -> Yaml {
        while !self.open.is_empty() {
            self.close();
        }
        self.read
    }

    fn open(&mut self, anchor: usize, children: YamlChildren) -> Result<(), YamlFault> {
        if self.open.len() >= MAX_DEPTH {
            return Err(YamlFault::TooDeep);
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
        if anchor > 0 {
            self.keep(anchor, &value);
        }
        match (self.open.last_mut(), &mut self.read.tree, value) {
            (Some(node), _, value) => node.add(value),
            (None, Json::Object(members), Json::Object(more)) => members.extend(more),
            // Of several documents those that are mappings count.
            (None, Json::Object(_), _) => {}
            (None, root, value) => *root = value,
        }
    }

    /// Keeps the value of an anchor for its aliases.
    fn keep(&mut self, anchor: usize, value: &Json) {
        if let Some(size) = size(value, MAX_ALIASED.saturating_sub(self.aliased)) {
            self.aliased += size;
            self.anchors.insert(anchor, value.clone());
        }
    }

    /// Places the value of an anchor once more.
    fn repeat(&mut self, anchor: usize) -> Result<(), YamlFault> {
        let room = MAX_ALIASED.saturating_sub(self.aliased);
        // Counted before it is copied: what is refused costs nothing.
        let found = self.anchors.get(&anchor).and_then(|value| Some((size(value, room)?, value)));
        let Some((size, value)) = found else {
            self.place(Json::Null, 0);
            let is_within = self.open.iter().any(|node| node.anchor == anchor);
            return Err(if is_within { YamlFault::AliasOfItself } else { YamlFault::TooManyAliases });
        };
        let value = value.clone();
        self.aliased += size;
        self.place(value, 0);
        Ok(())
    }
}

/// A list or a mapping whose end has not come yet.
struct OpenNode {
    /// Number of its anchor; 0 without one.
    anchor: usize,
    children: YamlChildren,
}

enum YamlChildren {
    List(Vec<Json>),
    Mapping(OpenMapping),
}

#[derive(Default)]
struct OpenMapping {
    members: BTreeMap<String, Json>,
    /// What `<<` adds where the mapping has no key of that name.
    merged: BTreeMap<String, Json>,
    /// The key whose value comes next.
    key: Option<MappingKey>,
}

enum MappingKey {
    Text(String),
    /// `<<`.
    Merge,
}

impl OpenNode {
    fn add(&mut self, value: Json) {
        match &mut self.children {
            YamlChildren::List(values) => values.push(value),
            YamlChildren::Mapping(mapping) => mapping.add(value),
        }
    }

    fn close(self) -> Json {
        match self.children {
            YamlChildren::List(values) => Json::List(values),
            YamlChildren::Mapping(mapping) => mapping.close(),
        }
    }
}

impl OpenMapping {
    fn add(&mut self, value: Json) {
        match (self.key.take(), value) {
            // A key that is no scalar, or that an alias repeats.
            (None, value) => self.key = Some(MappingKey::Text(value.into_key())),
            (Some(MappingKey::Text(key)), value) => _ = self.members.insert(key, value),
            (Some(MappingKey::Merge), Json::Object(more)) => self.merged.extend(more),
            (Some(MappingKey::Merge), Json::List(values)) if values.iter().all(is_object) => {
                // Of several mappings the first counts.
                self.merged.extend(values.into_iter().rev().flat_map(into_members));
            }
            // PyYAML refuses to merge anything else: it stays a member.
            (Some(MappingKey::Merge), value) => _ = self.members.insert("<<".to_owned(), value),
        }
    }

    fn close(mut self) -> Json {
        if self.key.is_some() {
            self.add(Json::Null);
        }
        let mut members = self.merged;
        members.extend(self.members);
        Json::Object(members)
    }
}

fn is_object(value: &Json) -> bool {
    matches!(value, Json::Object(_))
}

fn into_members(value: Json) -> BTreeMap<String, Json> {
    match value {
        Json::Object(members) => members,
        _ => BTreeMap::new(),
    }
}

/// Size of a tree in values, when it is at most `limit`. A long text counts as one value for each 64 bytes.
pub(super) fn size(value: &Json, limit: usize) -> Option<usize> {
    let of_text = |text: &str| 1 + text.len() / 64;
    let add = |sum: usize, value: &Json| Some(sum + size(value, limit.checked_sub(sum)?)?);
    let total = match value {
        Json::List(values) => values.iter().try_fold(1, add),
        Json::Object(members) => members.iter().try_fold(1, |sum, (key, value)| add(sum + of_text(key) - 1, value)),
        Json::Text(text) | Json::BigInteger(text) => Some(of_text(text)),
        Json::Null | Json::Bool(_) | Json::Number(_) => Some(1),
    };
    total.filter(|total| *total <= limit)
}
