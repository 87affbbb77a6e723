//! Requests about all runs together: the comparer gets what the judge kept of each, and answers.

use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use super::{Shared, reports, verdicts};

#[wasm_bindgen]
extern "C" {
    /// The comparer of the program that writes reports.
    #[derive(Clone)]
    pub type Comparing;
    #[wasm_bindgen(method, structural, catch)]
    fn take(this: &Comparing, entries: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn topic(this: &Comparing, request: &[u8]) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    pub fn find(this: &Comparing, query: &str, cursor: u32) -> Result<Vec<u8>, JsValue>;
}

/// Answers request `id` with what the comparer says.
pub async fn ask(shared: Shared, id: u32, question: impl FnOnce(&Comparing) -> Result<Vec<u8>, JsValue>) {
    let reply = match comparer(&shared).await {
        Ok(comparer) => question(&comparer),
        Err(error) => Err(error),
    };
    if reply.is_err() {
        // What broke down once is not to be trusted: the next request gets a new one.
        *shared.comparer.borrow_mut() = None;
        *shared.reports.borrow_mut() = None;
    }
    verdicts::answer(id, reply);
}

/// The comparer, which knows every run as it is.
async fn comparer(shared: &Shared) -> Result<Comparing, JsValue> {
    let judge = shared.judged(async |_| {}).await?;
    let known = shared.comparer.borrow().clone();
    if let Some(comparer) = known {
        return Ok(comparer);
    }
    let comparer: Comparing = reports::made(shared, "Comparing").await?.unchecked_into();
    let entries = judge.entries().inspect_err(|_| shared.lose_judge())?;
    if !comparer.take(&entries)? {
        return Err(JsValue::NULL);
    }
    *shared.comparer.borrow_mut() = Some(comparer.clone());
    Ok(comparer)
}
