//! Paths as text: what was dropped is no file system, and a browser writes `/` everywhere.

/// The path with `/` as the only separator and without a leading `./` or `/`.
pub(crate) fn normal(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_start_matches("./").trim_start_matches('/').to_owned()
}

/// Everything before the last separator; empty at the top.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Everything after the last separator.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The file name without what follows its last dot.
pub(crate) fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The part of the file name behind its last dot, lower case; empty without one.
pub(crate) fn extension(path: &str) -> String {
    file_name(path).rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_ascii_lowercase())
}

/// Folders of a trainer's logs and event files, which say nothing about the run.
pub(crate) const LOG_FOLDERS: [&str; 8] =
    ["tensorboard", "tensorboard_log", "tb", "tb_logs", "logs", "log", "runs", "events"];

/// The nearest folder whose name is not `is_inner`, from `folder` outwards; the outermost where all names are.
pub(crate) fn around(mut folder: &str, is_inner: impl Fn(&str) -> bool) -> &str {
    while is_inner(file_name(folder)) && !self::folder(folder).is_empty() {
        folder = self::folder(folder);
    }
    folder
}

/// The folder without a last `checkpoint-N`.
pub(crate) fn output_folder(folder: &str) -> &str {
    let is_checkpoint = |name: &str| {
        name.strip_prefix("checkpoint-")
            .is_some_and(|step| !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit()))
    };
    if is_checkpoint(file_name(folder)) { self::folder(folder) } else { folder }
}

/// True when `path` lies in `folder` or below it.
pub(crate) fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A W&B run folder: `run-YYYYMMDD_HHMMSS-ID`, also `offline-run-…` and the old `dryrun-…`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RunFolder<'a> {
    /// `YYYYMMDD_HHMMSS`, which sorts by time.
    pub(crate) started: &'a str,
    /// Run id.
    pub(crate) id: &'a str,
}

/// Reads the name of a W&B run folder.
pub(crate) fn run_folder(name: &str) -> Option<RunFolder<'_>> {
    let rest = ["offline-run-", "run-", "dryrun-"].iter().find_map(|prefix| name.strip_prefix(prefix))?;
    let (started, id) = rest.split_once('-')?;
    let (date, time) = started.split_once('_')?;
    let is_digits = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_digits(date, 8) && is_digits(time, 6) && !id.is_empty()).then_some(RunFolder { started, id })
}

/// The nearest W&B run folder in a path.
pub(crate) fn run_folder_in(path: &str) -> Option<RunFolder<'_>> {
    path.rsplit('/').find_map(run_folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_apart() {
        assert_eq!(normal(r".\a\b.csv"), "a/b.csv");
        assert_eq!((folder("a/b/c.csv"), file_name("a/b/c.csv")), ("a/b", "c.csv"));
        assert_eq!((folder("c.csv"), file_name("c.csv")), ("", "c.csv"));
        assert_eq!(extension("a.b/events"), "");
        assert_eq!(extension("x.tar.GZ"), "gz");
        assert!(is_inside("a/b/c", "a/b") && is_inside("a", "") && !is_inside("a/bc", "a/b"));
    }

    #[test]
    fn run_folders_are_known_by_their_names() {
        let expected = Some(RunFolder { started: "20261120_235704", id: "fdvf5kta" });
        assert_eq!(run_folder("offline-run-20261120_235704-fdvf5kta"), expected);
        assert_eq!(run_folder_in("x/run-20261120_235704-fdvf5kta/files/output.log"), expected);
        for other in ["run-fdvf5kta.wandb", "run-20261120-fdvf5kta", "latest-run", "run-20261120_235704-"] {
            assert_eq!(run_folder(other), None, "{other}");
        }
    }
}
