//! Finds metrics by words or, between slashes, by a regular expression. The browser has an engine for those.

use js_sys::{Array, Function, Reflect, RegExp};
use wasm_bindgen::JsCast;

use super::search::{Search, pattern};

/// A search, ready to be matched.
pub enum Finder {
    /// Words.
    Words(Search),
    /// A regular expression.
    Pattern(RegExp),
    /// Not a regular expression: finds everything.
    Invalid,
}

impl Finder {
    /// Reads what the user typed.
    pub fn new(typed: &str) -> Self {
        let Some(pattern) = pattern(typed) else { return Finder::Words(Search::new(typed)) };
        match regex(pattern) {
            Some(regex) => Finder::Pattern(regex),
            None => Finder::Invalid,
        }
    }

    /// True when `key` is found.
    pub fn finds(&self, key: &str) -> bool {
        match self {
            Finder::Words(search) => search.finds(key),
            Finder::Pattern(regex) => regex.test(key),
            Finder::Invalid => true,
        }
    }

    /// True when nothing is searched for.
    pub fn is_empty(&self) -> bool {
        matches!(self, Finder::Words(search) if search.is_empty())
    }

    /// True when what was typed is not a regular expression, though it stands between slashes.
    pub fn is_invalid(&self) -> bool {
        matches!(self, Finder::Invalid)
    }
}

/// `RegExp::new` of js-sys lets the exception of a bad pattern through; this catches it.
fn regex(pattern: &str) -> Option<RegExp> {
    let constructor = Reflect::get(&js_sys::global(), &"RegExp".into()).ok()?;
    let arguments = Array::of2(&pattern.into(), &"i".into());
    let constructor: &Function = constructor.dyn_ref()?;
    Reflect::construct(constructor, &arguments).ok()?.dyn_into().ok()
}
