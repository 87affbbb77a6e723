//! What the worker loads only when somebody needs it: the rarer file formats and the servers.
//!
//! A program of its own, because the engine that every visitor fetches must stay small. It runs beside the engine in
//! the same worker, reads a file in slices as the engine does, and hands over what it found as postcard bytes of a
//! [`FileOutcome`](crate::ingest::FileOutcome). Should it panic on a file, the engine drops it, names the file and
//! loads it anew for the next one.

mod events;
mod held;
mod servers;
mod transport;
mod wanted;

use crate::run::FileFormat;
use wasm_bindgen::prelude::*;

use crate::ingest::{self, OpenFile};

/// Makes panics legible. Called once, by the program's `main`; the exports below do the work.
pub fn start() {
    console_error_panic_hook::set_once();
}

/// A file that is being read.
#[wasm_bindgen]
pub struct SourceReader(Option<OpenFile>);

/// Starts to read a file of `size` bytes, as a format that the user names or, with an empty name, as what it is.
#[wasm_bindgen]
pub fn open_source(path: &str, size: f64, format: &str) -> SourceReader {
    let size = size as u64;
    SourceReader(Some(match FileFormat::choice(format) {
        Some(format) => ingest::open_as(path, size, format),
        None => ingest::open(path, size),
    }))
}

#[wasm_bindgen]
impl SourceReader {
    /// False when no (more) bytes are needed.
    pub fn wants_bytes(&self) -> bool {
        self.0.as_ref().is_some_and(OpenFile::wants_bytes)
    }

    /// Takes the next bytes, a slice of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        if let Some(open) = &mut self.0 {
            open.push(bytes);
        }
    }

    /// Takes the end of the file and gives what was in it, as postcard bytes; empty after the first call.
    pub fn finish(&mut self) -> Vec<u8> {
        // Encoding into a growing vector fails only for types that postcard can't hold, and an outcome has none.
        self.0.take().and_then(|open| postcard::to_allocvec(&open.finish()).ok()).unwrap_or_default()
    }
}
