//! Frames while twelve charts of five runs are zoomed and pointed at, beside uPlot with the same values on canvases of the
//! same size in the same browser.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::Outcome;
use crate::measurements::{Measurement, Measurements, Peer, ROUNDS, Unit};
use crate::page::Page;
use crate::support::javascript_peers::{package, version};
use crate::wandb_file::{RunRecord, WandbFile};

const RUNS: usize = 5;
const CHARTS: usize = 12;
/// Rows of each run.
const STEPS: usize = 300_000;
/// Frames of one gesture.
const FRAMES: usize = 120;
/// What the design allows for a frame, in ms: as the machine is, and with the processor slowed four times. A
/// 60 Hz display has frames of 16.7 and 33.3 ms, which the browser gives in tenths of a millisecond.
const BUDGETS: [(u32, f64); 2] = [(1, 16.8), (4, 33.4)];

const REMARK: &str = "The 95th percentile of the time between the frames of one gesture, on canvases of the same size in the \
    same browser. On a 60 Hz display none is shorter than 16.7 ms.";

/// The milliseconds between animation frames while `act(n)` is done in each of them, for four seconds at most.
const GESTURE: &str = "
    const times = [];
    let last = 0, end = Infinity;
    await new Promise(done => {
        let number = 0;
        const frame = (now) => {
            if (last) times.push(now - last);
            last = now;
            end = Math.min(end, now + 4_000);
            if (number === FRAMES || now > end) return done();
            act(number++);
            requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
    });
    return times;";

/// Measures both on this machine, and with the processor slowed.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    let files = write(folder)?;
    for (slowdown, budget) in BUDGETS {
        let speed = if slowdown == 1 { String::new() } else { format!(", processor slowed {slowdown} times") };
        measurements.begin(&format!("Frames of {CHARTS} charts x {RUNS} runs x {STEPS} steps{speed}"), REMARK);
        let page = Page::open_in_new_browser().await?;
        page.browser().set_viewport(1920, 1500).await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(RUNS).await?;
        page.view("metrics").await?;
        page.wait_for("[data-key='train/metric_11'] .chart-frame canvas").await?;
        page.settle().await?;
        let drawn: usize = page.script("return document.querySelectorAll('.chart-frame canvas').length").await?;
        if drawn < CHARTS {
            return Err(format!("{drawn} charts of {CHARTS} are drawn").into());
        }
        let size: [f64; 2] = page
            .script("const box = document.querySelector('.chart-frame').getBoundingClientRect(); return [box.width, box.height]")
            .await?;
        let theirs = peer(folder, size).await?;
        for (what, ours, theirs_act) in [("zoom", OURS_ZOOM, THEIRS_ZOOM), ("hover", OURS_HOVER, THEIRS_HOVER)] {
            let mut measurement = Measurement::new(what, Unit::Milliseconds, Vec::new()).at_most(budget);
            let mut values = Vec::new();
            for _ in 0..ROUNDS {
                page.settle().await?;
                measurement.ours.push(frames(&page, ours, slowdown).await?);
                if let Some(theirs) = &theirs {
                    values.push(frames(theirs, theirs_act, slowdown).await?);
                }
            }
            measurement.peers.extend(
                theirs
                    .is_some()
                    .then(|| Peer { name: format!("uPlot {}", version("uplot").unwrap_or_default()), values }),
            );
            measurements.record(measurement);
        }
        let _ = fs::remove_dir_all(folder.join("uplot"));
    }
    for file in files {
        fs::remove_file(file)?;
    }
    Ok(())
}

/// In and out again by the wheel, in the middle of the first chart; all charts follow.
const OURS_ZOOM: &str = "
    const chart = document.querySelector('.chart-frame');
    chart.focus();
    const box = chart.getBoundingClientRect();
    const act = (number) => chart.dispatchEvent(new WheelEvent('wheel', {
        deltaY: number < FRAMES / 2 ? -40 : 40, ctrlKey: true, bubbles: true, cancelable: true,
        clientX: box.left + box.width / 2, clientY: box.top + box.height / 2,
    }));";

