//! YAML files (W&B and Hydra settings, MLflow's `meta.yaml`) as trees.
//!
//! The grammar is read by `saphyr-parser`, the parser of `saphyr`. The tree is built here from its events instead of by
//! saphyr's loader for three reasons: a damaged file keeps what stands before the damage, the loader returns nothing;
//! plain scalars mean what PyYAML reads in them (YAML 1.1), because PyYAML is what wrote and read these files; and
//! nesting and aliases are bounded (docs/decisions/yaml.md).

mod scalar;
mod tree;

use std::borrow::Cow;

use saphyr_parser::Parser;

use crate::json::Json;
use tree::TreeBuilder;

/// What could be read of a file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Yaml {
    /// The values. Of several documents the members are merged, later ones replace earlier ones.
    pub(crate) tree: Json,
    /// What was not read, at most one of each kind, with its line (from 1).
    pub(crate) faults: Vec<(u64, YamlFault)>,
}

/// Why a part of a file was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum YamlFault {
    /// It is not YAML from here on.
    Syntax,
    /// Nesting goes deeper than 64 levels; nothing from here on was read.
    TooDeep,
    /// An alias stands within the value that it repeats; it became `null`.
    AliasOfItself,
    /// Aliases repeat more than 100,000 values; this one and later ones became `null`.
    TooManyAliases,
}

/// Reads a file: what stands before the first line that could not be read, and what was left out.
pub(crate) fn parse(text: &str) -> Yaml {
    let text = with_breaks_of_yaml_1_1(text);
    let mut builder = TreeBuilder::default();
    for event in Parser::new_from_str(&text) {
        let (line, added) = match event {
            Ok((event, span)) => (span.start.line(), builder.add(event)),
            Err(error) => (error.marker().line(), Err(YamlFault::Syntax)),
        };
        let Err(fault) = added else { continue };
        if builder.is_new(fault) {
            // An error at the end of the file stands behind its last line.
            builder.note(line.clamp(1, text.lines().count().max(1)) as u64, fault);
        }
        if matches!(fault, YamlFault::Syntax | YamlFault::TooDeep) {
            break;
        }
    }
    builder.finish()
}

/// The text with the line breaks of YAML 1.1 that YAML 1.2 dropped. PyYAML and Go's `yaml.v3` write U+2028 and U+2029 into
/// quoted texts as they are, and indent what follows; they read U+0085 as any other break.
fn with_breaks_of_yaml_1_1(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{85}', '\u{2028}', '\u{2029}']) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut follows_separator = false;
    for character in text.chars() {
        if follows_separator && matches!(character, ' ' | '\t') {
            continue;
        }
        follows_separator = matches!(character, '\u{2028}' | '\u{2029}');
        out.push(if character == '\u{85}' { '\n' } else { character });
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(yaml: &str, json: &str) {
        assert_eq!(parse(yaml), Yaml { tree: Json::parse(json.as_bytes()).unwrap(), faults: Vec::new() }, "{yaml}");
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
    fn tags_are_read_and_aliases_are_followed() {
        same("a: &x\n  k: 1\nb: *x\nc: !!python/tuple\n- 1\n- 2\n", r#"{"a":{"k":1},"b":{"k":1},"c":[1,2]}"#);
        same(
            "a: !!python/name:torch.float32 ''\nb: !!str 12\nc: !own {d: 1}\n",
            r#"{"a":"torch.float32","b":"12","c":{"d":1}}"#,
        );
        same(
            "a: !!int \"12\"\nb: !!float '1'\nc: ! 12\nd: !!null x\ne: !!bool 'no'\n",
            r#"{"a":12,"b":1,"c":12,"d":null,"e":false}"#,
        );
        same("? !!python/tuple [1, a]\n: 2\n? [[x]]\n: 3\n", r#"{"[1, a]":2,"[…]":3}"#);
    }

    #[test]
    fn mappings_are_merged() {
        same("a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", r#"{"a":{"k":1,"l":2},"b":{"k":1,"l":3}}"#);
        same("a: {l: 3, <<: [{k: 1, l: 2}, {k: 4, m: 5}]}\n", r#"{"a":{"k":1,"l":3,"m":5}}"#);
        same("a: {'<<': {k: 1}}\nb: {<<: 5}\n", r#"{"a":{"<<":{"k":1}},"b":{"<<":5}}"#);
    }

    #[test]
    fn documents_are_merged() {
        same("a: 1\nb: 1\n---\nb: 2\n...\n---\nc: 3\n", r#"{"a":1,"b":2,"c":3}"#);
        same("- 1\n---\nb: 2\n---\ntext\n", r#"{"b":2}"#);
    }

    #[test]
    fn separators_of_yaml_1_1_break_lines() {
        same("a: 'x\u{2028}    y'\nb: |\n  x\u{85}  y\n", "{\"a\":\"x\u{2028}y\",\"b\":\"x\\ny\\n\"}");
    }

    #[test]
    fn nested_and_long_aliases_are_bounded() {
        let mut nested = "a0: &a0 [x, x]\n".to_owned();
        for level in 1..40 {
            nested.push_str(&format!("a{level}: &a{level}\n- *a{0}\n- *a{0}\n", level - 1));
        }
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(100_000));
        for bomb in [nested, long] {
            let Yaml { tree, faults } = parse(&bomb);
            assert_eq!(faults.iter().map(|(_, fault)| *fault).collect::<Vec<_>>(), [YamlFault::TooManyAliases]);
            assert!(tree::size(&tree, 5 * tree::MAX_ALIASED).is_some());
        }
    }

    #[test]
    fn an_alias_within_its_value_is_named() {
        let Yaml { tree, faults } = parse("a: 1\nb: &x [1,\n  *x]\n");
        assert_eq!(tree, Json::parse(br#"{"a":1,"b":[1,null]}"#).unwrap());
        assert_eq!(faults, [(3, YamlFault::AliasOfItself)]);
    }

    #[test]
    fn what_stands_before_the_damage_is_kept() {
        let Yaml { tree, faults } = parse("a: 1\nb:\n  c: 2\n oops\n");
        assert_eq!((tree.get("a"), faults), (Some(&Json::Number(1.0)), vec![(4, YamlFault::Syntax)]));
        let tree = parse("a: [1, 2\nb").tree;
        assert_eq!(tree.get("a").map(|list| matches!(list, Json::List(_))), Some(true));
        assert_eq!(parse("a: [1,\n").faults, [(1, YamlFault::Syntax)]);
        assert_eq!(parse("a: 'x\n").faults, [(1, YamlFault::Syntax)]);
        for text in ["- ".repeat(1000), "[".repeat(1000), "? ".repeat(1000)] {
            assert!(matches!(parse(&text).faults[..], [(1, YamlFault::TooDeep | YamlFault::Syntax)]));
        }
        for text in ["\t", ":", "- -", "?", "a: &", "a: *", "'", "{", "\u{feff}a: 1", "%YAML", "--- !", "a: !<"] {
            parse(text);
        }
    }
}
