//! Files that scenarios drop: pieces of the sample project, damaged or made up, in a folder of the test's own.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;

use crate::browser::Outcome;

/// A small table of metrics.
pub const TABLE: &[u8] = b"step,loss\n1,2\n2,3\n3,4\n";

/// The `.wandb` file of a sample run.
pub fn sample_file(run: &str) -> Outcome<Vec<u8>> {
    let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join("public/sample.tar.gz");
    let mut tar = Vec::new();
    GzDecoder::new(std::fs::File::open(archive)?).read_to_end(&mut tar)?;
    let (folder, ending) = (format!("{run}/"), ".wandb");
    let found = members(&tar).find(|(name, _)| name.starts_with(&folder) && name.ends_with(ending));
    let (_, bytes) = found.ok_or_else(|| format!("the sample project has no run {run}"))?;
    Ok(bytes.to_vec())
}

/// Names and contents of a tar archive's files: each is a header of 512 bytes, then the content, padded to 512.
fn members(mut tar: &[u8]) -> impl Iterator<Item = (String, &[u8])> {
    const BLOCK: usize = 512;
    std::iter::from_fn(move || {
        let (header, rest) = tar.split_at_checked(BLOCK)?;
        let text = |from: usize, to: usize| {
            let field = header.get(from..to).unwrap_or_default();
            let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
            String::from_utf8_lossy(field.get(..end).unwrap_or_default()).trim().to_owned()
        };
        let size = usize::from_str_radix(&text(124, 136), 8).ok()?;
        let content = rest.get(..size)?;
        tar = rest.get(size.next_multiple_of(BLOCK)..)?;
        // A long name begins in the field "prefix".
        let (name, prefix) = (text(0, 100), text(345, 500));
        Some((if prefix.is_empty() { name } else { format!("{prefix}/{name}") }, content))
    })
}

/// Writes files into a folder that held nothing before; their paths, in the order given.
pub fn folder_of(name: &str, files: &[(&str, &[u8])]) -> Outcome<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let mut paths = Vec::with_capacity(files.len());
    for (file, bytes) in files {
        let path = folder.join(file);
        std::fs::write(&path, bytes)?;
        paths.push(path);
    }
    Ok(paths)
}
