//! Ignored files: they lie beside runs and hold nothing that a diagnosis needs, so that they are skipped without a
//! problem.
//!
//! A dropped W&B or checkpoint folder holds hundreds of them. Reading them would cost time, and a remark on each
//! would bury the remarks that matter.

use super::formats::sidecar;
use super::path;

/// Names of files that W&B, Hugging Face, trainers and operating systems write beside runs.
const IGNORED_NAMES: [&str; 31] = [
    ".DS_Store",
    ".gitattributes",
    ".gitignore",
    "Thumbs.db",
    "added_tokens.json",
    "chat_template.jinja",
    "chat_template.json",
    "conda-environment.yaml",
    "desktop.ini",
    "diff.patch",
    "generation_config.json",
    "latest",
    "merges.txt",
    "optimizer_state.json",
    "preprocessor_config.json",
    "processor_config.json",
    "requirements.txt",
    "rng_state.json",
    "scheduler_state.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer.model",
    "tokenizer_config.json",
    "upstream_diff.patch",
    "video_preprocessor_config.json",
    "vocab.json",
    "vocab.txt",
    "wandb-core-debug.log",
    "wandb-resume.json",
    "wandb-settings",
    "zero_to_fp32.py",
];

/// Endings of files that hold weights, media or W&B's own marks.
const ENDINGS: [&str; 28] = [
    ".bin", ".ckpt", ".distcp", ".flac", ".gguf", ".gif", ".glb", ".html", ".index.json", ".jpeg", ".jpg", ".metadata",
    ".mp3", ".mp4", ".npy", ".npz", ".obj", ".pdf", ".pkl", ".png", ".pt", ".pth", ".safetensors", ".svg",
    ".wandb.synced", ".wandb.syncstate", ".wav", ".webp",
];

/// Endings of zip archives that hold documents or programs.
const PACKED: [&str; 9] = [".apk", ".docx", ".egg", ".jar", ".odt", ".ods", ".pptx", ".whl", ".xlsx"];

/// True for a file that need not be read and deserves no remark.
pub(crate) fn is_ignored(path: &str) -> bool {
    if sidecar::kind(path).is_some() {
        return is_linked(path);
    }
    let name = path::file_name(path);
    let lower = name.to_ascii_lowercase();
    IGNORED_NAMES.contains(&name)
        || ENDINGS.iter().chain(&PACKED).any(|ending| lower.ends_with(ending))
        || is_log_of_wandb(path)
        || name.starts_with("._")
        || is_media(path)
        || is_linked(path)
}

/// True below W&B's `latest-run`, a link to a run folder beside it, so that each file would be read twice.
fn is_linked(path: &str) -> bool {
    path.contains("/latest-run/")
}

/// True for what W&B's own programs log: `debug-internal.log`, `debug-core.log` and `debug-cli.USER.log` anywhere, and `debug.log`
/// in its folder. Elsewhere a log whose name begins so is that of any program.
fn is_log_of_wandb(path: &str) -> bool {
    let name = path::file_name(path);
    let is_in_folder = || path::folder(path).split('/').any(|folder| folder == "wandb");
    let is_own = ["debug-internal.", "debug-core.", "debug-cli."].iter().any(|start| name.starts_with(start));
    (is_own && name.ends_with(".log")) || (name == "debug.log" && is_in_folder())
}

/// True for what W&B keeps in `files/media/` and `files/code/` of a run, and in `artifact/`.
fn is_media(path: &str) -> bool {
    let in_run = path.split_once("/files/").map_or(path, |(_, below)| below);
    in_run.starts_with("media/") || path.contains("/files/code/") || path.contains("/files/artifact/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_a_run_is_ignored() {
        for path in [
            "wandb/run-1/files/requirements.txt",
            "wandb/run-1/logs/debug-internal.log",
            "wandb/debug.log",
            "a/wandb/debug-cli.root.log",
            "debug-core.log",
            "wandb/latest-run/logs/debug.log",
            "wandb/run-1/run-x.wandb.syncstate",
            "a/files/media/table/completions_1_ab.json",
            "wandb/latest-run/files/config.yaml",
            "a/files/media/images/x.data",
            "checkpoint-10/model-00001-of-00002.safetensors",
            "checkpoint-10/model.safetensors.index.json",
            "wandb/latest-run/run-x.wandb",
            "report.docx",
            "dist/pkg-1.0-py3-none-any.whl",
        ] {
            assert!(is_ignored(path), "{path}");
        }
        for path in [
            "a/run-x.wandb",
            "wandb/run-20261120_000000-abc/logs/debug.log",
            "a/files/output.log",
            "a/files/config.yaml",
            "a/files/media/table/completions_1_ab.table.json",
            "trainer_state.json",
            "metrics.jsonl",
            "README.md",
            "history.parquet",
            "debug.log",
            "logs/debug.log",
            "debug_grpo.log",
            "debug-run.log",
        ] {
            assert!(!is_ignored(path), "{path}");
        }
    }
}
