//! Folders and files that stay on this device, in the part of the disk that belongs to this site alone (the origin private
//! file system). Nothing of it is sent anywhere, and the browser shows it to no other site.

use js_sys::{Function, Object, Promise, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::keep_error::KeepError;
use super::site::is_on_disk;

/// A folder on this device.
#[derive(Clone)]
pub struct KeptFolder(DirectoryHandle);

/// True where the browser can keep files.
pub fn can_keep() -> bool {
    // A page from the disk has no storage of its own.
    !is_on_disk() && storage().is_some_and(|storage| Reflect::has(&storage, &"getDirectory".into()) == Ok(true))
}

/// Asks the browser not to delete what is kept when the disk is full.
pub async fn request_persistence() {
    if let Some(storage) = storage()
        && let Ok(persist) =
            Reflect::get(&storage, &"persist".into()).and_then(|persist| persist.dyn_into::<Function>())
        && let Ok(promise) = persist.call0(&storage)
    {
        // A browser that does not promise it keeps them for as long as there is room.
        let _ = JsFuture::from(Promise::resolve(&promise)).await;
    }
}

impl KeptFolder {
    /// The folder of this site.
    ///
    /// # Errors
    /// Where the browser refuses, such as in a private window.
    pub async fn root() -> Result<Self, KeepError> {
        let storage = storage().ok_or(KeepError::NoStorage)?;
        let get: Function = Reflect::get(&storage, &"getDirectory".into())?.dyn_into()?;
        let root = JsFuture::from(Promise::resolve(&get.call0(&storage)?)).await?;
        Ok(Self(root.unchecked_into()))
    }

    /// A folder in it, made where it is not there.
    ///
    /// # Errors
    /// Where the browser refuses.
    pub async fn folder(&self, name: &str) -> Result<Self, KeepError> {
        let handle = JsFuture::from(self.0.get_directory_handle(name, &create(true))?).await?;
        Ok(Self(handle.unchecked_into()))
    }

    /// Names of what is in it.
    ///
    /// # Errors
    /// Where the folder can't be read.
    pub async fn names(&self) -> Result<Vec<String>, KeepError> {
        let keys = self.0.keys()?;
        let mut names = Vec::new();
        loop {
            let step = JsFuture::from(keys.next()?).await?;
            if Reflect::get(&step, &"done".into())?.is_truthy() {
                return Ok(names);
            }
            names.extend(Reflect::get(&step, &"value".into())?.as_string());
        }
    }

    /// A file in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn file(&self, name: &str) -> Result<File, KeepError> {
        let handle = JsFuture::from(self.0.get_file_handle(name, &create(false))?).await?;
        Ok(JsFuture::from(handle.unchecked_into::<FileHandle>().get_file()?).await?.dyn_into()?)
    }

    /// The text of a file in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn text(&self, name: &str) -> Result<String, KeepError> {
        let text = JsFuture::from(self.file(name).await?.text()).await?;
        text.as_string().ok_or(KeepError::FileChanged)
    }

    /// Writes a file, from a text or another file. What stood there stays until all is written.
    ///
    /// # Errors
    /// Where the disk or the browser's share of it is full, or the other file can't be read any more.
    pub async fn write(&self, name: &str, content: &JsValue) -> Result<(), KeepError> {
        let handle = JsFuture::from(self.0.get_file_handle(name, &create(true))?).await?;
        let stream = JsFuture::from(handle.unchecked_into::<FileHandle>().create_writable()?).await?;
        let stream: WritableStream = stream.unchecked_into();
        JsFuture::from(stream.write(content)?).await?;
        JsFuture::from(stream.close()?).await?;
        Ok(())
    }

    /// Removes a file or a folder with all that is in it.
    ///
    /// # Errors
    /// Where there is none.
    pub async fn remove(&self, name: &str) -> Result<(), KeepError> {
        let all = Object::new();
        Reflect::set(&all, &"recursive".into(), &JsValue::TRUE)?;
        JsFuture::from(self.0.remove_entry(name, &all)?).await?;
        Ok(())
    }
}

impl From<JsValue> for KeepError {
    fn from(exception: JsValue) -> Self {
        let name = Reflect::get(&exception, &"name".into()).ok().and_then(|name| name.as_string());
        Self::of_exception(&name.unwrap_or_default())
    }
}

fn storage() -> Option<JsValue> {
    let storage = Reflect::get(&window().navigator(), &"storage".into()).ok()?;
    storage.is_object().then_some(storage)
}

fn create(is_made: bool) -> Object {
    let options = Object::new();
    let _ = Reflect::set(&options, &"create".into(), &JsValue::from_bool(is_made));
    options
}

#[wasm_bindgen]
extern "C" {
    // web-sys has parts of these behind its unstable flag.
    #[derive(Clone)]
    type DirectoryHandle;
    #[wasm_bindgen(method, structural, catch, js_name = getDirectoryHandle)]
    fn get_directory_handle(this: &DirectoryHandle, name: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = getFileHandle)]
    fn get_file_handle(this: &DirectoryHandle, name: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = removeEntry)]
    fn remove_entry(this: &DirectoryHandle, name: &str, options: &Object) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn keys(this: &DirectoryHandle) -> Result<AsyncKeys, JsValue>;

    type AsyncKeys;
    #[wasm_bindgen(method, structural, catch)]
    fn next(this: &AsyncKeys) -> Result<Promise, JsValue>;

    type FileHandle;
    #[wasm_bindgen(method, structural, catch, js_name = getFile)]
    fn get_file(this: &FileHandle) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch, js_name = createWritable)]
    fn create_writable(this: &FileHandle) -> Result<Promise, JsValue>;

    type WritableStream;
    #[wasm_bindgen(method, structural, catch)]
    fn write(this: &WritableStream, content: &JsValue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn close(this: &WritableStream) -> Result<Promise, JsValue>;
}
