//! A folder that stays readable after it was chosen (the File System Access API), so that it can be looked at again.
//! `showDirectoryPicker` is called by its name: web-sys has it behind its unstable flag.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemHandle, FileSystemHandleKind};

use super::kept_files::items;

/// A folder that the user chose.
#[derive(Clone)]
pub struct WatchedFolder(FileSystemDirectoryHandle);

/// True where the browser can give such a folder.
pub fn can_watch() -> bool {
    Reflect::has(&window(), &JsValue::from_str("showDirectoryPicker")) == Ok(true)
}

/// Lets the user choose a folder; `None` when they chose none. Must run within a click or a key.
pub async fn choose_folder() -> Option<WatchedFolder> {
    let choose: Function = Reflect::get(&window(), &JsValue::from_str("showDirectoryPicker")).ok()?.dyn_into().ok()?;
    let promise: Promise = choose.call0(&window()).ok()?.dyn_into().ok()?;
    let handle = JsFuture::from(promise).await.ok()?;
    Some(WatchedFolder(handle.unchecked_into()))
}

impl WatchedFolder {
    /// Its name.
    pub fn name(&self) -> String {
        self.0.name()
    }

    /// Every file in it, with its path below the folder's parent.
    ///
    /// # Errors
    /// Where the folder itself can't be read any more. A file that is gone meanwhile is left out.
    pub async fn files(&self) -> Result<Vec<(String, File)>, JsValue> {
        let mut files = Vec::new();
        let mut waiting = vec![(self.name(), self.0.clone())];
        let mut is_first = true;
        while let Some((path, folder)) = waiting.pop() {
            let entries = match entries(&folder).await {
                Ok(entries) => entries,
                Err(error) if is_first => return Err(error),
                Err(_) => continue,
            };
            is_first = false;
            for entry in entries {
                let path = format!("{path}/{}", entry.name());
                if entry.kind() == FileSystemHandleKind::Directory {
                    waiting.push((path, entry.unchecked_into()));
                } else if let Ok(file) = file_of(entry.unchecked_into()).await {
                    files.push((path, file));
                }
            }
        }
        Ok(files)
    }
}

async fn entries(folder: &FileSystemDirectoryHandle) -> Result<Vec<FileSystemHandle>, JsValue> {
    Ok(items(&folder.values()).await?.into_iter().map(JsCast::unchecked_into).collect())
}

async fn file_of(handle: FileSystemFileHandle) -> Result<File, JsValue> {
    JsFuture::from(handle.get_file()).await?.dyn_into()
}

/// Size in bytes and time of the last change in milliseconds: what tells that a file has changed.
pub fn stamp(file: &File) -> (f64, f64) {
    (file.size(), file.last_modified())
}
