//! Starts the engine in a worker that is bound by the page's own content security policy.
//!
//! A worker whose script comes from a URL takes its policy from that response's headers, and a static host such as
//! GitHub Pages sends none. A worker whose script is a `blob:` URL inherits the policy of the page, so the blob holds a
//! few lines that load `engine.js`. The policy also demands trusted types: the page and the worker each make one policy
//! named `rundown`, which lets through these URLs and nothing else.
//!
//! The module itself is fetched when the page's own program begins to run, so that the two do not share a slow connection, and
//! compiled while it streams (docs/decisions/start.md). The worker gets it as it is, and so does the next worker after a crash.

use js_sys::{Array, JSON, Promise, Reflect};
use leptos::prelude::{document, window};
use leptos::task::spawn_local;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Url, Worker};

use crate::app::browser::named_hosts::named_hosts;
use crate::app::browser::trusted_types::script_url;

pub use crate::app::browser::site::site_url;

/// Where the promise of the compiled module stands, so that the page that is one file can have made it.
const MODULE: &str = "rundownEngine";

/// Begins to fetch and compile the engine; once, as the first thing that the page's program does.
pub fn fetch_engine() {
    let global = js_sys::global();
    if Reflect::has(&global, &MODULE.into()) == Ok(true) {
        return;
    }
    let version = engine_version().unwrap_or_default();
    let Ok(url) = site_url(&format!("engine_bg.wasm?v={version}")) else { return };
    let module = js_sys::WebAssembly::compile_streaming(&window().fetch_with_str(&url));
    // Without it the worker fetches the module itself.
    let _ = Reflect::set(&global, &MODULE.into(), &module);
}

/// Starts the engine. Post nothing to it before its first message says that it is up: the first message that a worker
/// gets is the compiled module. A failure to load arrives as the worker's `error` event.
///
/// # Errors
/// Where the browser refuses to make a blob, a trusted-types policy or a worker.
pub fn spawn_engine() -> Result<Worker, JsValue> {
    let version = engine_version().unwrap_or_default();
    let file = |name: &str| site_url(&format!("{name}?v={version}"));
    let hosts = quoted(&named_hosts());
    let script = match embedded_script() {
        Some(script) => format!("{script}\n{EMBEDDED}"),
        None => bootstrap(&file("engine.js")?, &file("engine_bg.wasm")?),
    };
    // The policy binds the worker to these hosts; it reads them to say which host it was not told to ask.
    let script = format!("self.rundownHosts = {hosts};\n{script}");
    let parts = Array::of1(&JsValue::from_str(&script));
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options)?;
    // Never revoked: some browsers read it only after the constructor has returned, and it is a few hundred bytes.
    let url = Url::create_object_url_with_blob(&blob)?;
    let worker: Worker = ScriptWorker::new(&script_url(&url)?)?.unchecked_into();
    let target = worker.clone();
    spawn_local(async move {
        // Without a module the worker fetches it itself, and says so where that fails too.
        let _ = target.post_message(&compiled_module().await);
    });
    Ok(worker)
}

/// The engine's module, compiled; `null` where the browser could not fetch or compile it beside the page.
async fn compiled_module() -> JsValue {
    let promise = Reflect::get(&js_sys::global(), &MODULE.into()).ok();
    match promise.and_then(|promise| promise.dyn_into::<Promise>().ok()) {
        Some(promise) => JsFuture::from(promise).await.unwrap_or(JsValue::NULL),
        None => JsValue::NULL,
    }
}

/// The engine's script, where the page is one file that holds it (`tools/single-file.mjs`).
fn embedded_script() -> Option<String> {
    Reflect::get(&js_sys::global(), &JsValue::from_str("rundownEngineScript")).ok()?.as_string()
}

/// What follows the engine's script in a worker whose page is one file. Without a module there is nothing to load.
const EMBEDDED: &str = "addEventListener('message', ({ data: module }) => {
  wasm_bindgen({ module_or_path: module }).catch((error) => setTimeout(() => { throw error; }));
}, { once: true });
";

/// The version that the build wrote into the page, so that a cached engine is never mixed with a newer page.
fn engine_version() -> Option<String> {
    document().query_selector("meta[name=rundown-engine]").ok()??.get_attribute("content")
}

/// The worker's script, from the addresses of the engine's script and module. The script comes while the page still waits
/// for the module. A module that fails to load must throw outside the promise: a rejected promise in a worker does not
/// reach the page.
fn bootstrap(script: &str, module: &str) -> String {
    let (script, module) = (quoted(script), quoted(module));
    format!(
        "const script = {script};
const policy = self.trustedTypes?.createPolicy('rundown', {{
  createScriptURL(url) {{
    if (url !== script) throw new TypeError('not the engine: ' + url);
    return url;
  }},
}});
addEventListener('message', ({{ data: module }}) => {{
  wasm_bindgen({{ module_or_path: module ?? {module} }})
    .catch((error) => setTimeout(() => {{ throw error; }}));
}}, {{ once: true }});
importScripts(policy ? policy.createScriptURL(script) : script);
"
    )
}

/// A text as JavaScript reads it.
fn quoted(text: &str) -> String {
    JSON::stringify(&JsValue::from_str(text)).map(String::from).unwrap_or_default()
}

#[wasm_bindgen]
extern "C" {
    // web-sys has the constructor for strings alone and knows no trusted types.
    #[wasm_bindgen(js_name = Worker)]
    type ScriptWorker;
    #[wasm_bindgen(constructor, js_class = "Worker", catch)]
    fn new(script: &JsValue) -> Result<ScriptWorker, JsValue>;
}
