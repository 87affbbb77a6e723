//! Projects that stay on this device, with the user's consent: their files in the browser's own storage, never a key.

pub mod kept_project;

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use self::kept_project::{KeptFile, KeptProject};
use crate::app::browser::folder_walk::{NamedFile, dated};
use crate::app::browser::keep_error::KeepError;
use crate::app::browser::kept_files::{KeptFolder, can_keep};
use crate::app::browser::storage;

/// Where this browser remembers whether the user wants that.
const CONSENT: &str = "rundown-keep";
/// The folder of all projects.
const FOLDER: &str = "projects";
/// The file that says what a project is.
const MANIFEST: &str = "project";
/// Most bytes of all projects together.
pub const MAX_BYTES: u64 = 2_000_000_000;
/// Most projects; the oldest go.
const MAX_PROJECTS: usize = 12;

/// The projects on this device. Copies are the same.
#[derive(Clone, Copy)]
pub struct Projects {
    /// What is kept, newest first.
    pub kept: RwSignal<Arc<Vec<KeptProject>>>,
    /// What the user said; `None` before they did.
    pub consent: RwSignal<Option<bool>>,
    /// Id of the project that the loaded runs belong to, once they are kept.
    pub open: RwSignal<Option<String>>,
    /// True while files are loaded that are not kept.
    pub has_unkept: RwSignal<bool>,
    /// Ids of projects that this tab has read or written, and when they were written then.
    written: StoredValue<Vec<(String, f64)>>,
    /// Ids of the projects that closed runs belong to, by opening.
    closed: StoredValue<BTreeMap<u32, String>>,
    work: StoredValue<Work>,
}

/// The reading and writing of projects: one writing ends before the next begins, and none begins while a project is read.
#[derive(Debug, Clone, Copy, Default)]
struct Work {
    /// Which runs are open: another number once all were closed.
    opening: u32,
    last_opening: u32,
    /// Projects that are being read.
    reads: u32,
    /// How often the user has stopped what is being read.
    stops: u32,
    /// The opening whose runs are being written.
    writing: Option<u32>,
    /// It has to be done once more.
    is_outdated: bool,
    /// The user has said meanwhile that they are not to be kept.
    is_withdrawn: bool,
}

impl Projects {
    /// The projects of this device; nothing is read yet.
    pub fn of_device() -> Self {
        let consent = storage::remembered(CONSENT).map(|word| word == "yes");
        Self {
            kept: RwSignal::new(Arc::default()),
            consent: RwSignal::new(consent),
            open: RwSignal::new(None),
            written: StoredValue::new(Vec::new()),
            closed: StoredValue::new(BTreeMap::new()),
            has_unkept: RwSignal::new(false),
            work: StoredValue::new(Work::default()),
        }
    }

    /// Reads which projects there are.
    pub fn refresh(self) {
        spawn_local(async move {
            if can_keep()
                && let Ok(kept) = list().await
            {
                self.kept.try_set(Arc::new(kept));
            }
        });
    }

    /// Notes what the user said, for this visit and the next.
    pub fn remember_consent(self, is_wanted: bool) {
        self.consent.set(Some(is_wanted));
        storage::remember(CONSENT, if is_wanted { "yes" } else { "no" });
    }

    /// Notes a project that was written, beside the others; the oldest of too many is removed.
    pub fn note(self, project: KeptProject, mut others: Vec<KeptProject>) {
        others.insert(0, project);
        for old in others.split_off(MAX_PROJECTS.min(others.len())) {
            self.forget(old.id);
        }
        self.kept.set(Arc::new(others));
    }

    /// Notes that this tab knows a project as it is now.
    pub fn note_written(self, project: &KeptProject) {
        self.written.update_value(|written| {
            written.retain(|(id, _)| *id != project.id);
            written.push((project.id.clone(), project.saved_ms));
        });
    }

    /// False for a project that another tab has written since this one knew it.
    pub fn is_known(self, project: &KeptProject) -> bool {
        self.written.with_value(|written| written.contains(&(project.id.clone(), project.saved_ms)))
    }

    /// Which runs are open: their number is another one once all were closed, so that what was begun for them can tell.
    pub fn opening(self) -> u32 {
        self.work.with_value(|work| work.opening)
    }

    /// Notes that all runs are closed. Their number, for [`Projects::reopen`].
    pub fn close(self) -> u32 {
        let opening = self.opening();
        if let Some(project) = self.open.get_untracked() {
            self.note_closed(opening, project);
        }
        self.open.set(None);
        self.work.update_value(|work| {
            work.last_opening += 1;
            work.opening = work.last_opening;
        });
        opening
    }

