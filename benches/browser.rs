//! How fast the built page is in a real browser. Prints, never asserts. Run through `make bench`.

mod big;
#[path = "../tests/e2e/browser/mod.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod browser;
mod browser_readers;
mod crowd;
mod frames;
#[path = "../tests/e2e/page.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod page;
#[path = "../tests/e2e/server.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod server;
#[path = "../tests/e2e/site.rs"]
mod site;
mod start;
mod support;
#[path = "../tests/support/wandb_file.rs"]
mod wandb_file;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use browser::Outcome;
use page::{Page, dist};
use support::figures::{self, Figure, Figures, ROUNDS, Scaling, Unit};

/// Far longer than any reading takes: a page that died would never say so.
const PATIENCE: Duration = Duration::from_secs(300);

/// Notes when the first verdict and all of them are there, and the longest task of the main thread, from the moment that
/// files are chosen or something is clicked. `window.expected` says how many runs there will be.
const WATCH: &str = "
    window.bench = { start: 0, first: 0, all: 0, longest: 0 };
    const start = () => { window.bench = { start: performance.now(), first: 0, all: 0, longest: 0 }; };
    document.addEventListener('change', start, true);
    document.addEventListener('click', start, true);
    new PerformanceObserver(list => {
        for (const task of list.getEntries()) window.bench.longest = Math.max(window.bench.longest, task.duration);
    }).observe({ type: 'longtask', buffered: true });
    new MutationObserver(() => {
        const bench = window.bench;
        if (!bench.first && document.querySelector('#runs [data-verdict]')) bench.first = performance.now();
        const runs = Number(document.querySelector('#runs .lines')?.dataset.runs ?? 0);
        const isReading = document.querySelector('.tray progress') !== null;
        if (bench.first && !bench.all && runs === window.expected && !isReading) bench.all = performance.now();
    }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['data-runs'] });";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let mut all = Figures::default();
    let figures = &mut all;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench");
    std::fs::create_dir_all(&folder)?;
    // Set by hand, to measure this one alone.
    match std::env::var("RUNDOWN_BENCH").as_deref() {
        Ok("big") => big::measure(&folder, figures).await?,
        Ok("crowd") => crowd::measure(&folder, figures).await?,
        Ok("frames") => frames::measure(&folder, figures).await?,
        Ok("load") => loads(&folder, figures).await?,
        Ok("readers") => browser_readers::measure(&folder, figures).await?,
        Ok("start") => start::measure(&folder, figures).await?,
        _ => whole(&folder, figures).await?,
    }
    figures.save("browser")?;
    Ok(())
}

/// Everything; kept after each part, as the whole takes a quarter of an hour.
async fn whole(folder: &Path, figures: &mut Figures) -> Outcome {
    start::measure(folder, figures).await?;
    browser_readers::measure(folder, figures).await?;
    figures.save("browser")?;
    loads(folder, figures).await?;
    redraws(folder, figures).await?;
    figures.save("browser")?;
    frames::measure(folder, figures).await?;
    figures.save("browser")?;
    crowd::measure(folder, figures).await?;
    figures.save("browser")?;
    big::measure(folder, figures).await
}

/// Runs of different number and length.
async fn loads(folder: &Path, figures: &mut Figures) -> Outcome {
    figures.begin("Runs, files to verdicts", "From the choice of the files to the list with every verdict.");
    if let Some(files) = support::corpus_runs() {
        load("27 real runs", &files, files.len(), figures).await?;
    }
    load("one run of 4,000,000 values", &[synthetic(folder, 100_000, 40)?], 1, figures).await?;
    let thousand = crowd::files(folder)?;
    let mut points = Vec::new();
    for runs in [thousand.len() / 16, thousand.len() / 4] {
        let files = thousand.get(..runs).unwrap_or_default();
        let page = Page::open("bench", dist(), "").await?;
        points.push((runs as f64, read(&page, files, runs).await?.all));
    }
    points.push((thousand.len() as f64, load("1,000 runs in 1,000 files", &thousand, thousand.len(), figures).await?));
    figures.record_scaling(Scaling { what: "files of a run each".to_owned(), size: "runs".to_owned(), points });
    std::fs::remove_dir_all(crowd::folder(folder))?;
    Ok(())
}

