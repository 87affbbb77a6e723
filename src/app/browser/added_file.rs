//! A file that the user added. One of a dropped folder is opened when it is first read: to open one takes the browser 0.3 ms
//! of the page's time, and of many files the first would wait for the last (docs/decisions/many-files.md).

use std::cell::OnceCell;
use std::rc::Rc;

use js_sys::{Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileSystemFileEntry};

/// A file that is open or can be opened.
#[derive(Clone)]
pub enum AddedFile {
    /// It is open.
    Open(File),
    /// A file of a dropped folder, and what its entry gave when it was opened.
    InFolder(FileSystemFileEntry, Rc<OnceCell<File>>),
}

/// The browser could not open the file: it was moved or deleted since it was dropped, or may not be read.
pub struct CannotOpen;

impl AddedFile {
    /// A file of a dropped folder.
    pub fn in_folder(entry: FileSystemFileEntry) -> Self {
        Self::InFolder(entry, Rc::default())
    }

    /// The file's handle.
    ///
    /// # Errors
    /// [`CannotOpen`].
    pub async fn open(&self) -> Result<File, CannotOpen> {
        let (entry, opened) = match self {
            Self::Open(file) => return Ok(file.clone()),
            Self::InFolder(entry, opened) => (entry, opened),
        };
        if let Some(file) = opened.get() {
            return Ok(file.clone());
        }
        let file = promised(|resolve, reject| {
            entry.file_with_callback_and_callback(resolve, reject);
            Ok(())
        });
        let file: File = file.await.ok().and_then(|file| file.dyn_into().ok()).ok_or(CannotOpen)?;
        Ok(opened.get_or_init(|| file).clone())
    }
}

impl From<File> for AddedFile {
    fn from(file: File) -> Self {
        Self::Open(file)
    }
}

/// A call with two callbacks as a promise.
pub fn promised(call: impl Fn(&Function, &Function) -> Result<(), JsValue>) -> JsFuture {
    JsFuture::from(Promise::new(&mut |resolve, reject| {
        if let Err(error) = call(&resolve, &reject) {
            let _ = reject.call1(&JsValue::UNDEFINED, &error);
        }
    }))
}
