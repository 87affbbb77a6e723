//! The judge: a program of its own beside the engine, which says what happened in the runs.
//!
//! It is fetched as soon as the engine is up, so that it is there when the first file is read.

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::sources::load_program;

#[wasm_bindgen]
extern "C" {
    /// The program's one object.
    #[derive(Clone)]
    pub type Judge;
    #[wasm_bindgen(method, structural, catch)]
    pub fn take(this: &Judge, case: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn take_told(this: &Judge, told: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn set(this: &Judge, settings: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn wants(this: &Judge, keys: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn list(this: &Judge, listing: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn view(this: &Judge, case: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn entries(this: &Judge) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn diagnosis(this: &Judge, case: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn forget(this: &Judge) -> Result<(), JsValue>;
}

/// The program, as it is being loaded.
#[derive(Clone)]
pub struct Loading(Promise);

impl Loading {
    /// Starts to load it.
    pub fn start() -> Self {
        Self(future_to_promise(async {
            let program = load_program("judge").await?;
            let class: Function = Reflect::get(&program, &JsValue::from_str("Judging"))?.dyn_into()?;
            Reflect::construct(&class, &js_sys::Array::new())
        }))
    }

    /// Waits until it is there.
    ///
    /// # Errors
    /// Where it can't be fetched.
    pub async fn judge(&self) -> Result<Judge, JsValue> {
        JsFuture::from(self.0.clone()).await.map(JsCast::unchecked_into)
    }
}