/// From the choice of files to the list of verdicts; the median of the milliseconds.
async fn load(what: &str, files: &[PathBuf], runs: usize, figures: &mut Figures) -> Outcome<f64> {
    let (mut first, mut all, mut longest) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let page = Page::open("bench", dist(), "").await?;
        let read = read(&page, files, runs).await?;
        first.push(read.first);
        all.push(read.all);
        longest.push(read.longest);
    }
    let bytes: u64 = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len())).sum();
    let megabytes = bytes as f64 / 1e6;
    let median = figures::range(&all).map_or(f64::NAN, |[_, median, _]| median);
    let all = Figure::new(format!("{what}, {megabytes:.0} MB"), Unit::Milliseconds, all);
    figures.record(if runs == 1_000 { all.at_most(3_000.0) } else { all });
    figures.record(Figure::new(format!("{what}: first verdict"), Unit::Milliseconds, first).at_most(300.0));
    figures.record(Figure::new(format!("{what}: longest task of the page"), Unit::Milliseconds, longest).at_most(50.0));
    Ok(median)
}

/// How long a reading took, in milliseconds.
#[derive(serde::Deserialize)]
struct Read {
    /// Until the first verdict.
    first: f64,
    /// Until the last one.
    all: f64,
    /// The longest task of the main thread meanwhile.
    longest: f64,
}

/// Has the page read files that hold so many runs.
async fn read(page: &Page, files: &[PathBuf], runs: usize) -> Outcome<Read> {
    page.wait_for("#open-sample").await?;
    let driver = page.browser().driver();
    driver.execute(WATCH, []).await?;
    driver.execute(format!("window.expected = {runs}"), []).await?;
    page.choose_files(files).await?;
    let deadline = Instant::now() + PATIENCE;
    while !page.script::<bool>("return window.bench.all > 0").await? {
        if Instant::now() > deadline {
            return Err(format!("waited in vain for {runs} runs").into());
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    page.script(
        "const { start, first, all, longest } = window.bench;
         return { first: first - start, all: all - start, longest }",
    )
    .await
}

/// Zooming into a chart: what the page's own User Timing says.
async fn redraws(folder: &Path, figures: &mut Figures) -> Outcome {
    figures.begin(
        "One chart",
        "Each time is that of one redraw or one movement of the pointer, by the page's User Timing.",
    );
    for (points, budget) in [(166_650, 2.0), (1_000_000, 3.0)] {
        let page = Page::open("bench", dist(), "").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&[synthetic(folder, points, 1)?]).await?;
        page.wait_for("#runs [data-verdict]").await?;
        page.view("metrics").await?;
        let chart = "[data-key='train/metric_0'] .chart-frame";
        page.wait_for(&format!("{chart} canvas")).await?;
        page.settle().await?;
        page.browser().driver().execute("performance.clearMeasures()", []).await?;
        for zoom in 0..ROUNDS {
            let from = 0.1 + 0.02 * zoom as f64;
            page.drag_across(chart, from, 0.9).await?;
            page.settle().await?;
            page.double_click(chart).await?;
            page.settle().await?;
        }
        for (name, what, budget) in
            [("rundown chart redraw", "redraw", budget), ("rundown chart hover", "pointer moved", 1.0)]
        {
            let script = "return performance.getEntriesByName(arguments[0], 'measure').map(entry => entry.duration)";
            let took: Vec<f64> =
                page.browser().driver().execute(script, vec![serde_json::json!(name)]).await?.convert()?;
            figures.record(Figure::new(format!("{points} points, {what}"), Unit::Milliseconds, took).at_most(budget));
        }
    }
    Ok(())
}

fn synthetic(folder: &Path, rows: u64, keys: usize) -> Outcome<PathBuf> {
    let keys: Vec<String> = (0..keys).map(|key| format!("train/metric_{key}")).collect();
    let mut file = wandb_file::WandbFile::new("synthetic", "synthetic");
    for step in 0..rows {
        let value = |key: usize| {
            let mixed = (step * 41 + key as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
            mixed as f64 / (1_u64 << 53) as f64
        };
        let values: Vec<(&str, f64)> = keys.iter().enumerate().map(|(key, name)| (name.as_str(), value(key))).collect();
        file.row(step, &values);
    }
    let path = folder.join(format!("run-synthetic-{rows}.wandb"));
    std::fs::write(&path, file.finish(0))?;
    Ok(path)
}
