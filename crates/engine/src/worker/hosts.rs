//! Which hosts this engine may ask: those that the user named. The page's content security policy binds the worker to
//! them; they are looked up here so that an error names the host, where the browser would say nothing.

use std::cell::RefCell;
use std::collections::BTreeSet;

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use rundown_axiom::DEFAULT_BASE_URL;
use rundown_http::{is_at, origin_of};
use rundown_protocol::{QueryField, ServerQuery, Service};
use rundown_wandb::Reference;

thread_local! {
    /// Origins that were not asked because nobody named them.
    static REFUSED: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// True for an address that may be asked. Any other is noted.
pub fn may_ask(url: &str) -> bool {
    let is_named = named().split(' ').chain([origin().as_str()]).any(|known| !known.is_empty() && is_at(url, known));
    if !is_named && let Some(refused) = origin_of(url) {
        REFUSED.with_borrow_mut(|all| all.insert(refused));
    }
    is_named
}

/// What to do about hosts that were not asked since this was called last; empty where there were none.
pub fn refusal() -> String {
    let refused: Vec<String> = REFUSED.take().into_iter().collect();
    if refused.is_empty() {
        return String::new();
    }
    format!(
        "Some files of these runs are at {}, which you have not allowed, so they are missing. \
         To get them, connect again and add this address under “File hosts”.",
        refused.join(" and ")
    )
}

/// Origins that a query has to ask: those of which one is not named yet, all of them; none where all are.
///
/// # Errors
/// For an address that no page can ask, in words.
pub fn unnamed(query: &ServerQuery) -> Result<Vec<String>, String> {
    let (base_url, files) = match query.service {
        Service::Wandb => {
            let reference = reference(query)?;
            let files = reference.file_host();
            (reference.base_url, files)
        }
        Service::Axiom => {
            let typed = query.field(QueryField::Server);
            (if typed.is_empty() { DEFAULT_BASE_URL } else { typed }.to_owned(), None)
        }
    };
    let more = query.field(QueryField::FileHosts).split([' ', ',']).filter(|word| !word.is_empty());
    let mut origins = Vec::new();
    for url in [base_url.as_str()].into_iter().chain(files).chain(more) {
        let origin = origin_of(url).ok_or_else(|| {
            format!("A page can't send requests to “{url}”. Enter an address that begins with https://, or one on this machine.")
        })?;
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    let named = named();
    let is_named = |origin: &String| named.split(' ').any(|known| known == origin);
    Ok(if origins.iter().all(is_named) { Vec::new() } else { origins })
}

/// The runs that a query names.
///
/// # Errors
/// Where it names none, in words.
pub fn reference(query: &ServerQuery) -> Result<Reference, String> {
    let mut reference = Reference::parse(query.field(QueryField::Address)).map_err(|error| error.to_string())?;
    let server = query.field(QueryField::Server);
    if !server.is_empty() {
        reference = reference.with_base_url(server);
    }
    Ok(reference)
}

/// Where this page lies.
pub fn origin() -> String {
    global("origin")
}

/// Origins that the user named, with blanks between them: `app::engine::worker_url` writes them into the worker's script.
fn named() -> String {
    global("rundownHosts")
}

fn global(name: &str) -> String {
    let value = Reflect::get(&js_sys::global(), &JsValue::from_str(name));
    value.ok().and_then(|value| value.as_string()).unwrap_or_default()
}
