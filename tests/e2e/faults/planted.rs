//! Panics in the engine, planted in a reader and in a check: each costs its file or its run, and the page says so.
//!
//! The engine is one that `tools/planted-engine.sh` built with the feature `planted-panics`; the one in dist/ has none.

use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::made::{TABLE, folder_of};
use crate::page::{Page, dist};
use crate::scenario::scenario_that_panics;

/// The page with the engine that panics.
fn planted() -> Outcome<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("planted");
    if folder.join("index.html").is_file() {
        Ok(folder)
    } else {
        Err(format!("{} is missing: run tools/planted-engine.sh first", folder.display()).into())
    }
}

#[tokio::test]
async fn a_panic_in_a_reader_costs_its_file() -> Outcome {
    let file = "planted-panic-in-reader.csv";
    let files = folder_of("planted-reader", &[("before.csv", TABLE), (file, TABLE), ("zebra.csv", TABLE)])?;
    scenario_that_panics("planted-reader", planted()?, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_text("[role=alert] .banner", &format!("It was reading {file}, which is now skipped.")).await?;
        page.wait_for_runs(2).await?;
        assert_eq!(names(page).await?, ["before", "zebra"]);
        let problem = problem_with(page, file).await?;
        assert!(problem.contains("stopped while it read this file"), "{problem}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_panic_in_a_check_costs_its_run() -> Outcome {
    let (run, file) = ("planted-panic-in-check", "planted-panic-in-check.csv");
    let files = folder_of("planted-check", &[("before.csv", TABLE), (file, TABLE), ("zebra.csv", TABLE)])?;
    scenario_that_panics("planted-check", planted()?, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        let notice = format!("It was diagnosing {run}, which is now listed without a verdict.");
        page.wait_for_text("[role=alert] .banner", &notice).await?;
        page.wait_for_runs(3).await?;
        assert_eq!(names(page).await?, ["before", run, "zebra"]);
        let problem = problem_with(page, file).await?;
        assert!(problem.contains("stopped while it diagnosed this run"), "{problem}");
        page.click_words("dialog button", "Close").await?;
        page.open_run(run).await?;
        page.wait_for_text(".run-view .headline", "Not diagnosed").await?;
        page.view("metrics").await?;
        page.wait_for("main canvas").await?;
        Ok(())
    })
    .await
}

/// A panic is planted by a feature of cargo alone: the page that is shipped reads these files as any other.
#[test]
fn the_shipped_engine_has_no_planted_panic() -> Outcome {
    let engine = std::fs::read(dist().join("engine_bg.wasm"))?;
    let planted = std::fs::read(planted()?.join("engine_bg.wasm"))?;
    let has_trigger = |program: &[u8]| program.windows(13).any(|bytes| bytes == b"planted-panic");
    assert!(has_trigger(&planted) && !has_trigger(&engine));
    Ok(())
}

/// Names of the runs, sorted.
async fn names(page: &Page) -> Outcome<Vec<String>> {
    let mut names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    Ok(names)
}

/// What the list of problems says of a file.
async fn problem_with(page: &Page, file: &str) -> Outcome<String> {
    page.wait_for("#problems").await?.click().await?;
    page.wait_for("dialog[open] .problems li").await?;
    let text = "const row = [...document.querySelectorAll('dialog .problems li')]
        .find(row => row.querySelector('code').textContent === arguments[0]);
        return row?.querySelector('p').textContent ?? ''";
    Ok(page.browser().driver().execute(text, [file.into()]).await?.convert()?)
}
