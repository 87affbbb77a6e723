//! Transferring the files of a drop to the engine, as far as it needs them.
//!
//! To copy a file's handle to a worker, the browser asks the disk for the file's size, a quarter of a millisecond or more in
//! which the page does not answer; the worker then asks the disk once more, for the bytes. So of many files the page reads
//! the small ones itself, which never blocks it, and transfers their bytes (docs/decisions/many-files.md).

use std::cell::Cell;

use futures_util::stream::{self, StreamExt};
use js_sys::{Array, Reflect, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, ReadableStreamDefaultReader};

use super::client::Engine;
use super::connection::{Contents, EngineReply, Then, refuse};
use crate::app::browser::added_file::AddedFile;
use crate::app::browser::folder_walk::NamedFile;
use crate::app::browser::timing::pause;
use rundown_protocol::Request;

/// Drops of up to so many files are transferred as handles, which takes a few hundredths of a second.
const FEW_FILES: usize = 64;
/// Files that are read at once: few enough that the page draws meanwhile.
const READ_AT_ONCE: usize = 8;
/// Files of one message: a message for each would take a good part of the time of reading it.
const FILES_A_MESSAGE: usize = 32;
/// Most bytes of a small file: four chunks of a stream in Chromium.
const SMALL_BYTES: u32 = 256 << 10;
/// Most bytes of a drop that the page reads: all of them may wait in memory for the engine.
const MAX_TRANSFERRED_BYTES: usize = 256 << 20;

impl Engine {
    /// Names files for request `id` to the engine, now or once it is up; `then` gets the answer.
    pub(super) fn offer_files(self, id: u32, files: Vec<NamedFile>, then: Then<EngineReply>) {
        let (paths, files): (Vec<String>, Vec<AddedFile>) = files.into_iter().unzip();
        let request = Request::AddFiles { paths, formats: self.formats() };
        let refused = self.connection.try_update_value(|connection| {
            connection.offered.insert(id, files);
            connection.send(id, request, then)
        });
        if let Some(then) = refused.flatten() {
            refuse(then);
        }
    }

    /// Posts those files that the engine needs, given by their places; in their order.
    pub(super) fn post_files(self, id: u32, wanted: Vec<u32>) {
        let offered =
            self.connection.try_update_value(|connection| connection.offered.remove(&id)).flatten().unwrap_or_default();
        spawn_local(async move {
            let files: Vec<&AddedFile> = wanted.iter().filter_map(|index| offered.get(*index as usize)).collect();
            let room = Cell::new(if files.len() > FEW_FILES { MAX_TRANSFERRED_BYTES } else { 0 });
            let contents = stream::iter(files).map(|file| content(file, &room)).buffered(READ_AT_ONCE);
            let mut parts = contents.chunks(FILES_A_MESSAGE);
            // A request that is not waited for any more was stopped, or the one of an engine that has ended.
            while self.is_expected(id)
                && let Some(part) = parts.next().await
            {
                let has_handles = part.iter().any(|content| matches!(content, Content::Handle(_)));
                let contents = part.into_iter().collect();
                let refused = self
                    .connection
                    .try_update_value(|connection| connection.post(id, Request::TakeFiles, contents))
                    .flatten();
                if let Some(then) = refused {
                    return refuse(then);
                }
                if has_handles {
                    pause(0).await;
                }
            }
        });
    }

    fn is_expected(self, id: u32) -> bool {
        self.connection.try_update_value(|connection| connection.is_pending(id)) == Some(true)
    }
}

/// What is transferred of a file.
enum Content {
    Handle(File),
    /// In pieces.
    Bytes(Vec<Uint8Array>),
    /// The file could not be opened.
    Missing,
}

/// The bytes of a small file while there is room for them, else its handle. One that can't be read is the engine's to
/// tell.
async fn content(file: &AddedFile, room: &Cell<usize>) -> Content {
    let Ok(file) = file.open().await else { return Content::Missing };
    if room.get() == 0 {
        return Content::Handle(file);
    }
    match read_small(&file).await {
        Ok(Some(pieces)) => {
            let bytes: usize = pieces.iter().map(|piece| piece.length() as usize).sum();
            room.set(room.get().saturating_sub(bytes));
            Content::Bytes(pieces)
        }
        Ok(None) | Err(_) => Content::Handle(file),
    }
}

/// Reads a file; `None` for one of more than [`SMALL_BYTES`].
async fn read_small(file: &File) -> Result<Option<Vec<Uint8Array>>, JsValue> {
    let reader: ReadableStreamDefaultReader = file.stream().get_reader().unchecked_into();
    let (mut pieces, mut bytes) = (Vec::new(), 0);
    loop {
        let read = JsFuture::from(reader.read()).await?;
        if Reflect::get(&read, &JsValue::from_str("done"))?.is_truthy() {
            return Ok(Some(pieces));
        }
        let piece: Uint8Array = Reflect::get(&read, &JsValue::from_str("value"))?.dyn_into()?;
        bytes += piece.length();
        if bytes > SMALL_BYTES {
            // The promise settles when the browser has stopped reading; nothing waits for that.
            let _ = reader.cancel();
            return Ok(None);
        }
        pieces.push(piece);
    }
}

impl FromIterator<Content> for Contents {
    fn from_iter<I: IntoIterator<Item = Content>>(files: I) -> Self {
        let contents = Self::default();
        for file in files {
            match file {
                Content::Handle(file) => contents.values.push(&file),
                Content::Missing => contents.values.push(&JsValue::NULL),
                Content::Bytes(pieces) => {
                    pieces.iter().for_each(|piece| _ = contents.transferred.push(&piece.buffer()));
                    contents.values.push(&pieces.into_iter().collect::<Array>())
                }
            };
        }
        contents
    }
}
