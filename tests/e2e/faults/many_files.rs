//! A folder of twenty thousand files, most of which hold no run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::sleep;

use crate::browser::Outcome;
use crate::scenario::scenario;

/// Runs, each in a folder with a hundred files.
const RUNS: usize = 200;
const FILES: usize = 100;

/// Writes the folder; the same each time.
fn many_files() -> Outcome<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("made/many-files");
    let _ = std::fs::remove_dir_all(&folder);
    for run in 0..RUNS {
        let of_run = folder.join(format!("run-{run:03}"));
        std::fs::create_dir_all(of_run.join("media/images"))?;
        // One is too large to be transferred as bytes.
        let steps = if run == 7 { 30_000 } else { 60 };
        let rows: String = (0..steps).map(|step| format!("{step},{:.4}\n", f64::from(step) / 60.0)).collect();
        std::fs::write(of_run.join("metrics.csv"), format!("step,eval/accuracy\n{rows}"))?;
        std::fs::write(of_run.join("config.yaml"), format!("lr: 1.0e-05\nseed: {run}\n"))?;
        for file in 2..FILES {
            let (name, content): (String, &[u8]) = match file % 3 {
                0 => (format!("media/images/{file}.png"), b"\x89PNG\r\n\x1a\n"),
                1 => (format!("note-{file}.txt"), b"nothing of a run\n"),
                _ => (format!("answer-{file}.json"), b"{\"prompt\": \"a\", \"completion\": \"b\"}"),
            };
            std::fs::write(of_run.join(name), content)?;
        }
    }
    Ok(folder)
}

/// Notes the longest task of the page. The one in which the browser makes its own list of the chosen files, two seconds for
/// as many, is not the page's: it ends with the event that gives the list.
const LONGEST_TASK: &str = "window.longestTask = 0;
    let chosen = Infinity;
    addEventListener('change', () => { chosen = performance.now() }, true);
    new PerformanceObserver(list => {
        for (const task of list.getEntries()) {
            if (task.startTime > chosen) window.longestTask = Math.max(window.longestTask, task.duration);
        }
    }).observe({ type: 'longtask' });";
/// True when the list is complete.
const IS_READ: &str =
    "return document.querySelector('#runs .lines')?.dataset.runs === '200' && !document.querySelector('.progress')";
/// Longest that the test waits.
const MAX_WAIT: Duration = Duration::from_secs(180);

#[tokio::test]
async fn a_folder_of_twenty_thousand_files_is_read() -> Outcome {
    let folder = many_files()?;
    scenario("many-files", async |page| {
        page.wait_for("#open-sample").await?;
        page.script::<()>(LONGEST_TASK).await?;
        page.choose_folder(&folder).await?;
        let began = Instant::now();
        // Other tests may run beside this one: longer than the usual patience.
        while !page.script::<bool>(IS_READ).await? {
            assert!(began.elapsed() < MAX_WAIT, "it is not read to the end");
            sleep(Duration::from_millis(50)).await;
        }
        let seconds = (began.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        page.wait_for_runs(RUNS).await?;
        page.wait_for_text(".list-foot", " not used").await?;
        let longest: f64 = page.script("return longestTask").await?;
        let row = json!({ "table": "many files", "files": RUNS * FILES, "runs": RUNS, "seconds": seconds, "longest_task_ms": longest.round() });
        println!("{row}");
        page.screenshot("many-files").await
    })
    .await
}
