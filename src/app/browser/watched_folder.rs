//! A folder that stays readable after it was chosen (the File System Access API), so that it can be looked at again.

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

/// A folder that the user chose.
#[derive(Clone)]
pub struct WatchedFolder(FolderHandle);

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
                if entry.kind() == "directory" {
                    waiting.push((path, entry));
                } else if let Ok(file) = file_of(&entry).await {
                    files.push((path, file));
                }
            }
        }
        Ok(files)
    }
}

async fn entries(folder: &FolderHandle) -> Result<Vec<FolderHandle>, JsValue> {
    let values = folder.values()?;
    let mut found = Vec::new();
    loop {
        let step = JsFuture::from(values.next()?).await?;
        if Reflect::get(&step, &JsValue::from_str("done"))?.is_truthy() {
            return Ok(found);
        }
        found.push(Reflect::get(&step, &JsValue::from_str("value"))?.unchecked_into());
    }
}

async fn file_of(entry: &FolderHandle) -> Result<File, JsValue> {
    JsFuture::from(entry.get_file()?).await?.dyn_into()
}

/// Size in bytes and time of the last change in milliseconds: what tells that a file has changed.
pub fn stamp(file: &File) -> (f64, f64) {
    (file.size(), file.last_modified())
}

#[wasm_bindgen]
extern "C" {
    // web-sys has parts of these behind its unstable flag. A file's handle is one with `getFile` alone.
    #[derive(Clone)]
    type FolderHandle;
    #[wasm_bindgen(method, structural, getter)]
    fn name(this: &FolderHandle) -> String;
    #[wasm_bindgen(method, structural, getter)]
    fn kind(this: &FolderHandle) -> String;
    #[wasm_bindgen(method, structural, catch)]
    fn values(this: &FolderHandle) -> Result<AsyncValues, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = getFile)]
    fn get_file(this: &FolderHandle) -> Result<Promise, JsValue>;

    type AsyncValues;
    #[wasm_bindgen(method, structural, catch)]
    fn next(this: &AsyncValues) -> Result<Promise, JsValue>;
}
