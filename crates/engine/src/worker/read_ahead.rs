//! Small files that are on their way while others are parsed: each takes a message to the browser's own process and back,
//! which for thousands of files is most of the time.

use std::collections::BTreeMap;

use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use crate::session::Reading;

/// Files that are on their way at once.
const MOST_FILES: usize = 32;
/// Bytes of a small file. Larger ones are read in slices, each while the one before it is parsed.
const SMALL_BYTES: f64 = 64.0 * 1024.0;

/// The contents of files that come next, by their place in the drop.
#[derive(Default)]
pub struct ReadAhead(BTreeMap<usize, JsFuture>);

impl ReadAhead {
    /// Begins to read the small files among those that come next.
    pub fn fill(&mut self, reading: &Reading, contents: &[Option<Blob>]) {
        for place in reading.upcoming(MOST_FILES.saturating_sub(self.0.len())) {
            if let Some(content) = contents.get(place).and_then(Option::as_ref).filter(|content| is_small(content)) {
                self.0.entry(place).or_insert_with(|| JsFuture::from(content.array_buffer()));
            }
        }
    }

    /// The whole content of a file, when it was begun.
    pub fn take(&mut self, place: usize) -> Option<JsFuture> {
        self.0.remove(&place)
    }
}

fn is_small(content: &Blob) -> bool {
    content.size() <= SMALL_BYTES
}
