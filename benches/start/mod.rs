//! The first visit on a slow connection and a slow machine: first paint, buttons, program, engine, sample to verdicts;
//! then the second visit, from what the browser kept.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use tokio::time::sleep;

use crate::browser::Outcome;
use crate::measurements::{Measurement, Measurements, ROUNDS, Unit};
use crate::page::{Page, dist};

/// A machine and its connection.
struct Condition {
    name: &'static str,
    /// How many times slower the processor is than this machine's.
    slowdown: f64,
    /// Bits per second that arrive; `None` leaves the connection as it is.
    bits: Option<f64>,
}

const CONDITIONS: [Condition; 2] = [
    Condition { name: "this machine", slowdown: 1.0, bits: None },
    Condition { name: "10 Mbit/s, processor slowed 4 times", slowdown: 4.0, bits: Some(10e6) },
];

/// How long a browser that was just started is busy with itself, on one of two cores.
const BROWSER_STARTS: Duration = Duration::from_secs(2);
/// Runs of the sample project.
const SAMPLE_RUNS: usize = 6;

/// What one visit showed, in milliseconds from the navigation; the sample's from its click.
#[derive(serde::Deserialize, Default)]
struct Visit {
    paint: f64,
    buttons: f64,
    program: f64,
    engine: f64,
    #[serde(default)]
    sample: f64,
}

/// Notes when the early script listens, when the program has replaced the static page, and when the engine is up.
const WATCH: &str = "
    const at = self.rundownStart = {};
    // Under a driver the page registers its service worker on demand alone.
    self.rundownOffline = true;
    let early;
    Object.defineProperty(self, 'rundownEarly', {
        configurable: true, get: () => early, set: (value) => { early = value; at.buttons = performance.now(); },
    });
    const Plain = self.Worker;
    self.Worker = class extends Plain {
        constructor(...given) {
            super(...given);
            this.addEventListener('message', () => { at.engine ??= performance.now(); });
        }
    };
    const look = () => {
        if (document.body && document.querySelector('header') && !document.querySelector('#static-page')) {
            at.program = performance.now();
        } else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);";

/// Opens the page in a fresh browser for each visit.
pub async fn measure(folder: &Path, measurements: &mut Measurements) -> Outcome {
    let site = compressed(folder)?;
    for condition in &CONDITIONS {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let page = Page::start_in_new_browser(site.clone()).await?;
            sleep(BROWSER_STARTS).await;
            slow_down(&page, condition).await?;
            first.push(visit(&page).await?);
            // The service worker has kept everything by then.
            page.promise::<bool>("await navigator.serviceWorker.ready; return true").await?;
            second.push(again(&page).await?);
        }
        measurements.begin(
            &format!("Start: {}", condition.name),
            "From the navigation, in a fresh browser each time, two seconds after its start.",
        );
        let mut record = |what: &str, visits: &[Visit], of: fn(&Visit) -> f64, budget: Option<f64>| {
            let measurement = Measurement::new(what, Unit::Milliseconds, visits.iter().map(of).collect());
            measurements.record(match budget.filter(|_| condition.bits.is_some()) {
                Some(limit) => measurement.at_most(limit),
                None => measurement,
            });
        };
        record("first paint", &first, |visit| visit.paint, Some(300.0));
        record("buttons work (the static page's)", &first, |visit| visit.buttons, Some(1_200.0));
        record("page program loaded", &first, |visit| visit.program, None);
        record("engine ready", &first, |visit| visit.engine, Some(3_000.0));
        record("sample project, click to verdicts", &first, |visit| visit.sample, Some(1_500.0));
        record("second visit: buttons work", &second, |visit| visit.buttons, Some(500.0));
        record("second visit: the page's program is there", &second, |visit| visit.program, None);
        record("second visit: engine ready", &second, |visit| visit.engine, None);
    }
    fs::remove_dir_all(site)?;
    Ok(())
}

async fn slow_down(page: &Page, condition: &Condition) -> Outcome {
    let browser = page.browser();
    browser.devtools("Network.enable", json!({})).await?;
    if let Some(bits) = condition.bits {
        let bytes = bits / 8.0;
        let network =
            json!({ "offline": false, "latency": 40, "downloadThroughput": bytes, "uploadThroughput": bytes / 4.0 });
        browser.devtools("Network.emulateNetworkConditions", network).await?;
    }
    browser.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": condition.slowdown })).await?;
    browser.devtools("Page.enable", json!({})).await?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await?;
    Ok(())
}

/// The first visit, with a click on the sample project once the engine is up.
async fn visit(page: &Page) -> Outcome<Visit> {
    page.browser().driver().goto(page.server().url()).await?;
    let mut visit = times(page).await?;
    let script = "
        const start = performance.now();
        document.querySelector('#open-sample').click();
        return await new Promise(done => {
            const look = () => document.querySelectorAll('#runs [data-verdict]').length >= RUNS
                ? done(performance.now() - start) : requestAnimationFrame(look);
            look();
        });";
    visit.sample = page.promise(&script.replace("RUNS", &SAMPLE_RUNS.to_string())).await?;
    Ok(visit)
}

async fn again(page: &Page) -> Outcome<Visit> {
    // A hash alone would not load the page again.
    page.browser().driver().goto("about:blank").await?;
    page.browser().driver().goto(page.server().url()).await?;
    times(page).await
}

async fn times(page: &Page) -> Outcome<Visit> {
    page.wait_until("the engine is up", "self.rundownStart.engine && self.rundownStart.program", "").await?;
    let script = "
        const paint = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN;
        return { paint, ...self.rundownStart };";
    page.script(script).await
}

/// A copy of `dist/` with a packed file beside each, as GitHub Pages sends them.
fn compressed(folder: &Path) -> Outcome<PathBuf> {
    let copy = folder.join("dist-gzip");
    fs::create_dir_all(&copy)?;
    for entry in fs::read_dir(dist())? {
        let path = entry?.path();
        let Some(name) = path.file_name().filter(|_| path.is_file()) else { continue };
        let target = copy.join(name);
        fs::copy(&path, &target)?;
        let is_packed = target.extension().is_some_and(|extension| extension == "gz" || extension == "png");
        if is_packed {
            continue;
        }
        let packed = fs::File::create(format!("{}.gz", target.display()))?;
        let mut packed = GzEncoder::new(packed, Compression::new(6));
        packed.write_all(&fs::read(&path)?)?;
        packed.finish()?;
    }
    Ok(copy)
}