    /// Notes which project runs belong to that are closed.
    pub fn note_closed(self, opening: u32, project: String) {
        self.closed.update_value(|closed| _ = closed.insert(opening, project));
    }

    /// Notes that runs are open again, with the project that they belong to.
    pub fn reopen(self, opening: u32) {
        self.work.update_value(|work| work.opening = opening);
        self.open.set(self.closed.try_update_value(|closed| closed.remove(&opening)).flatten());
    }

    /// Notes that the user has stopped what is being read.
    pub fn note_stop(self) {
        self.work.update_value(|work| work.stops += 1);
    }

    /// How often the user has stopped what is being read, so that what was begun before can tell.
    pub fn stops(self) -> u32 {
        self.work.with_value(|work| work.stops)
    }

    /// Keeps what is written down as it is until [`Projects::end_reading`].
    pub fn begin_reading(self) {
        self.work.update_value(|work| work.reads += 1);
    }

    /// Notes that a project was read.
    pub fn end_reading(self) {
        self.work.update_value(|work| work.reads = work.reads.saturating_sub(1));
    }

    /// True when the open runs can be written now; else it is to be tried once more when what goes on has ended.
    pub fn begin_writing(self) -> bool {
        let begin = |work: &mut Work| {
            let is_idle = work.reads == 0 && work.writing.is_none();
            work.is_outdated = !is_idle;
            if is_idle {
                work.writing = Some(work.opening);
                work.is_withdrawn = false;
            }
            is_idle
        };
        self.work.try_update_value(begin) == Some(true)
    }

    /// True when it has to be done once more.
    pub fn end_writing(self) -> bool {
        self.work.update_value(|work| work.writing = None);
        self.work.with_value(|work| work.is_outdated)
    }

    /// Notes that the open runs are not to be kept, also where they are being written now.
    pub fn withdraw(self) {
        self.work.update_value(|work| work.is_withdrawn |= work.writing == Some(work.opening));
    }

    /// True when the runs that are being written are not to be kept any more.
    pub fn is_withdrawn(self) -> bool {
        self.work.with_value(|work| work.is_withdrawn)
    }

    /// Removes a project from this device.
    pub fn forget(self, id: String) {
        self.kept.update(|kept| *kept = Arc::new(kept.iter().filter(|known| known.id != id).cloned().collect()));
        spawn_local(async move {
            if let Ok(folder) = projects().await {
                // One that is gone already is as forgotten.
                let _ = folder.remove(&id).await;
            }
        });
    }
}

/// The folder of a project.
///
/// # Errors
/// Where the browser refuses.
pub async fn folder(id: &str) -> Result<KeptFolder, KeepError> {
    projects().await?.folder(id).await
}

/// Writes a project: the files at the places that are new, of all its `files` in their order.
///
/// # Errors
/// Where the disk is full or a file can't be read any more.
pub async fn write(project: &KeptProject, fresh: &[u32], files: &[File]) -> Result<(), KeepError> {
    let folder = folder(&project.id).await?;
    for (file, handle) in project.files().zip(files) {
        if fresh.contains(&file.number) {
            folder.write_file(&file.number.to_string(), handle).await?;
        }
    }
    // Last: what is written down is there.
    folder.write_text(MANIFEST, &project.text()).await
}

/// The files of a project, as they were added; those that are gone are left out.
pub async fn handles(folder: &KeptFolder, files: &[KeptFile]) -> Vec<NamedFile> {
    let mut handles = Vec::with_capacity(files.len());
    for file in files {
        let handle = folder.file(&file.number.to_string()).await;
        handles.extend(handle.ok().map(|handle| dated(file.path.clone(), &handle, file.modified_ms)));
    }
    handles
}

/// Every project, newest first. A folder without a readable description was not finished.
///
/// # Errors
/// Where the browser refuses.
pub async fn list() -> Result<Vec<KeptProject>, KeepError> {
    let folder = projects().await?;
    let mut kept = Vec::new();
    for id in folder.names().await? {
        let text = async { folder.folder(&id).await?.text(MANIFEST).await }.await;
        kept.extend(text.ok().and_then(|text| KeptProject::parse(&id, &text)));
    }
    kept.sort_by(|a, b| b.saved_ms.total_cmp(&a.saved_ms));
    Ok(kept)
}

async fn projects() -> Result<KeptFolder, KeepError> {
    KeptFolder::root().await?.folder(FOLDER).await
}
