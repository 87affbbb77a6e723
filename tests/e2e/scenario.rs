//! What a scenario is: a page in a browser, steps on it, and the check that the browser had nothing to complain about.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::Outcome;
use crate::page::{Page, dist};

/// Runs a scenario on the built page, then checks that nothing was wrong on the way.
///
/// # Errors
/// Where a step failed or the browser had something to complain about; a picture of the page is left in
/// `target/screenshots/failed-NAME.png`.
pub async fn scenario(name: &str, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    scenario_at(name, dist(), "", steps).await
}

/// Runs a scenario on a page that lies at a path below a served directory.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_at(
    name: &str,
    directory: PathBuf,
    path: &str,
    steps: impl AsyncFnOnce(&Page) -> Outcome,
) -> Outcome {
    run(name, Page::open(name, directory, path).await?, steps).await
}

/// Runs a scenario on the built page, with a script that runs before those of the page.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_after(name: &str, script: &str, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    scenario_after_at(name, dist(), script, steps).await
}

/// Runs a scenario on a page in a served directory, with a script that runs before those of the page.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_after_at(
    name: &str,
    directory: PathBuf,
    script: &str,
    steps: impl AsyncFnOnce(&Page) -> Outcome,
) -> Outcome {
    let page = Page::start(name, directory).await?;
    page.browser().devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await?;
    page.go(&page.server().url()).await?;
    run(name, page, steps).await
}

/// Runs a scenario on the built page that also talks to another server, whose failures are part of it.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_with(name: &str, server: &str, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    run_with(name, Page::open(name, dist(), "").await?, server, steps).await
}

/// Runs a scenario on a page whose engine panics: what the browser logs of that is part of it.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_that_panics(
    name: &str,
    directory: PathBuf,
    steps: impl AsyncFnOnce(&Page) -> Outcome,
) -> Outcome {
    let is_expected = |complaint: &str| complaint.contains("panicked at") || complaint.contains("unreachable");
    run_expecting(name, Page::open(name, directory, "").await?, is_expected, steps).await
}

/// Runs a scenario on a page whose program cannot start after a script that runs first, for a reason that the browser logs.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_without_program(
    name: &str,
    script: &str,
    reason: &str,
    steps: impl AsyncFnOnce(&Page) -> Outcome,
) -> Outcome {
    let page = Page::start(name, dist()).await?;
    page.browser().devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).await?;
    page.browser().driver().goto(page.server().url()).await?;
    run_expecting(name, page, |complaint| complaint.contains(reason), steps).await
}

/// Runs a scenario on a page that is opened from the disk.
///
/// # Errors
/// As [`scenario`].
pub async fn scenario_on_disk(name: &str, file: &Path, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    let page = Page::start(name, dist()).await?;
    let address = format!("file://{}", file.display());
    page.go(&address).await?;
    run_expecting(name, page, |complaint| complaint == format!("another host: {address}"), steps).await
}

async fn run(name: &str, page: Page, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    run_expecting(name, page, |_| false, steps).await
}

async fn run_with(name: &str, page: Page, server: &str, steps: impl AsyncFnOnce(&Page) -> Outcome) -> Outcome {
    // The browser does not say which request failed.
    let is_expected = |complaint: &str| complaint.contains(server) || complaint.starts_with("request failed");
    run_expecting(name, page, is_expected, steps).await
}

async fn run_expecting(
    name: &str,
    mut page: Page,
    is_expected: impl Fn(&str) -> bool,
    steps: impl AsyncFnOnce(&Page) -> Outcome,
) -> Outcome {
    let outcome = steps(&page).await;
    let mut complaints = page.complaints().await?;
    complaints.retain(|complaint| !is_expected(complaint));
    if outcome.is_err() || !complaints.is_empty() {
        page.screenshot(&format!("failed-{name}")).await?;
    }
    if !complaints.is_empty() {
        let outcome = outcome.err().map(|error| format!("{error}\n")).unwrap_or_default();
        return Err(format!("{outcome}the browser complained:\n{}", complaints.join("\n")).into());
    }
    outcome
}
