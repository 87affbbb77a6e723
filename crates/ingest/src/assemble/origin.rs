//! What kind of source a run came from, by the formats and paths of its files.

use crate::path;
use crate::rows::{metric_words, names};
use rundown_run::{FileFormat, Run, SourceFile};

/// What a run is to a file that may belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RunOrigin {
    /// A `.wandb` file.
    Wandb,
    /// A state that the Hugging Face Trainer saved.
    TrainerState,
    /// TensorBoard's event files.
    TensorBoard,
    /// Any other.
    Other,
}

impl RunOrigin {
    /// Every origin.
    pub(super) const ALL: [RunOrigin; 4] =
        [RunOrigin::Wandb, RunOrigin::TrainerState, RunOrigin::TensorBoard, RunOrigin::Other];

    /// The origin of a run.
    pub(super) fn of(run: &Run) -> Self {
        match run {
            _ if is_wandb(run) => RunOrigin::Wandb,
            _ if is_trainer_state(path_of(run)) => RunOrigin::TrainerState,
            _ if is_tensorboard(run) => RunOrigin::TensorBoard,
            _ => RunOrigin::Other,
        }
    }
}

/// Path of the first file of a run.
pub(super) fn path_of(run: &Run) -> &str {
    run.files.first().map_or("", |file| file.path.as_str())
}

/// True when the first file of a run is of this format.
pub(super) fn is_format(run: &Run, format: FileFormat) -> bool {
    run.files.first().is_some_and(|file| file.format == format)
}

/// True when a run has files, and all are of these formats.
pub(super) fn is_only(run: &Run, formats: &[FileFormat]) -> bool {
    !run.files.is_empty() && run.files.iter().all(|file| formats.contains(&file.format))
}

/// True for a run with a `.wandb` file.
pub(super) fn is_wandb(run: &Run) -> bool {
    run.files.iter().any(|file| file.format == FileFormat::Wandb)
}

/// True for a run of TensorBoard's event files.
pub(super) fn is_tensorboard(run: &Run) -> bool {
    is_format(run, FileFormat::TensorBoard)
}

/// True for a run of a console log.
pub(super) fn is_console_log(run: &Run) -> bool {
    is_format(run, FileFormat::ConsoleLog)
}

/// True for a run of sidecar files alone.
pub(super) fn is_sidecar_only(run: &Run) -> bool {
    is_only(run, &[FileFormat::Sidecar])
}

/// True for a run that a server returned.
pub(super) fn is_from_server(run: &Run) -> bool {
    run.files.iter().any(is_server_file)
}

/// True for what came from W&B's API.
pub(super) fn is_server_file(file: &SourceFile) -> bool {
    file.format == FileFormat::WandbApi
}

/// True for the file that the Hugging Face Trainer saves with each checkpoint.
pub(super) fn is_trainer_state(file: &str) -> bool {
    path::file_name(file) == "trainer_state.json"
}

/// True for what a script saves to go on later, such as `training_state.json`: a step and the numbers at it, and no
/// history. The Trainer's own state holds one.
pub(super) fn is_saved_state(run: &Run) -> bool {
    let file = path_of(run);
    let name = path::file_name(file).to_ascii_lowercase();
    let words = || name.split(|c: char| !c.is_alphanumeric());
    // An evaluation of a checkpoint is a result.
    let is_result = || words().any(|word| names::evaluation(word).is_some()) || metric_words::is_metric(&name);
    is_only(run, &[FileFormat::JsonDocument, FileFormat::JsonLines])
        && run.row_steps.len() <= 1
        && path::extension(file) == "json"
        && words().any(|word| matches!(word, "state" | "checkpoint"))
        && !is_result()
        && !name.contains("trainer_state")
        && run.id.is_empty()
        && run.name.is_empty()
}

/// True for the only run in a folder or at most two folders below it. `nearest` is the folder that an index found the
/// run in.
pub(super) fn is_only_nearby(run: &Run, nearest: &str, folder: &str) -> bool {
    let run_folder = path::folder(path_of(run));
    let below = run_folder.strip_prefix(nearest).unwrap_or_default().trim_start_matches('/');
    nearest == folder && below.split('/').count() <= 2
}

/// Run ids are unique within a project, and hardly ever beyond it.
pub(super) fn same_project(a: &Run, b: &Run) -> bool {
    let agree = |a: &Option<String>, b: &Option<String>| a.is_none() || b.is_none() || a == b;
    agree(&a.project, &b.project) && agree(&a.entity, &b.entity)
}
