//! The browser around the page: files, storage, clipboard, downloads, timers. Nothing here knows of runs or views.

pub mod added_file;
pub mod changed_files;
pub mod clipboard;
pub mod download;
pub mod elements;
pub mod folder_walk;
pub mod foreign_requests;
pub mod keep_error;
pub mod kept_files;
pub mod kept_key;
pub mod named_hosts;
pub mod notifications;
pub mod offline;
pub mod server_address;
pub mod site;
pub mod storage;
pub mod timing;
pub mod trusted_types;
pub mod watched_folder;
