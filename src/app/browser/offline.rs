//! The service worker, which keeps one version of the page on this device (`public/sw.js`): it is registered, and a newer
//! version is noticed and taken over when the user says so.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::site::{is_on_disk, site_url};
use super::timing::{after, pause};
use super::trusted_types::{SERVICE_WORKER, script_url};

/// Milliseconds before the worker is registered: it fetches the whole page once more.
const START_MS: i32 = 2_000;
/// Milliseconds between two looks for a newer version, on a page that stays open.
const LOOK_MS: i32 = 3_600_000;

/// Keeps the page on this device, where the browser can. `is_ready` is called when a newer version waits.
pub fn register_service_worker(is_ready: impl Fn() + Clone + 'static) {
    if !is_wanted() {
        return;
    }
    after(START_MS, move || {
        // Without the worker the page works as long as there is a network.
        spawn_local(async move { _ = register(is_ready).await });
    });
}

/// Lets the newer version take over, and loads the page again when it has.
pub fn take_over() {
    spawn_local(async {
        let Ok(workers) = workers() else { return };
        let reload = Closure::<dyn Fn()>::new(|| _ = window().location().reload()).into_js_value();
        let _ = Reflect::set(&workers, &"oncontrollerchange".into(), &reload);
        let Ok(promise) = workers.get_registration() else { return };
        let Ok(registration) = JsFuture::from(promise).await else { return };
        if let Some(waiting) = registration.unchecked_into::<Registration>().waiting() {
            waiting.post_message(&"take over".into());
        }
    });
}

/// A page from the disk has no worker. Tests look at requests: they ask for it by `rundownOffline` on the window.
fn is_wanted() -> bool {
    let flag = |target: &JsValue, name: &str| {
        Reflect::get(target, &JsValue::from_str(name)).is_ok_and(|value| value.is_truthy())
    };
    let is_tested = flag(&window().navigator(), "webdriver") && !flag(&window(), "rundownOffline");
    !is_on_disk() && !is_tested && flag(&window(), "isSecureContext") && workers().is_ok()
}

async fn register(is_ready: impl Fn() + Clone + 'static) -> Result<(), JsValue> {
    let workers = workers()?;
    let promise = workers.register(&script_url(&site_url(SERVICE_WORKER)?)?)?;
    let registration: Registration = JsFuture::from(promise).await?.unchecked_into();
    if registration.waiting().is_some() && workers.controller().is_some() {
        is_ready();
    }
    let found = registration.clone();
    let listen = Closure::<dyn Fn()>::new(move || {
        let Some(installing) = found.installing() else { return };
        let (found, is_ready) = (found.clone(), is_ready.clone());
        let changed = Closure::<dyn Fn()>::new(move || {
            // The first version of all replaces nothing.
            let is_newer = self::workers().is_ok_and(|workers| workers.controller().is_some());
            if found.waiting().is_some() && is_newer {
                is_ready();
            }
        });
        let _ = Reflect::set(&installing, &"onstatechange".into(), &changed.into_js_value());
    });
    Reflect::set(&registration, &"onupdatefound".into(), &listen.into_js_value())?;
    loop {
        pause(LOOK_MS).await;
        // Offline there is nothing newer.
        if let Ok(promise) = registration.update() {
            let _ = JsFuture::from(promise).await;
        }
    }
}

fn workers() -> Result<Workers, JsValue> {
    let workers = Reflect::get(&window().navigator(), &"serviceWorker".into())?;
    let register = Reflect::get(&workers, &"register".into())?;
    register.dyn_into::<Function>().map(|_| workers.unchecked_into())
}

#[wasm_bindgen]
extern "C" {
    // web-sys registers workers by strings alone.
    type Workers;
    #[wasm_bindgen(method, structural, catch)]
    fn register(this: &Workers, script: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = getRegistration)]
    fn get_registration(this: &Workers) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, getter)]
    fn controller(this: &Workers) -> Option<OtherWorker>;

    #[derive(Clone)]
    type Registration;
    #[wasm_bindgen(method, structural, getter)]
    fn waiting(this: &Registration) -> Option<OtherWorker>;
    #[wasm_bindgen(method, structural, getter)]
    fn installing(this: &Registration) -> Option<OtherWorker>;
    #[wasm_bindgen(method, structural, catch)]
    fn update(this: &Registration) -> Result<Promise, JsValue>;

    type OtherWorker;
    #[wasm_bindgen(method, structural, js_name = postMessage)]
    fn post_message(this: &OtherWorker, message: &JsValue);
}
