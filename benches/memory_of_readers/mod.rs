//! The memory that a reading takes in the browser. What the engine's allocator keeps, the copies of the file's bytes and the
//! first drawing of the run are in it.

use std::path::Path;

use crate::browser::Outcome;
use crate::measurements::{Measurement, Measurements, Unit};
use crate::page::{Page, dist};
use crate::{readers, renderers};

/// Size of the files: large beside what the page takes without runs.
const BYTES: u64 = 200 << 20;
/// Readings of each: the peak is nearly the same in each.
const ROUNDS: usize = 3;

const REMARK: &str = "The peak of the page's process over what it was before a file was chosen, until its verdict is there, over the \
    bytes of the numbers, steps and times as 64-bit floats; files of about 200 MB before they are packed. The diagnosis, the \
    first drawing and the browser's own copies of the file's bytes are in it.";

/// Measures every reader. Nothing where there is no `/proc`.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    measurements.begin("Memory of readers", REMARK);
    let folder = folder.join("memory");
    let _ = std::fs::remove_dir_all(&folder);
    for input in readers::written_inputs(&folder, BYTES)? {
        let mut over = Vec::new();
        for _ in 0..ROUNDS {
            let page = Page::open("bench", dist(), "").await?;
            page.wait_for("#open-sample").await?;
            let before = renderers::peak_memory();
            crate::read(&page, std::slice::from_ref(&input.path), input.runs).await?;
            over.extend(
                before
                    .zip(renderers::peak_memory())
                    .map(|(before, peak)| (peak - before) * 1e6 / input.column_bytes as f64),
            );
        }
        let what = format!("{}, {:.0} MB of columns", input.what, input.column_bytes as f64 / 1e6);
        measurements.record(Measurement::new(what, Unit::Times, over).at_most(2.0));
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
