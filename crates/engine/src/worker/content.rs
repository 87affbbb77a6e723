//! What the page hands over of a file: a handle, or the bytes of a small one, which the page has read. Of a file that it could not
//! open, neither.
//!
//! A handle is read as a stream, whose next chunk is on its way while one is parsed. Each slice of a file would be a
//! request of its own to the browser's process, for which the engine would wait a third of the time
//! (docs/decisions/file-streams.md).

use std::collections::VecDeque;

use js_sys::{Array, ArrayBuffer, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream};

use super::stream::next_chunk;

/// Bytes of a chunk: few enough to be parsed from the processor's cache.
const CHUNK_BYTES: u32 = 256 * 1024;
/// Buffers: one is filled while the other is parsed.
const BUFFERS: usize = 2;

/// The content of a file.
#[derive(Debug)]
pub enum FileContent {
    /// To be read as a stream.
    Handle(Blob),
    /// All of it, in pieces.
    Bytes(Vec<Uint8Array>),
    /// The page could not open the file.
    Missing,
}

impl FileContent {
    /// Takes one of the contents that stand beside a message.
    pub fn of(value: JsValue) -> Self {
        if value.is_null() {
            return Self::Missing;
        }
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
            Self::Missing => 0,
        }
    }

    /// Its chunks, in order.
    pub fn into_chunks(self) -> Chunks {
        match self {
            Self::Handle(handle) => Chunks::Stream(ChunkStream::of(&handle)),
            Self::Bytes(pieces) => Chunks::Pieces(pieces.into_iter()),
            Self::Missing => Chunks::Missing,
        }
    }
}

/// The chunks of a file that are still to be read.
pub enum Chunks {
    /// Of a handle.
    Stream(ChunkStream),
    /// All that are left.
    Pieces(std::vec::IntoIter<Uint8Array>),
    /// Of a file that could not be opened.
    Missing,
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
            Self::Missing => Err(Unreadable),
        }
    }
}

/// The stream of a file's bytes. Dropped before its end, it is cancelled.
pub struct ChunkStream {
    reader: StreamReader,
    /// Reads that were begun, the first one first; none when the stream has ended or failed.
    pending: VecDeque<JsFuture>,
    /// The buffer of the last chunk, which takes another one once that is parsed.
    last_buffer: Option<ArrayBuffer>,
    /// Bytes that are still to come.
    left: f64,
}

impl ChunkStream {
    fn of(handle: &Blob) -> Self {
        let reader = StreamReader::of(&handle.stream());
        let pending = (0..BUFFERS).map(|_| reader.read(&ArrayBuffer::new(CHUNK_BYTES))).collect();
        Self { reader, pending, last_buffer: None, left: handle.size() }
    }

    /// The next chunk, which is valid until the one after it is asked for.
    async fn next(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        if let Some(buffer) = self.last_buffer.take() {
            self.pending.push_back(self.reader.read(&buffer));
        }
        let Some(read) = self.pending.pop_front() else { return Ok(None) };
        let chunk = next_chunk(read).await.inspect_err(|_| self.pending.clear())?;
        let Some(chunk) = chunk else {
            self.pending.clear();
            // Of a file that was cut meanwhile the stream of some browsers ends without an error.
            return if self.left > 0.0 { Err(JsValue::UNDEFINED) } else { Ok(None) };
        };
        self.left -= f64::from(chunk.length());
        self.last_buffer = Some(chunk.buffer());
        Ok(Some(chunk))
    }
}

impl Drop for ChunkStream {
    fn drop(&mut self) {
        if !self.pending.is_empty() {
            // The promise settles when the browser has stopped reading; nothing waits for that.
            let _ = self.reader.0.cancel();
        }
    }
}

/// The reader of a stream: one that fills given buffers where the browser has it, else the default one, which allocates its
/// own.
struct StreamReader(ByteReader);

impl StreamReader {
    fn of(stream: &ReadableStream) -> Self {
        let stream: &ByteStream = stream.unchecked_ref();
        let options = Object::new();
        let _ = Reflect::set(&options, &"mode".into(), &"byob".into());
        // Throws where files are no byte streams.
        Self(stream.byte_reader(&options).unwrap_or_else(|_| stream.reader()))
    }

    /// Begins to read the next chunk. The default reader ignores both arguments, and a browser without `min` that one: its
    /// chunks are shorter.
    fn read(&self, buffer: &ArrayBuffer) -> JsFuture {
        let options = Object::new();
        let _ = Reflect::set(&options, &"min".into(), &buffer.byte_length().into());
        JsFuture::from(self.0.read(&Uint8Array::new(buffer), &options))
    }
}

// `web-sys` knows neither the option `min` nor that `getReader` may throw.
#[wasm_bindgen]
extern "C" {
    type ByteStream;
    #[wasm_bindgen(method, catch, js_name = "getReader")]
    fn byte_reader(this: &ByteStream, options: &Object) -> Result<ByteReader, JsValue>;
    #[wasm_bindgen(method, js_name = "getReader")]
    fn reader(this: &ByteStream) -> ByteReader;

    type ByteReader;
    #[wasm_bindgen(method)]
    fn read(this: &ByteReader, view: &Uint8Array, options: &Object) -> Promise;
    #[wasm_bindgen(method)]
    fn cancel(this: &ByteReader) -> Promise;
}
