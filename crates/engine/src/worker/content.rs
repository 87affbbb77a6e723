//! What the page hands over of a file: a handle, or the bytes of a small one, which the page has read.
//!
//! A handle is read as a stream, whose next chunk is on its way while one is parsed. Each slice of a file would be a request of its
//! own to the browser's process, for which the engine would wait a third of the time (docs/decisions/file-streams.md).

use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader};

use super::stream::next_chunk;

/// The content of a file.
#[derive(Debug)]
pub enum FileContent {
    /// To be read as a stream.
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

    /// Its chunks, in order.
    pub fn into_chunks(self) -> Chunks {
        match self {
            Self::Handle(handle) => Chunks::Stream(ChunkStream::of(&handle)),
            Self::Bytes(pieces) => Chunks::Pieces(pieces.into_iter()),
        }
    }
}

/// The chunks of a file that are still to be read.
pub enum Chunks {
    /// Of a handle.
    Stream(ChunkStream),
    /// All that are left.
    Pieces(std::vec::IntoIter<Uint8Array>),
}

/// The browser could not read the file: it was changed, moved or locked.
pub struct Unreadable;

impl Chunks {
    /// The next chunk; `None` at the end.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub async fn next(&mut self) -> Result<Option<Uint8Array>, Unreadable> {
        match self {
            Self::Stream(stream) => stream.next().await.map_err(|_| Unreadable),
            Self::Pieces(pieces) => Ok(pieces.next()),
        }
    }
}

/// The stream of a file's bytes. Dropped before its end, it is cancelled.
pub struct ChunkStream {
    reader: ReadableStreamDefaultReader,
    /// The next chunk; `None` when the stream has ended or failed.
    next: Option<JsFuture>,
    /// Bytes that are still to come.
    left: f64,
}

impl ChunkStream {
    fn of(handle: &Blob) -> Self {
        let reader: ReadableStreamDefaultReader = handle.stream().get_reader().unchecked_into();
        let next = Some(JsFuture::from(reader.read()));
        Self { reader, next, left: handle.size() }
    }

    async fn next(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        let Some(asked) = self.next.take() else { return Ok(None) };
        let Some(chunk) = next_chunk(asked).await? else {
            // Of a file that was cut meanwhile the stream of some browsers ends without an error.
            return if self.left > 0.0 { Err(JsValue::UNDEFINED) } else { Ok(None) };
        };
        self.left -= f64::from(chunk.length());
        self.next = Some(JsFuture::from(self.reader.read()));
        Ok(Some(chunk))
    }
}

impl Drop for ChunkStream {
    fn drop(&mut self) {
        if self.next.is_some() {
            // The promise settles when the browser has stopped reading; nothing waits for that.
            let _ = self.reader.cancel();
        }
    }
}
