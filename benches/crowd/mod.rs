//! A thousand runs in the browser: how soon the list, the filter and the views over all runs answer.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::measurements::{Measurement, Measurements, ROUNDS, Unit};
use crate::page::Page;

/// A random search.
#[derive(Clone, Copy)]
struct Search {
    runs: usize,
    settings: usize,
    metrics: usize,
    steps: usize,
}

const THOUSAND: Search = Search { runs: 1_000, settings: 50, metrics: 40, steps: 60 };
const TEN_THOUSAND: Search = Search { runs: 10_000, settings: 20, metrics: 4, steps: 30 };
/// The design's limit for each answer, in ms.
const BUDGET: f64 = 300.0;

/// Writes the runs, reads them in the browser, and asks.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    for search in [THOUSAND, TEN_THOUSAND] {
        answers(folder, search, measurements).await?;
    }
    Ok(())
}

async fn answers(folder: &Path, search: Search, measurements: &mut Measurements) -> Outcome {
    let Search { runs, settings, metrics, steps } = search;
    let file = write(folder, search)?;
    let page = Page::open_in_new_browser().await?;
    page.wait_for("#open-sample").await?;
    page.choose_files(std::slice::from_ref(&file)).await?;
    page.wait_for_runs(runs).await?;
    std::fs::remove_file(&file)?;
    let title = format!("{runs} runs x {settings} settings x {metrics} metrics x {steps} steps");
    measurements.begin(&title, "From the click until the answer is drawn, in one page, again and again.");
    // Numbers have four digits: run-0100 to run-0199.
    let some = 100;
    let asked: [(&str, String, String); 8] = [
        ("Signals", go("signals"), shows("Signals")),
        ("Compare", go("compare"), shows("Compare")),
        (
            "another run",
            "self.picked = (self.picked ?? 10) + 1; document.querySelectorAll('#runs a.run')[self.picked].click()"
                .to_owned(),
            "location.hash.includes('/r')".to_owned(),
        ),
        ("list by name", sort("name"), by_name()),
        ("list, best first again", sort("verdict"), format!("!{}", by_name())),
        ("filter by words", filter("run-01"), rows(some)),
        ("filter by a query", filter("config.setting_3 > 5 and summary.metric_2 > 0"), neither(some, runs)),
        ("no filter", filter(""), rows(runs)),
    ];
    let mut times = vec![(Vec::new(), Vec::new()); asked.len()];
    for _ in 0..ROUNDS {
        for ((_, act, done), (took, longest)) in asked.iter().zip(&mut times) {
            let [time, task] = time(&page, act, done).await?;
            took.push(time);
            longest.push(task);
        }
    }
    for ((what, ..), (took, longest)) in asked.iter().zip(times) {
        measurements.record(Measurement::new(*what, Unit::Milliseconds, took).at_most(BUDGET));
        measurements.record(
            Measurement::new(format!("{what}: longest task of the page"), Unit::Milliseconds, longest).at_most(50.0),
        );
    }
    Ok(())
}

/// Where [`files`] writes.
pub fn folder(parent: &Path) -> PathBuf {
    parent.join("crowd")
}

/// The runs in a file each.
pub fn files(parent: &Path) -> Outcome<Vec<PathBuf>> {
    let all = write(parent, THOUSAND)?;
    std::fs::create_dir_all(folder(parent))?;
    let mut files = Vec::new();
    for (run, line) in std::fs::read_to_string(&all)?.lines().enumerate() {
        let path = folder(parent).join(format!("run-{run:04}.rundown.jsonl"));
        std::fs::write(&path, line)?;
        files.push(path);
    }
    std::fs::remove_file(all)?;
    Ok(files)
}

