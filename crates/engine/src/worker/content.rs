//! What the page hands over of a file: a handle, or the bytes of a small one, which the page has read.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Bytes a slice: large enough that the cost of a slice vanishes, small enough to hold two.
const SLICE_BYTES: f64 = 4.0 * 1024.0 * 1024.0;

/// The content of a file.
#[derive(Debug)]
pub enum FileContent {
    /// To be read in slices.
    Handle(Blob),
    /// All of it, in pieces.
    Bytes(Vec<Uint8Array>),
}

impl FileContent {
    /// Takes one of the contents that stand beside a message.
    pub fn of(value: JsValue) -> Self {
        match value.dyn_into::<Blob>() {
            Ok(handle) => Self::Handle(handle),
            Err(pieces) => Self::Bytes(Array::from(&pieces).iter().map(JsCast::unchecked_into).collect()),
        }
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Handle(handle) => handle.size() as u64,
            Self::Bytes(pieces) => pieces.iter().map(|piece| u64::from(piece.length())).sum(),
        }
    }

    /// Its slices, in order.
    pub fn into_slices(self) -> Slices {
        match self {
            Self::Handle(handle) => {
                let mut slices = Slices::OfHandle { size: handle.size(), handle, at: 0.0, next: None };
                slices.ask();
                slices
            }
            Self::Bytes(pieces) => Slices::Pieces(pieces.into_iter()),
        }
    }
}

/// The slices of a file that are still to be read. The next one is on its way while one is parsed.
pub enum Slices {
    /// Of a handle.
    OfHandle {
        /// The file.
        handle: Blob,
        /// Its size in bytes.
        size: f64,
        /// Where the next slice begins.
        at: f64,
        /// The next slice, when it was asked for.
        next: Option<JsFuture>,
    },
    /// All that are left.
    Pieces(std::vec::IntoIter<Uint8Array>),
}

/// The browser could not read the file: it was changed, moved or locked.
pub struct Unreadable;

impl Slices {
    /// The next slice; `None` at the end.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub async fn next(&mut self) -> Result<Option<Uint8Array>, Unreadable> {
        let Self::OfHandle { next, .. } = self else {
            let Self::Pieces(pieces) = self else { return Ok(None) };
            return Ok(pieces.next());
        };
        let Some(asked) = next.take() else { return Ok(None) };
        let buffer = asked.await.map_err(|_| Unreadable)?;
        self.ask();
        Ok(Some(Uint8Array::new(&buffer)))
    }

    /// Asks for the next slice of a handle.
    fn ask(&mut self) {
        let Self::OfHandle { handle, size, at, next } = self else { return };
        if *at >= *size {
            return;
        }
        let end = (*at + SLICE_BYTES).min(*size);
        // Refused only for numbers that no file has.
        if let Ok(slice) = handle.slice_with_f64_and_f64(*at, end) {
            *next = Some(JsFuture::from(slice.array_buffer()));
        }
        *at = end;
    }
}
