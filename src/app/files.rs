//! Files out of a drop or a file chooser. Dropped folders are walked here: the engine gets a flat list of paths and
//! handles, and reads only what it needs.

use crate::format::plural;
use std::collections::VecDeque;

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry, HtmlInputElement};

use super::reactive::spawn;
use super::store::Store;

/// A path relative to what was dropped, and the file's handle.
type NamedFile = (String, File);

/// Adds what was dropped. Must run within the drop event: the browser forgets the entries after it.
pub fn add_dropped(store: Store, transfer: &DataTransfer) {
    let items = transfer.items();
    let mut entries = Vec::new();
    let mut files = Vec::new();
    for index in 0..items.length() {
        let Some(item) = items.get(index).filter(|item| item.kind() == "file") else { continue };
        match item.webkit_get_as_entry() {
            Ok(Some(entry)) => entries.push(entry),
            _ => files.extend(item.get_as_file().ok().flatten().map(|file| (file.name(), file))),
        }
    }
    if entries.is_empty() && files.is_empty() {
        // A dragged text or link is not for this page.
        return;
    }
    spawn(async move {
        let Some(lost) = walk(store, entries, &mut files).await else { return };
        store.add_files(files);
        if lost > 0 {
            let lost = format!("{lost} {}", plural(lost, "file or folder", "files or folders"));
            store.fault.set(Some(format!("{lost} could not be opened by the browser and were skipped.")));
        }
    });
}

/// Adds what was chosen in a file or folder chooser, and empties the chooser so that the same can be chosen again.
pub fn add_chosen(store: Store, input: &HtmlInputElement) {
    let Some(list) = input.files() else { return };
    let files: Vec<NamedFile> = (0..list.length())
        .filter_map(|index| list.get(index))
        .map(|file| {
            let path = relative_path(&file).unwrap_or_else(|| file.name());
            (path, file)
        })
        .collect();
    input.set_value("");
    // Closing the chooser without a choice is not a mistake.
    if !files.is_empty() {
        store.add_files(files);
    }
}

/// Walks folders breadth-first and counts what can't be opened; `None` when the user stopped it.
async fn walk(store: Store, entries: Vec<FileSystemEntry>, files: &mut Vec<NamedFile>) -> Option<usize> {
    let began = store.walks.get_untracked().stopped;
    let goes_on = move || store.walks.get_untracked().stopped == began;
    store.walks.update(|walks| walks.active += 1);
    let mut lost = 0;
    let mut waiting = VecDeque::from([entries]);
    while let Some(level) = waiting.pop_front() {
        let (folders, leaves): (Vec<_>, Vec<_>) = level.into_iter().partition(FileSystemEntry::is_directory);
        let found = open_all(leaves).await;
        if !goes_on() {
            return None;
        }
        let before = files.len();
        lost += found.iter().filter(|file| file.is_none()).count();
        files.extend(found.into_iter().flatten());
        store.walks.update(|walks| walks.found += files.len() - before);
        for folder in folders {
            match children(folder.unchecked_ref()).await {
                Ok(found) => waiting.push_back(found),
                Err(_) => lost += 1,
            }
        }
    }
    if !goes_on() {
        return None;
    }
    store.walks.update(|walks| {
        walks.active = walks.active.saturating_sub(1);
        if walks.active == 0 {
            walks.found = 0;
        }
    });
    Some(lost)
}

/// All entries of a folder. A reader gives at most about a hundred at a time and none at the end.
async fn children(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut found: Vec<FileSystemEntry> = Vec::new();
    loop {
        let batch = promised(|resolve, reject| reader.read_entries_with_callback_and_callback(resolve, reject)).await?;
        let batch: Array = batch.dyn_into()?;
        if batch.length() == 0 {
            return Ok(found);
        }
        found.extend(batch.iter().map(JsCast::unchecked_into::<FileSystemEntry>));
    }
}

/// Opens files side by side: one after the other a folder of thousands would take seconds.
async fn open_all(entries: Vec<FileSystemEntry>) -> Vec<Option<NamedFile>> {
    let opening: Vec<(String, JsFuture)> = entries
        .iter()
        .map(|entry| {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            let file: &FileSystemFileEntry = entry.unchecked_ref();
            let opened = promised(|resolve, reject| {
                file.file_with_callback_and_callback(resolve, reject);
                Ok(())
            });
            (path, opened)
        })
        .collect();
    let mut files = Vec::with_capacity(opening.len());
    for (path, opened) in opening {
        let file = opened.await.ok().and_then(|file| file.dyn_into::<File>().ok());
        files.push(file.map(|file| (path, file)));
    }
    files
}

/// A call with two callbacks as a promise.
fn promised(call: impl Fn(&Function, &Function) -> Result<(), JsValue>) -> JsFuture {
    JsFuture::from(Promise::new(&mut |resolve, reject| {
        if let Err(error) = call(&resolve, &reject) {
            let _ = reject.call1(&JsValue::UNDEFINED, &error);
        }
    }))
}

/// Where a file lies below the chosen folder; `None` for a file that was chosen by itself.
fn relative_path(file: &File) -> Option<String> {
    let path = Reflect::get(file, &JsValue::from_str("webkitRelativePath")).ok()?.as_string()?;
    (!path.is_empty()).then_some(path)
}
