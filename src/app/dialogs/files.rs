//! Every file: what it was taken for, and the user's word on it.

use leptos::prelude::*;

use crate::app::browser::kept_files::can_keep;
use crate::app::content::Menu;
use crate::app::engine::question::answered;
use crate::app::state::AppState;
use rundown_format::{counted, redact, visible};
use rundown_protocol::{FileRow, FileStatus, FormatChoice, FormatMark, Request};

/// Most files that are listed.
const MAX_FILES: usize = 1_000;

/// Said of files that no run comes from.
const WHY_UNUSED: &str = "(no run data, or the run folder is missing)";

/// The list of files.
#[component]
pub fn Files() -> impl IntoView {
    let app = AppState::of_page();
    let request = move || {
        app.runs.revision.track();
        Request::ListFiles
    };
    let files = answered::<Vec<FileRow>>(app.engine, request);
    let rows = move || {
        let files = files.get()?;
        Some(match &files {
            Ok(files) if files.is_empty() => {
                let words = "No file was read: these runs came from a server.";
                view! { <p class="muted">{words}</p> }.into_any()
            }
            Ok(files) => list(app, files),
            Err(error) => view! { <p class="banner" role="alert">{error.clone()}</p> }.into_any(),
        })
    };
    view! {
        <Keep />
        {move || rows()}
    }
}

/// Whether the runs stay on this device.
#[component]
fn Keep() -> impl IntoView {
    let app = AppState::of_page();
    let is_kept = move || app.projects.consent.get() == Some(true);
    let choose = move |event| app.consent_to_keep(event_target_checked(&event));
    can_keep().then(|| {
        view! {
            <p class="keep">
                <label>
                    <input type="checkbox" id="keep-runs" prop:checked=move || is_kept() on:change=choose />
                    " Keep these runs on this device"
                </label>
                <span class="muted">" to reopen them from the first screen. They go nowhere else; keys are never kept."</span>
            </p>
        }
    })
}

fn list(app: AppState, files: &[FileRow]) -> AnyView {
    let unused = files.iter().filter(|file| file.status != FileStatus::Used).count();
    let left = match (files.len(), unused) {
        (_, 0) => String::new(),
        (1, _) => format!(", unused {WHY_UNUSED}"),
        _ => format!(", {unused} of them unused {WHY_UNUSED}"),
    };
    let count = format!("{}{left}.", counted(files.len(), "file"));
    // What was read comes first: folders of checkpoints have thousands of files that were not.
    let (left, read): (Vec<_>, Vec<_>) = files.iter().partition(|file| file.status != FileStatus::Used);
    let rows = read.into_iter().chain(left).take(MAX_FILES).map(|file| row(app, file)).collect_view();
    let more = files.len().saturating_sub(MAX_FILES);
    let more = (more > 0).then(|| view! { <p class="muted">{format!("and {}", counted(more, "file") + " more")}</p> });
    view! {
        <p class="muted">{count} " Wrong format? Choose another one, and all files are read again."</p>
        <ul class="problems files">{rows}</ul>
        {more}
    }
    .into_any()
}

fn row(app: AppState, file: &FileRow) -> impl IntoView + use<> {
    let words = file.format.words();
    // What the engine alone can recognise is an option as long as it is the present one.
    let own = (!matches!(file.format, FormatMark::Choice(_))).then_some(words);
    let choices = FormatChoice::ALL.iter().map(|choice| choice.name());
    let options: Vec<_> = own.into_iter().chain(choices).map(|words| (words.to_owned(), words.to_owned())).collect();
    let named = file.path.clone();
    // The engine knows the file by its path; what is shown has no secret and turns no letters around.
    let shown = visible(&redact(&file.path)).into_owned();
    let choose = move |choice: String| app.choose_format(named.clone(), FormatChoice::from_name(&choice));
    let missing = (file.status == FileStatus::RunMissing).then(|| {
        let words = "The run it belongs to was not added: drop the whole run folder.";
        view! { <span class="muted">{words}</span> }
    });
    view! {
        <li class:ignored=file.status != FileStatus::Used>
            <span><code>{shown.clone()}</code>" "{missing}</span>
            <Menu options value=words.to_owned() choose name=format!("What {shown} is") />
        </li>
    }
}
