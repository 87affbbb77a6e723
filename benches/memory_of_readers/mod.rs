//! The memory that a reading takes in the browser. What the engine's allocator keeps, the copies of the file's bytes and the
//! first drawing of the run are in it.

use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::measurements::{self, Measurement, Measurements, Unit};
use crate::page::Page;
use crate::{readers, renderers};

/// Size of the columns in each file, in bytes. It is large beside what the page's drawing takes for a moment, which differs by
/// 25 MB from one visit to the next.
const COLUMN_BYTES: u64 = 100 << 20;
/// Readings of each file.
const ROUNDS: usize = 3;

const REMARK: &str = "The peak of the page's process until a file's verdict is there, over that with a run of 100 rows, over the \
    bytes of the numbers, steps and times as 64-bit floats, about 100 MB in each file. The diagnosis, the \
    first drawing and the browser's own copies of the file's bytes are in it; the page and its programs are not.";

/// Measures every reader. Nothing where there is no `/proc`.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    measurements.begin("Memory of readers", REMARK);
    let folder = folder.join("memory");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let short = peaks(&crate::write_run(&folder, 100, 11)?, 1).await?;
    let Some([_, page, _]) = measurements::range(&short) else { return Ok(()) };
    for input in readers::written_inputs(&folder, COLUMN_BYTES)? {
        let peaks = peaks(&input.path, input.runs).await?;
        let over = peaks.iter().map(|peak| (peak - page) * 1e6 / input.column_bytes as f64).collect();
        let what = format!("{}, {:.0} MB of columns", input.what, input.column_bytes as f64 / 1e6);
        measurements.record(Measurement::new(what, Unit::Times, over).at_most(2.0));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// The most memory, in MB, of each of some pages that read a file.
async fn peaks(file: &PathBuf, runs: usize) -> Outcome<Vec<f64>> {
    let mut peaks = Vec::new();
    for _ in 0..ROUNDS {
        let page = Page::open_in_new_browser().await?;
        crate::read(&page, std::slice::from_ref(file), runs).await?;
        peaks.extend(renderers::peak_memory());
    }
    Ok(peaks)
}
