//! The engine's helper in the same worker: a second program, loaded at the first file that needs it.

use js_sys::{Function, Uint8Array};
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use crate::engine::messages::{Offer, ServerQuery, encoded};
use crate::ingest::FileOutcome;

#[wasm_bindgen]
extern "C" {
    // Defined by the script that the page starts the worker with.
    #[wasm_bindgen(js_name = loadProgram, catch)]
    pub(super) async fn load_program(name: &str) -> Result<JsValue, JsValue>;

    /// The program's exports.
    #[derive(Clone)]
    pub type Sources;
    #[wasm_bindgen(method, structural, catch)]
    fn open_source(this: &Sources, path: &str, size: f64, format: &str) -> Result<SourceReader, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    async fn browse(this: &Sources, query: Vec<u8>) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    async fn fetch_runs(this: &Sources, query: Vec<u8>, runs: Vec<u8>, progress: &Function)
    -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = fetch_rest)]
    async fn fetch_the_rest(this: &Sources, run: &str, progress: &Function) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    async fn poll_runs(this: &Sources) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn stop_fetching(this: &Sources) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn forget_servers(this: &Sources) -> Result<(), JsValue>;

    /// A file that it reads.
    pub type SourceReader;
    #[wasm_bindgen(method, structural, catch)]
    fn wants_bytes(this: &SourceReader) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn push(this: &SourceReader, bytes: &Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn finish(this: &SourceReader) -> Result<Vec<u8>, JsValue>;
}

/// It could not be loaded, or broke down while it read.
pub struct Broken;

/// Loads the program, anew after each call.
///
/// # Errors
/// Where it can't be fetched.
pub async fn load() -> Result<Sources, Broken> {
    load_program("sources").await.map(JsCast::unchecked_into).map_err(|_| Broken)
}

/// What came of fetching: pieces of runs, how many runs still go on, and what went wrong (empty when nothing did).
pub type Fetched = (Vec<FileOutcome>, u32, String);

impl Sources {
    /// Asks a server which runs it has.
    pub async fn offer(&self, query: &ServerQuery) -> Result<Offer, Broken> {
        answered(self.browse(encoded(query)).await)
    }

    /// Fetches runs; `progress` gets what is being fetched, runs done, and bytes.
    pub async fn fetch(&self, query: &ServerQuery, runs: &Vec<String>, progress: &Function) -> Result<Fetched, Broken> {
        answered(self.fetch_runs(encoded(query), encoded(runs), progress).await)
    }

    /// Fetches what is left of a run.
    pub async fn rest(&self, run: &str, progress: &Function) -> Result<Fetched, Broken> {
        answered(self.fetch_the_rest(run, progress).await)
    }

    /// Looks at the runs that were still going.
    pub async fn poll(&self) -> Result<Fetched, Broken> {
        answered(self.poll_runs().await)
    }

    /// Stops fetching.
    pub fn stop(&self) {
        let _ = self.stop_fetching();
    }

    /// Forgets the runs that are followed, and with them the key.
    pub fn forget(&self) {
        let _ = self.forget_servers();
    }
}

fn answered<T: DeserializeOwned>(answer: Result<JsValue, JsValue>) -> Result<T, Broken> {
    let bytes: Uint8Array = answer.map_err(|_| Broken)?.unchecked_into();
    postcard::from_bytes(&bytes.to_vec()).map_err(|_| Broken)
}

/// A file read by the helper. A panic in there arrives here as an error.
pub struct Foreign(SourceReader);

impl Foreign {
    /// Starts to read a file, as a format that the user names if that is not empty.
    pub fn open(sources: &Sources, path: &str, size: f64, format: &str) -> Result<Self, Broken> {
        sources.open_source(path, size, format).map(Self).map_err(|_| Broken)
    }

    /// False when no (more) bytes are needed.
    pub fn wants_bytes(&self) -> Result<bool, Broken> {
        self.0.wants_bytes().map_err(|_| Broken)
    }

    /// Takes the next bytes.
    pub fn push(&self, bytes: &Uint8Array) -> Result<(), Broken> {
        self.0.push(bytes).map_err(|_| Broken)
    }

    /// Takes the end of the file.
    pub fn finish(&self) -> Result<FileOutcome, Broken> {
        let bytes = self.0.finish().map_err(|_| Broken)?;
        postcard::from_bytes(&bytes).map_err(|_| Broken)
    }
}