/// From an act until what it asked for is drawn, and the longest task of the main thread meanwhile, both in ms.
async fn time(page: &Page, act: &str, done: &str) -> Outcome<[f64; 2]> {
    let script = format!(
        "const finish = arguments[arguments.length - 1];
         let longest = 0;
         const tasks = new PerformanceObserver(list => {{
             for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
         }});
         tasks.observe({{ type: 'longtask' }});
         const start = performance.now();
         {act};
         const look = () => {{
             if (!({done})) return requestAnimationFrame(look);
             const took = performance.now() - start;
             setTimeout(() => {{ tasks.disconnect(); finish([took, longest]); }}, 400);
         }};
         requestAnimationFrame(look);"
    );
    Ok(page.browser().driver().execute_async(script, []).await?.convert()?)
}

fn go(view: &str) -> String {
    format!("location.hash = '#/{view}'")
}

fn shows(view: &str) -> String {
    match view {
        "Compare" => "document.querySelector('.run-table td')".to_owned(),
        _ => format!(
            "document.querySelector('.topic-view h1')?.textContent == '{view}' \
             && document.querySelector('.document .blocks > *')"
        ),
    }
}

/// True when the first row is that of the first name.
fn by_name() -> String {
    "document.querySelector('#runs [data-verdict]').textContent.includes('run-0000')".to_owned()
}

fn rows(number: usize) -> String {
    format!("document.querySelector('#runs .lines').dataset.runs == {number}")
}

/// True when some runs are listed, neither all nor those of the filter before.
fn neither(some: usize, all: usize) -> String {
    format!("![0, {some}, {all}].includes(Number(document.querySelector('#runs .lines').dataset.runs))")
}

fn sort(by: &str) -> String {
    format!(
        "const box = document.querySelector('#sort'); box.value = '{by}'; box.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    )
}

fn filter(text: &str) -> String {
    format!(
        "const box = document.querySelector('#filter'); box.value = '{text}'; box.dispatchEvent(new Event('input', {{ bubbles: true }}))"
    )
}

/// Runs of a random search as Rundown exports them (`docs/run-export.md`), a line each.
fn write(folder: &Path, search: Search) -> Outcome<PathBuf> {
    let Search { runs, settings, metrics, steps } = search;
    let path = folder.join("crowd.rundown.jsonl");
    let mut out = BufWriter::new(File::create(&path)?);
    let all: Vec<String> = (0..steps).map(|row| row.to_string()).collect();
    let all = all.join(",");
    for run in 0..runs {
        let setting = |key: usize| format!("\"setting_{key}\": {}", mixed(run * 53 + key) * 10.0);
        let pairs: Vec<String> = (0..settings).map(setting).collect();
        let level = 0.3 + 0.4 * mixed(run * 53 + 3);
        let series = |name: &str, number: usize, scale: f64| {
            let value = |step: usize| {
                scale * (1.0 - 1.0 / (1.0 + step as f64 / 10.0)) + 0.05 * mixed(run * 7_919 + number * 977 + step)
            };
            let values: Vec<String> = (0..steps).map(|step| format!("{:.5}", value(step))).collect();
            format!("\"{name}\": {{\"rows\": [{all}], \"values\": [{}]}}", values.join(","))
        };
        let mut history = vec![series("eval/accuracy", 0, level), series("train/reward", 1, level)];
        history.extend((2..metrics).map(|key| series(&format!("metric_{key}"), key, 1.0)));
        write!(
            out,
            "{{\"rundown_run\": 1, \"id\": \"r{run}\", \"name\": \"run-{run:04}\", \"project\": \"crowd\", \"tags\": [],"
        )?;
        write!(
            out,
            "\"ending\": {{\"state\": \"finished\", \"exit_code\": 0, \"expects_exit\": true, \"evidence\": []}},"
        )?;
        write!(out, "\"files\": [], \"origins\": {{}}, \"config\": {{{}}}, \"summary\": {{}},", pairs.join(","))?;
        write!(out, "\"row_steps\": [{all}], \"row_times\": [{all}], \"history\": {{{}}}}}", history.join(","))?;
        writeln!(out)?;
    }
    out.flush()?;
    Ok(path)
}

/// A number from 0 to 1 that looks like chance and is always the same.
fn mixed(seed: usize) -> f64 {
    let mut bits = (seed as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
