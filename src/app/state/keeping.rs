//! Keeping what is loaded on this device, and opening it again.

use js_sys::{Date, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::File;

use super::app_state::{AppState, Dialog};
use super::kept_project::{KeptFile, KeptProject, KeptSource};
use super::projects::{self, MOST_BYTES};
use crate::app::browser::kept_files::{ask_to_last, can_keep};
use crate::app::browser::watched_folder::stamp;
use crate::app::engine::Source;
use crate::format::bytes;
use crate::protocol::{QueryField, Reply, Request};

/// What the engine calls a file that it has no use for: checkpoints are large.
const IGNORED: &str = "ignored file";

impl AppState {
    /// Notes what the user wants, now and for the next visit.
    pub fn consent_to_keep(self, is_wanted: bool) {
        self.projects.remember_consent(is_wanted);
        if is_wanted {
            spawn_local(ask_to_last());
            self.keep_runs();
        } else if let Some(id) = self.projects.open.get_untracked() {
            self.projects.open.set(None);
            self.projects.forget(id);
            self.projects.has_unkept.set(self.has_files());
        }
    }

    /// Writes what is loaded to this device, if the user wants that; what is there already is not written again.
    pub fn keep_runs(self) {
        let projects = self.projects;
        let is_wanted = projects.consent.get_untracked() == Some(true) && can_keep();
        if !is_wanted || !self.runs.is_loaded.get_untracked() {
            return;
        }
        if !projects.begin_writing() {
            return;
        }
        spawn_local(async move {
            if let Err(error) = self.write_project().await {
                self.fault.set(Some(format!("These runs are not kept on this device: {}", reason(&error))));
            }
            if projects.end_writing() {
                self.keep_runs();
            }
        });
    }

    /// True while files of the user's are loaded.
    pub fn has_files(self) -> bool {
        self.engine.sources().iter().any(|source| matches!(source, Source::Files(_)))
    }

    /// Opens a project again.
    pub fn open_kept(self, project: &KeptProject) {
        let project = project.clone();
        self.fault.set(None);
        self.projects.open.set(Some(project.id.clone()));
        self.engine.keep_formats(project.formats.clone());
        spawn_local(async move {
            let folder = projects::folder(&project.id).await;
            let Ok(folder) = folder else {
                self.fault.set(Some(format!("{} can't be read from this device any more.", project.title())));
                return;
            };
            for source in project.sources {
                match source {
                    KeptSource::Sample => self.add_sample(),
                    KeptSource::Removed(ids) => self.engine.remove(ids, move |outcome| self.settle(outcome)),
                    KeptSource::Files(files) => self.add_files(projects::handles(&folder, files).await),
                    KeptSource::Server { service, address, server, .. } => {
                        self.server.update(|query| {
                            let place =
                                (query.service, query.field(QueryField::Address), query.field(QueryField::Server));
                            // A key goes to the server for which it was written, and to no other.
                            if place != (service, address.as_str(), server.as_str()) {
                                query.write(QueryField::Key, String::new());
                            }
                            query.service = service;
                            query.write(QueryField::Address, address);
                            query.write(QueryField::Server, server);
                        });
                        self.open_dialog(Dialog::Connect);
                    }
                }
            }
        });
    }

    async fn write_project(self) -> Result<(), JsValue> {
        let ignored = self.ignored_files().await;
        let sources = self.engine.sources();
        let id = self.projects.open.get_untracked().unwrap_or_else(|| format!("p{:.0}", Date::now()));
        let mut others = projects::list().await?;
        let before = others.iter().position(|known| known.id == id).map(|place| others.remove(place));
        let before = before.unwrap_or_else(|| KeptProject { id: id.clone(), ..KeptProject::default() });
        let mut project = self.runs.list.with_untracked(|list| KeptProject {
            id: id.clone(),
            name: list.project.clone(),
            runs: list.runs.len(),
            saved_ms: before.saved_ms,
            sources: sources.iter().map(|source| kept_source(source, &ignored)).collect(),
            formats: self.engine.formats(),
        });
        let fresh = project.place_files(&before);
        if project != before {
            let total: u64 = others.iter().map(KeptProject::bytes).sum::<u64>() + project.bytes();
            if total > MOST_BYTES {
                let (total, most) = (bytes(total), bytes(MOST_BYTES));
                let what = format!(
                    "with what is kept already they would take {total}, and at most {most} are kept. \
                                    Forget a project on the first screen."
                );
                return Err(JsValue::from_str(&what));
            }
            project.saved_ms = Date::now();
            let files: Vec<&File> = kept_handles(&sources, &ignored).collect();
            projects::write(&project, &fresh, &files).await?;
        }
        self.projects.open.set(Some(id));
        self.projects.note(project, others);
        self.projects.has_unkept.set(false);
        Ok(())
    }

    async fn ignored_files(self) -> Vec<String> {
        match self.engine.request(Request::ListFiles).await {
            Ok((Reply::Files(files), _)) => {
                files.into_iter().filter(|(_, format)| format == IGNORED).map(|(path, _)| path).collect()
            }
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

fn kept_source(source: &Source, ignored: &[String]) -> KeptSource {
    match source {
        Source::Sample => KeptSource::Sample,
        Source::Removed(ids) => KeptSource::Removed(ids.clone()),
        Source::Server(query, runs) => KeptSource::Server {
            service: query.service,
            address: query.field(QueryField::Address).to_owned(),
            server: query.field(QueryField::Server).to_owned(),
            runs: runs.clone(),
        },
        Source::Files(files) => {
            let files = files.iter().filter(|(path, _)| ignored.binary_search(path).is_err());
            KeptSource::Files(
                files
                    .map(|(path, file)| {
                        let (size, modified_ms) = stamp(file);
                        KeptFile { place: 0, path: path.clone(), bytes: size as u64, modified_ms }
                    })
                    .collect(),
            )
        }
    }
}

/// The files of all sources that are kept, in the order of [`KeptProject::files`].
fn kept_handles<'a>(sources: &'a [Source], ignored: &'a [String]) -> impl Iterator<Item = &'a File> {
    sources.iter().flat_map(move |source| {
        let files = match source {
            Source::Files(files) => files.as_slice(),
            _ => &[],
        };
        files.iter().filter(|(path, _)| ignored.binary_search(path).is_err()).map(|(_, file)| file)
    })
}

/// Why the browser did not keep something, in words.
fn reason(error: &JsValue) -> String {
    if let Some(words) = error.as_string() {
        return words;
    }
    let name = Reflect::get(error, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default();
    match name.as_str() {
        "QuotaExceededError" => "the browser's storage is full. Forget a project on the first screen.".to_owned(),
        "NotReadableError" | "NotFoundError" => "a file has changed or is gone since it was added.".to_owned(),
        "TypeError" => "this browser can't write files for a page.".to_owned(),
        "" => "the browser refused.".to_owned(),
        name => format!("the browser refused ({name})."),
    }
}
