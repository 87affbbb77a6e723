//! Files out of a drop or a file chooser. Dropped folders are walked here: the engine gets a flat list of paths, and reads
//! only what it needs. A file of a folder is opened when it is read (docs/decisions/many-files.md).

use std::collections::VecDeque;

use js_sys::{Array, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, File, FilePropertyBag, FileSystemDirectoryEntry, FileSystemEntry, HtmlInputElement};

use super::added_file::{AddedFile, promised};
use super::timing::pause;

/// Files that are handled in one task: of thousands each task would keep the page from answering.
const AT_ONCE: usize = 250;

/// A path relative to what was dropped, and the file.
pub type NamedFile = (String, AddedFile);

/// What a walk found.
pub struct Found {
    /// Files in the order of the walk.
    pub files: Vec<NamedFile>,
    /// Folders that the browser could not open.
    pub lost: usize,
}

/// A file made of a text.
pub fn text_file(name: &str, text: &str) -> Option<NamedFile> {
    let file = File::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)), name).ok()?;
    Some((name.to_owned(), file.into()))
}

/// A file under another path and with the time of its last change, in milliseconds since 1970. Its bytes stay where they
/// are.
pub fn dated(path: String, file: &File, modified_ms: f64) -> NamedFile {
    let options = FilePropertyBag::new();
    options.set_last_modified(modified_ms);
    let name = path.rsplit('/').next().unwrap_or(&path);
    let dated = File::new_with_blob_sequence_and_options(&Array::of1(file), name, &options);
    (path, dated.unwrap_or_else(|_| file.clone()).into())
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
                _ => dropped.files.extend(item.get_as_file().ok().flatten().map(named)),
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

    /// Walks through the folders breadth-first. `found` is called with the number of files of each of them and says whether to go
    /// on; `None` when it did not.
    pub async fn walk(self, found: impl Fn(usize) -> bool) -> Option<Found> {
        let mut all = Found { files: self.files, lost: 0 };
        let mut folders = VecDeque::new();
        sort_out(self.entries, &mut all.files, &mut folders);
        let mut counted = 0;
        loop {
            if !found(all.files.len() - counted) {
                return None;
            }
            counted = all.files.len();
            let Some(folder) = folders.pop_front() else { return Some(all) };
            if read_folder(&folder, &mut all.files, &mut folders).await.is_err() {
                all.lost += 1;
            }
        }
    }
}

/// What was chosen in a file or folder chooser, which is emptied so that the same can be chosen again.
pub async fn chosen(input: HtmlInputElement) -> Vec<NamedFile> {
    let list = input.files().map(|list| Array::from(&list)).unwrap_or_default();
    input.set_value("");
    let mut files = Vec::with_capacity(list.length() as usize);
    for (index, file) in list.iter().enumerate() {
        if index % AT_ONCE == AT_ONCE - 1 {
            pause(0).await;
        }
        files.push(named(file.unchecked_into()));
    }
    files
}

/// A file with its path below what was chosen.
fn named(file: File) -> NamedFile {
    (relative_path(&file).unwrap_or_else(|| file.name()), file.into())
}

/// Adds each entry to the files or to the folders.
fn sort_out(
    entries: impl IntoIterator<Item = FileSystemEntry>,
    files: &mut Vec<NamedFile>,
    folders: &mut VecDeque<FileSystemDirectoryEntry>,
) {
    for entry in entries {
        if entry.is_directory() {
            folders.push_back(entry.unchecked_into());
        } else {
            let path = entry.full_path().trim_start_matches('/').to_owned();
            files.push((path, AddedFile::in_folder(entry.unchecked_into())));
        }
    }
}

/// Adds what is in a folder. A reader gives about a hundred entries at a time and none at the end.
async fn read_folder(
    folder: &FileSystemDirectoryEntry,
    files: &mut Vec<NamedFile>,
    folders: &mut VecDeque<FileSystemDirectoryEntry>,
) -> Result<(), JsValue> {
    let reader = folder.create_reader();
    loop {
        let batch = promised(|resolve, reject| reader.read_entries_with_callback_and_callback(resolve, reject)).await?;
        let batch: Array = batch.dyn_into()?;
        if batch.length() == 0 {
            return Ok(());
        }
        sort_out(batch.iter().map(JsCast::unchecked_into), files, folders);
    }
}

/// Where a file lies below the chosen folder; `None` for a file that was chosen by itself.
fn relative_path(file: &File) -> Option<String> {
    let path = Reflect::get(file, &JsValue::from_str("webkitRelativePath")).ok()?.as_string()?;
    (!path.is_empty()).then_some(path)
}
