//! Folders and files that stay on this device, in the part of the disk that belongs to this site alone (the origin private
//! file system). Nothing of it is sent anywhere, and the browser shows it to no other site.
//!
//! Methods of web-sys that give a promise do not catch what a browser without them throws: what not all browsers have
//! (`navigator.storage`, `getDirectory`, `createWritable`) is looked for before it is called.

use js_sys::{AsyncIterator, IteratorNext, Reflect};
use leptos::prelude::window;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryHandle, FileSystemFileHandle, FileSystemGetDirectoryOptions, FileSystemGetFileOptions,
    FileSystemRemoveOptions, FileSystemWritableFileStream, StorageManager,
};

use super::keep_error::KeepError;
use super::site::is_on_disk;

/// A folder on this device.
#[derive(Clone)]
pub struct KeptFolder(FileSystemDirectoryHandle);

/// True where the browser can keep files.
pub fn can_keep() -> bool {
    // A page from the disk has no storage of its own.
    !is_on_disk() && storage().is_some_and(|storage| has_method(&storage, "getDirectory"))
}

/// Asks the browser not to delete what is kept when the disk is full.
pub async fn request_persistence() {
    if let Some(Ok(promise)) = storage().map(|storage| storage.persist()) {
        // A browser that does not promise it keeps them for as long as there is room.
        let _ = JsFuture::from(promise).await;
    }
}

impl KeptFolder {
    /// The folder of this site.
    ///
    /// # Errors
    /// Where the browser refuses, such as in a private window.
    pub async fn root() -> Result<Self, KeepError> {
        let storage = storage().filter(|storage| has_method(storage, "getDirectory")).ok_or(KeepError::NoStorage)?;
        Ok(Self(JsFuture::from(storage.get_directory()).await?.unchecked_into()))
    }

    /// A folder in it, made where it is not there.
    ///
    /// # Errors
    /// Where the browser refuses.
    pub async fn folder(&self, name: &str) -> Result<Self, KeepError> {
        let options = FileSystemGetDirectoryOptions::new();
        options.set_create(true);
        let handle = JsFuture::from(self.0.get_directory_handle_with_options(name, &options)).await?;
        Ok(Self(handle.unchecked_into()))
    }

    /// Names of what is in it.
    ///
    /// # Errors
    /// Where the folder can't be read.
    pub async fn names(&self) -> Result<Vec<String>, KeepError> {
        Ok(items(&self.0.keys()).await?.iter().filter_map(JsValue::as_string).collect())
    }

    /// A file in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn file(&self, name: &str) -> Result<File, KeepError> {
        let handle = JsFuture::from(self.0.get_file_handle(name)).await?;
        let file = JsFuture::from(handle.unchecked_into::<FileSystemFileHandle>().get_file()).await?;
        Ok(file.dyn_into()?)
    }

    /// The text of a file in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn text(&self, name: &str) -> Result<String, KeepError> {
        let text = JsFuture::from(self.file(name).await?.text()).await?;
        text.as_string().ok_or(KeepError::FileChanged)
    }

    /// Writes a text. What stood there stays until all is written.
    ///
    /// # Errors
    /// Where the disk or the browser's share of it is full.
    pub async fn write_text(&self, name: &str, text: &str) -> Result<(), KeepError> {
        let stream = self.writable(name).await?;
        JsFuture::from(stream.write_with_str(text)?).await?;
        JsFuture::from(stream.close()).await?;
        Ok(())
    }

    /// Writes what another file holds. What stood there stays until all is written.
    ///
    /// # Errors
    /// Where the disk or the browser's share of it is full, or the other file can't be read any more.
    pub async fn write_file(&self, name: &str, file: &File) -> Result<(), KeepError> {
        let stream = self.writable(name).await?;
        JsFuture::from(stream.write_with_blob(file)?).await?;
        JsFuture::from(stream.close()).await?;
        Ok(())
    }

    async fn writable(&self, name: &str) -> Result<FileSystemWritableFileStream, KeepError> {
        let options = FileSystemGetFileOptions::new();
        options.set_create(true);
        let handle = JsFuture::from(self.0.get_file_handle_with_options(name, &options)).await?;
        if !has_method(&handle, "createWritable") {
            return Err(KeepError::ReadOnly);
        }
        let stream = JsFuture::from(handle.unchecked_into::<FileSystemFileHandle>().create_writable()).await?;
        Ok(stream.unchecked_into())
    }

    /// Removes a file or a folder with all that is in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn remove(&self, name: &str) -> Result<(), KeepError> {
        let options = FileSystemRemoveOptions::new();
        options.set_recursive(true);
        JsFuture::from(self.0.remove_entry_with_options(name, &options)).await?;
        Ok(())
    }
}

impl From<JsValue> for KeepError {
    fn from(exception: JsValue) -> Self {
        let name = Reflect::get(&exception, &"name".into()).ok().and_then(|name| name.as_string());
        Self::of_exception(&name.unwrap_or_default())
    }
}

/// Everything that an iterator over a folder gives.
///
/// # Errors
/// Where the folder can't be read.
pub async fn items(iterator: &AsyncIterator) -> Result<Vec<JsValue>, JsValue> {
    let mut items = Vec::new();
    loop {
        let next: IteratorNext = JsFuture::from(iterator.next()?).await?.unchecked_into();
        if next.done() {
            return Ok(items);
        }
        items.push(next.value());
    }
}

fn storage() -> Option<StorageManager> {
    let storage = window().navigator().storage();
    storage.is_object().then_some(storage)
}

fn has_method(object: &JsValue, name: &str) -> bool {
    Reflect::has(object, &name.into()) == Ok(true)
}
