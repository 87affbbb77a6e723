//! Keeping what is loaded on this device, and opening it again.

use std::collections::BTreeSet;

use js_sys::Date;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::app_state::{AppState, Dialog};
use super::projects::kept_project::{KeptFile, KeptProject, KeptSource};
use super::projects::{self, MAX_BYTES};
use crate::app::browser::keep_error::KeepError;
use crate::app::browser::kept_files::{can_keep, request_persistence};
use crate::app::browser::kept_key::use_kept_key;
use crate::app::browser::watched_folder::stamp;
use crate::app::engine::{AskError, Source};
use rundown_protocol::{FileRow, QueryField, Request, Service};

impl AppState {
    /// Notes what the user wants, now and for the next visit.
    pub fn consent_to_keep(self, is_wanted: bool) {
        self.projects.remember_consent(is_wanted);
        if is_wanted {
            spawn_local(request_persistence());
            return self.save_runs();
        }
        self.projects.withdraw();
        if let Some(id) = self.projects.open.get_untracked() {
            self.projects.open.set(None);
            self.projects.forget(id);
            self.projects.has_unkept.set(self.has_files());
        }
    }

    /// Writes what is loaded to this device, if the user wants that; what is there already is not written again.
    pub fn save_runs(self) {
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
                self.fault.set(Some(format!("These runs are not kept on this device: {error}")));
            }
            if projects.end_writing() {
                self.save_runs();
            }
        });
    }

    /// True while files of the user's are loaded.
    pub fn has_files(self) -> bool {
        self.engine.has_files()
    }

    /// Reads a project again: what it was made of, one after the other.
    pub(super) fn read_project(self, project: KeptProject) {
        self.fault.set(None);
        self.engine.set_formats(project.formats.clone());
        let opening = self.projects.opening();
        self.projects.begin_reading();
        spawn_local(async move {
            let is_whole = self.read_kept(&project, opening).await;
            // What was closed meanwhile is not what is opened next.
            if self.projects.opening() == opening {
                self.projects.note_written(&project);
                // Else the next writing would leave out what could not be read: it makes a new project.
                self.projects.open.set(is_whole.then(|| project.id.clone()));
            }
            self.projects.end_reading();
            self.save_runs();
        });
    }

    /// True when everything was read. `opening` is that of its runs: once they are closed, or the user stops the reading, no
    /// more of it is read.
    async fn read_kept(self, project: &KeptProject, opening: u32) -> bool {
        let stops = self.projects.stops();
        let goes_on = || self.projects.opening() == opening && self.projects.stops() == stops;
        let Ok(folder) = projects::folder(&project.id).await else {
            self.fault.set(Some(format!("{} can't be read from this device any more.", project.title())));
            return false;
        };
        let mut is_whole = true;
        for source in &project.sources {
            let read = match source {
                KeptSource::Sample => Source::Sample,
                KeptSource::Files(files) => {
                    let handles = projects::handles(&folder, files).await;
                    is_whole &= handles.len() == files.len();
                    Source::Files(handles)
                }
                KeptSource::Removed(runs) => Source::Removed(runs.clone()),
                KeptSource::Server { service, address, server, runs } => {
                    self.name_server(*service, address, server);
                    self.has_asked.set(true);
                    Source::Server(self.server.get_untracked(), runs.clone())
                }
            };
            if !goes_on() {
                return false;
            }
            let outcome = self.engine.add_runs(read).await;
            let is_read = match &outcome {
                Ok(list) => list.fault.is_empty(),
                // Stopped by the page alone: everything is read once more, and this with it.
                Err(error) => *error == AskError::Cancelled,
            };
            self.finish_loading_in_background(outcome);
            if !goes_on() {
                return false;
            }
            is_whole &= is_read;
            if !is_read && matches!(source, KeptSource::Server { .. }) {
                // Most often for want of the key, which is not kept.
                self.open_dialog(Dialog::Connect);
            }
        }
        is_whole
    }

    /// Fills in where a project's runs are. A key goes to the server for which it was written, and to no other.
    fn name_server(self, service: Service, address: &str, server: &str) {
        self.server.update(|query| {
            let now = (query.service, query.field(QueryField::Address), query.field(QueryField::Server));
            if now == (service, address, server) {
                return;
            }
            query.service = service;
            query.write(QueryField::Address, address.to_owned());
            query.write(QueryField::Server, server.to_owned());
            use_kept_key(query);
        });
    }

    async fn write_project(self) -> Result<(), KeepError> {
        let opening = self.projects.opening();
        let ignored = self.ignored_files().await;
        let (sources, files) = kept_sources(self.engine.sources(), &ignored).await;
        let mut others = projects::list().await?;
        if sources.is_empty() || self.projects.opening() != opening || self.projects.is_withdrawn() {
            return Ok(());
        }
        let (id, before) = self.project_to_write(&mut others);
        let before = before.unwrap_or_else(|| KeptProject { id: id.clone(), ..KeptProject::default() });
        let mut project = self.runs.list.with_untracked(|list| KeptProject {
            id: id.clone(),
            name: list.project.clone(),
            runs: list.runs.len(),
            saved_ms: before.saved_ms,
            sources,
            formats: self.engine.formats(),
        });
        let fresh = project.number_files(&before);
        if project != before {
            let total: u64 = others.iter().map(KeptProject::bytes).sum::<u64>() + project.bytes();
            if total > MAX_BYTES {
                return Err(KeepError::TooLarge { total, most: MAX_BYTES });
            }
            project.saved_ms = Date::now();
            let written = projects::write(&project, &fresh, &files).await;
            if self.projects.is_withdrawn() {
                self.projects.forget(id);
                return Ok(());
            }
            written?;
        }
        if self.projects.opening() == opening {
            self.projects.note_written(&project);
            self.projects.open.set(Some(id));
            self.projects.has_unkept.set(false);
        } else {
            self.note_written_of_closed(&project, opening);
        }
        self.projects.note(project, others);
        Ok(())
    }

    /// Notes a project that was written when its runs were closed already: what is open now does not belong to it.
    fn note_written_of_closed(self, project: &KeptProject, opening: u32) {
        if self.projects.open.with_untracked(|open| open.as_ref() == Some(&project.id)) {
            // It was opened from this device as it was before. What is kept of it now has more, and stays as it is.
            return;
        }
        self.projects.note_written(project);
        self.projects.note_closed(opening, project.id.clone());
    }

    /// The id to write under, and what stands there, taken out of the projects of this device. A project that another tab
    /// has written since stays as it is, with what was added there.
    fn project_to_write(self, kept: &mut Vec<KeptProject>) -> (String, Option<KeptProject>) {
        let new_id = || format!("p{:.0}", Date::now());
        let Some(id) = self.projects.open.get_untracked() else { return (new_id(), None) };
        let Some(index) = kept.iter().position(|known| known.id == id) else { return (id, None) };
        if kept.get(index).is_some_and(|known| self.projects.is_known(known)) {
            return (id, Some(kept.remove(index)));
        }
        let what =
            "Another tab has changed what is kept of this project. What is open here is kept as a project of its own.";
        self.fault.set(Some(what.to_owned()));
        (new_id(), None)
    }

    /// Paths of the files that the engine has no use for: checkpoints are large.
    async fn ignored_files(self) -> BTreeSet<String> {
        let files: Vec<FileRow> = self.engine.request(Request::ListFiles).await.unwrap_or_default();
        files.into_iter().filter(FileRow::is_ignored).map(|file| file.path).collect()
    }
}

/// What is written down of sources, and their files in the order of [`KeptProject::files`]. A file that cannot be opened is left
/// out: its runs are not there either.
async fn kept_sources(sources: Vec<Source>, ignored: &BTreeSet<String>) -> (Vec<KeptSource>, Vec<File>) {
    let (mut kept, mut handles) = (Vec::with_capacity(sources.len()), Vec::new());
    for source in sources {
        kept.push(match source {
            Source::Sample => KeptSource::Sample,
            Source::Removed(runs) => KeptSource::Removed(runs),
            Source::Server(query, runs) => KeptSource::Server {
                service: query.service,
                address: query.field(QueryField::Address).to_owned(),
                server: query.field(QueryField::Server).to_owned(),
                runs,
            },
            Source::Files(files) => {
                let mut described = Vec::with_capacity(files.len());
                for (path, file) in files {
                    if ignored.contains(&path) {
                        continue;
                    }
                    let Ok(file) = file.open().await else { continue };
                    let (size, modified_ms) = stamp(&file);
                    described.push(KeptFile { number: 0, path, bytes: size as u64, modified_ms });
                    handles.push(file);
                }
                KeptSource::Files(described)
            }
        });
    }
    (kept, handles)
}
