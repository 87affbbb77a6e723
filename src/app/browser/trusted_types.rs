//! The page's default policy of trusted types: the markup of Leptos' templates, and nothing that could run.
//!
//! The content security policy demands trusted types for every sink that could run a script. Leptos makes elements that
//! never change from markup (`template.innerHTML`); this policy lets such markup through: the elements that views are
//! made of, without handlers. Scripts and addresses of scripts have no rule here, so that they are refused.

use js_sys::{Function, Object, Reflect, global};
use wasm_bindgen::prelude::*;

/// Elements that can load or run something, attributes that can, and addresses that are scripts.
const REFUSED: [&str; 9] =
    ["<script", "<iframe", "<object", "<embed", "<link", "<meta", "<base", "javascript:", "srcdoc"];

/// Makes the policy. Call it once, before the first view. A browser without trusted types needs none.
pub fn allow_templates() {
    let Ok(factory) = Reflect::get(&global(), &"trustedTypes".into()) else { return };
    if factory.is_undefined() {
        return;
    }
    let rules = Object::new();
    let check = Closure::<dyn Fn(String) -> Result<JsValue, JsValue>>::new(|markup: String| {
        if is_harmless(&markup) { Ok(markup.into()) } else { Err("markup that could run something".into()) }
    });
    let _ = Reflect::set(&rules, &"createHTML".into(), &check.into_js_value());
    let create = Reflect::get(&factory, &"createPolicy".into()).and_then(|create| create.dyn_into::<Function>());
    if let Ok(create) = create {
        // A policy that is refused leaves the page without templates: the browser then says so in its console.
        let _ = create.call2(&factory, &"default".into(), &rules);
    }
}

fn is_harmless(markup: &str) -> bool {
    let markup = markup.to_ascii_lowercase();
    let handler =
        markup.split(|letter: char| letter.is_ascii_whitespace() || letter == '/' || letter == '"').any(|word| {
            let name = word.split('=').next().unwrap_or_default();
            word.contains('=') && name.starts_with("on") && name.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
    !handler && !REFUSED.iter().any(|refused| markup.contains(refused))
}