/// Along the first chart and back; the cursor is shown in all.
const OURS_HOVER: &str = "
    const chart = document.querySelector('.chart-frame');
    const box = chart.getBoundingClientRect();
    const act = (number) => chart.dispatchEvent(new PointerEvent('pointermove', {
        pointerType: 'mouse', bubbles: true, clientX: box.left + box.width * (0.1 + 0.8 * number / FRAMES),
        clientY: box.top + box.height / 2,
    }));";

const THEIRS_ZOOM: &str = "
    const span = STEPS;
    const act = (number) => {
        const share = Math.exp(-0.06 * Math.min(number, FRAMES - number));
        for (const chart of charts) {
            chart.setScale('x', { min: span / 2 - span / 2 * share, max: span / 2 + span / 2 * share });
        }
    };";

const THEIRS_HOVER: &str = "
    const box = charts[0].over.getBoundingClientRect();
    const act = (number) => charts[0].over.dispatchEvent(new MouseEvent('mousemove', {
        bubbles: true, clientX: box.left + box.width * (0.1 + 0.8 * number / FRAMES), clientY: box.top + box.height / 2,
    }));";

/// The 95th percentile of the milliseconds between the frames of a gesture. The processor is slowed for that long alone: Chromium
/// keeps a processor busy to slow a page that has nothing to do, and the other page would be slowed by it too.
async fn frames(page: &Page, act: &str, slowdown: u32) -> Outcome<f64> {
    slow(page, slowdown).await?;
    let mut times: Vec<f64> =
        page.promise(&format!("const FRAMES = {FRAMES}, STEPS = {STEPS}; {act} {GESTURE}")).await?;
    slow(page, 1).await?;
    // The browser's times are tenths of a millisecond, their differences nearly.
    times.iter_mut().for_each(|time| *time = (*time * 10.0).round() / 10.0);
    times.sort_by(f64::total_cmp);
    Ok(times.get(times.len() * 95 / 100).copied().unwrap_or(f64::NAN))
}

async fn slow(page: &Page, times: u32) -> Outcome {
    page.browser().devtools("Emulation.setCPUThrottlingRate", json!({ "rate": times })).await?;
    Ok(())
}

/// The same charts by uPlot, in a page of their own; `None` where it is not installed.
async fn peer(folder: &Path, [width, height]: [f64; 2]) -> Outcome<Option<Page>> {
    let Some(library) = package("uplot") else { return Ok(None) };
    let site = folder.join("uplot");
    fs::create_dir_all(&site)?;
    fs::copy(library.join("dist/uPlot.iife.min.js"), site.join("uplot.js"))?;
    fs::copy(library.join("dist/uPlot.min.css"), site.join("uplot.css"))?;
    fs::write(site.join("index.html"), include_str!("uplot.html"))?;
    let page = Page::start_in_new_browser(site).await?;
    page.browser().set_viewport(1920, 1500).await?;
    let asked = format!("?charts={CHARTS}&runs={RUNS}&steps={STEPS}&width={width}&height={height}");
    page.browser().driver().goto(format!("{}{asked}", page.server().url())).await?;
    page.wait_until("uPlot has drawn", "self.charts?.length", "").await?;
    Ok(Some(page))
}

/// A random walk for each metric of each run: `uplot.html` makes the same kind.
fn write(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let keys: Vec<String> = (0..CHARTS).map(|chart| format!("train/metric_{chart}")).collect();
    let mut files = Vec::new();
    for run in 0..RUNS {
        let name = format!("run-{run}");
        let mut file =
            WandbFile::of(&RunRecord { id: &name, name: &name, project: "frames", config: &[("seed", "1")] });
        let mut state = run as u64 + 1;
        let mut levels = [0.0; CHARTS];
        for step in 0..STEPS {
            for level in &mut levels {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *level += (state >> 33) as f64 / (1_u64 << 31) as f64 - 0.5;
            }
            let values: Vec<(&str, f64)> = keys.iter().map(String::as_str).zip(levels).collect();
            file.row(step as u64, &values);
        }
        let path = folder.join(format!("run-frames-{run}.wandb"));
        fs::write(&path, file.finish(0))?;
        files.push(path);
    }
    Ok(files)
}
