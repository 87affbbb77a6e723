//! Files out of a drop or a file chooser. Dropped folders are walked here: the engine gets a flat list of paths and
//! handles, and reads only what it needs.

use std::collections::VecDeque;

use futures_util::future::join_all;
use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, File, FilePropertyBag, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry,
    HtmlInputElement,
};

use super::timing::pause;

/// Files that are handled in one task: of thousands each task would keep the page from answering.
const AT_ONCE: usize = 250;
/// Files that are opened side by side: one after the other a folder of thousands would take seconds. The browser hands over what is
/// open in one task, in which each takes 0.4 ms.
const OPENED_AT_ONCE: usize = 64;

/// A path relative to what was dropped, and the file's handle.
pub type NamedFile = (String, File);

/// What a walk found.
pub struct Found {
    /// Files in the order of the walk.
    pub files: Vec<NamedFile>,
    /// Files and folders that the browser could not open.
    pub lost: usize,
}

/// A file made of a text.
pub fn text_file(name: &str, text: &str) -> Option<NamedFile> {
    let file = File::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)), name).ok()?;
    Some((name.to_owned(), file))
}

/// A file under another path and with the time of its last change, in milliseconds since 1970. Its bytes stay where they
/// are.
pub fn dated(path: String, file: &File, modified_ms: f64) -> NamedFile {
    let options = FilePropertyBag::new();
    options.set_last_modified(modified_ms);
    let name = path.rsplit('/').next().unwrap_or(&path);
    let dated = File::new_with_blob_sequence_and_options(&Array::of1(file), name, &options);
    (path, dated.unwrap_or_else(|_| file.clone()))
}

/// What was dropped: entries to walk through, and files that have none.
pub struct Dropped {
    entries: Vec<FileSystemEntry>,
    files: Vec<NamedFile>,
}

impl Dropped {
    /// Reads a drop. Must run within the drop event: the browser forgets the entries after it. `None` for a dragged
    /// text or link.
    pub fn of(transfer: &DataTransfer) -> Option<Self> {
        let items = transfer.items();
        let mut dropped = Self { entries: Vec::new(), files: Vec::new() };
        for index in 0..items.length() {
            let Some(item) = items.get(index).filter(|item| item.kind() == "file") else { continue };
            match item.webkit_get_as_entry() {
                Ok(Some(entry)) => dropped.entries.push(entry),
                _ => dropped.files.extend(item.get_as_file().ok().flatten().map(|file| (file.name(), file))),
            }
        }
        (!dropped.entries.is_empty() || !dropped.files.is_empty()).then_some(dropped)
    }

    /// What was dropped before this program had come: `FileSystemEntry` objects, and files that have none.
    pub fn of_early(entries: &Array, files: &Array) -> Option<Self> {
        let entries: Vec<FileSystemEntry> = entries.iter().map(JsCast::unchecked_into).collect();
        let files: Vec<NamedFile> = files.iter().filter_map(|file| file.dyn_into::<File>().ok()).map(named).collect();
        (!entries.is_empty() || !files.is_empty()).then_some(Self { entries, files })
    }

    /// Walks through the folders breadth-first. `found` hears of each level's files and says whether to go on; `None`
    /// when it did not.
    pub async fn walk(self, found: impl Fn(usize) -> bool) -> Option<Found> {
        let mut all = Found { files: self.files, lost: 0 };
        let mut waiting = VecDeque::from([self.entries]);
        while let Some(level) = waiting.pop_front() {
            let (folders, leaves): (Vec<_>, Vec<_>) = level.into_iter().partition(FileSystemEntry::is_directory);
            let opened = open_all(leaves).await;
            all.lost += opened.iter().filter(|file| file.is_none()).count();
            let before = all.files.len();
            all.files.extend(opened.into_iter().flatten());
            if !found(all.files.len() - before) {
                return None;
            }
            for folder in folders {
                match children(folder.unchecked_ref()).await {
                    Ok(inside) => waiting.push_back(inside),
                    Err(_) => all.lost += 1,
                }
            }
        }
        Some(all)
    }
}

/// What was chosen in a file or folder chooser, which is emptied so that the same can be chosen again.
pub async fn chosen(input: HtmlInputElement) -> Vec<NamedFile> {
    let list = input.files().map(|list| Array::from(&list)).unwrap_or_default();
    input.set_value("");
    let mut files = Vec::with_capacity(list.length() as usize);
    for (place, file) in list.iter().enumerate() {
        if place % AT_ONCE == AT_ONCE - 1 {
            pause(0).await;
        }
        files.push(named(file.unchecked_into()));
    }
    files
}

/// A file with its path below what was chosen.
fn named(file: File) -> NamedFile {
    (relative_path(&file).unwrap_or_else(|| file.name()), file)
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

/// Opens files, many side by side, in their order.
async fn open_all(entries: Vec<FileSystemEntry>) -> Vec<Option<NamedFile>> {
    let mut files = Vec::with_capacity(entries.len());
    for some in entries.chunks(OPENED_AT_ONCE) {
        files.extend(join_all(some.iter().map(open)).await);
        pause(0).await;
    }
    files
}

/// Opens a file; `None` where the browser can't.
async fn open(entry: &FileSystemEntry) -> Option<NamedFile> {
    let path = entry.full_path().trim_start_matches('/').to_owned();
    let file: &FileSystemFileEntry = entry.unchecked_ref();
    let opened = promised(|resolve, reject| {
        file.file_with_callback_and_callback(resolve, reject);
        Ok(())
    });
    Some((path, opened.await.ok()?.dyn_into().ok()?))
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
