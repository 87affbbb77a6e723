//! How many requests this page made to other hosts, counted by the browser and not by us.

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{PerformanceEntry, PerformanceObserver, PerformanceObserverInit};

/// The number of requests to other hosts since the page was opened; `None` where the browser does not tell. It is counted for
/// as long as the present owner is there.
pub fn foreign_requests() -> RwSignal<Option<usize>> {
    let seen = RwSignal::new(count());
    let listener = Closure::<dyn Fn()>::new(move || _ = seen.try_set(count()));
    if let Ok(observer) = PerformanceObserver::new(listener.as_ref().unchecked_ref()) {
        observer.observe(&PerformanceObserverInit::new(&Array::of1(&JsValue::from_str("resource"))));
        let kept = StoredValue::new_local((observer, listener));
        on_cleanup(move || _ = kept.try_update_value(|(observer, _)| observer.disconnect()));
    }
    seen
}

fn count() -> Option<usize> {
    let own = window().location().origin().ok()?;
    let entries = window().performance()?.get_entries_by_type("resource");
    let foreign = entries.iter().filter(|entry| is_foreign(&entry.unchecked_ref::<PerformanceEntry>().name(), &own));
    Some(foreign.count())
}

/// True for an address on another host. `blob:` and `data:` addresses never leave the browser.
fn is_foreign(address: &str, own: &str) -> bool {
    let remote = ["http://", "https://", "ws://", "wss://"].iter().any(|scheme| address.starts_with(scheme));
    let rest = address.strip_prefix(own);
    remote && !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']))
}
