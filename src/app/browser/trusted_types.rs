//! The page's policies of trusted types: `default` lets the markup of Leptos' templates through and nothing that could
//! run, `rundown` the addresses of the page's two workers.
//!
//! The content security policy demands trusted types for every sink that could run a script. Leptos makes elements that
//! never change from markup (`template.innerHTML`); this policy lets such markup through: the elements that views are
//! made of, without handlers. Scripts and addresses of scripts have no rule in it, so that they are refused.

use std::cell::OnceCell;

use js_sys::{Function, Object, Reflect, global};
use wasm_bindgen::prelude::*;

use super::site::site_url;

/// The script that keeps the page on the device.
pub const SERVICE_WORKER: &str = "sw.js";

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

/// The address of a worker's script as the browser demands it; as it is where the browser has no trusted types.
///
/// # Errors
/// For any address but a blob's and the service worker's.
pub fn script_url(url: &str) -> Result<JsValue, JsValue> {
    thread_local! {
        // A name can be used for one policy only, and the engine may be started again.
        static POLICY: OnceCell<TrustedTypePolicy> = const { OnceCell::new() };
    }
    let factory = Reflect::get(&global(), &"trustedTypes".into())?;
    if factory.is_undefined() {
        return Ok(JsValue::from_str(url));
    }
    POLICY.with(|cell| {
        if let Some(policy) = cell.get() {
            return policy.create_script_url(url);
        }
        let check = Closure::<dyn Fn(String) -> Result<JsValue, JsValue>>::new(|url: String| {
            let is_known = url.starts_with("blob:") || site_url(SERVICE_WORKER).is_ok_and(|known| known == url);
            if is_known { Ok(url.into()) } else { Err("not the script of a worker of this page".into()) }
        });
        let rules = Object::new();
        Reflect::set(&rules, &"createScriptURL".into(), &check.into_js_value())?;
        let policy = factory.unchecked_ref::<TrustedTypePolicyFactory>().create_policy("rundown", &rules)?;
        cell.get_or_init(|| policy).create_script_url(url)
    })
}

#[wasm_bindgen]
extern "C" {
    // web-sys knows no trusted types.
    type TrustedTypePolicyFactory;
    #[wasm_bindgen(method, structural, catch, js_name = createPolicy)]
    fn create_policy(this: &TrustedTypePolicyFactory, name: &str, rules: &Object)
    -> Result<TrustedTypePolicy, JsValue>;

    type TrustedTypePolicy;
    #[wasm_bindgen(method, structural, catch, js_name = createScriptURL)]
    fn create_script_url(this: &TrustedTypePolicy, url: &str) -> Result<JsValue, JsValue>;
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
