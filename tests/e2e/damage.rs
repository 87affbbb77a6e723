//! Damaged files beside a healthy one: each costs itself alone, and the page says what was lost and where.

use rundown_diagnose::{Rulebook, diagnose};
use rundown_report::{Format, write};
use serde_json::Value;

use crate::browser::Outcome;
use crate::made::{folder_of, sample_file};
use crate::page::Page;
use crate::scenario::scenario;
use crate::support::ingest;

const BLOCK: usize = 32 * 1024;

#[tokio::test]
async fn damaged_files_cost_themselves_alone() -> Outcome {
    let healthy = sample_file("sweep-05")?;
    let whole_cut = sample_file("amber-03")?;
    let whole_flipped = sample_file("amber-06")?;
    let cut_at = whole_cut.len() * 3 / 5;
    let cut = whole_cut.get(..cut_at).unwrap_or_default();
    let flipped_at = whole_flipped.len() / 2;
    let mut flipped = whole_flipped.clone();
    flipped.iter_mut().skip(flipped_at).take(1).for_each(|byte| *byte ^= 0x55);
    let header = healthy.get(..7).unwrap_or_default();
    let files = folder_of(
        "damaged",
        &[
            ("run-healthy1.wandb", &healthy),
            ("run-cut.wandb", cut),
            ("run-flipped.wandb", &flipped),
            ("run-header.wandb", header),
            ("empty.wandb", b""),
            ("notes.txt", b"Remember to water the plants.\nAnd the cat.\n"),
        ],
    )?;

    scenario("damage", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        // What could not be read as a run has no row: the empty file and the notes.
        page.wait_for_runs(4).await?;
        let verdicts = page.verdicts().await?;
        assert!(verdicts.contains(&("sweep-05".to_owned(), "good".to_owned())), "{verdicts:?}");

        page.wait_for("#problems").await?.click().await?;
        page.wait_for("dialog[open] .problems li").await?;
        page.screenshot("problems").await?;
        let problems = problems(page).await?;
        let place_of = |file: &str| {
            let problem = problems.iter().find(|(name, _, _)| name == file);
            problem.map(|(_, place, _)| place.clone()).ok_or(format!("no problem with {file} in {problems:#?}"))
        };
        let byte = |place: &str| place.strip_prefix("byte ").and_then(|number| number.parse::<usize>().ok());
        let torn = byte(&place_of("run-cut.wandb")?).ok_or("the cut has no byte")?;
        assert!((cut_at - BLOCK..=cut_at).contains(&torn), "cut at {cut_at}, said to be at {torn}");
        let bad = byte(&place_of("run-flipped.wandb")?).ok_or("the flipped byte has none")?;
        assert_eq!(bad / BLOCK, flipped_at / BLOCK, "flipped at {flipped_at}, said to be at {bad}");
        for file in ["run-header.wandb", "empty.wandb", "notes.txt"] {
            assert_eq!(place_of(file)?, "whole file", "{file}");
        }
        assert!(problems.iter().all(|(file, _, _)| file != "run-healthy1.wandb"), "{problems:#?}");
        page.click_words("dialog button", "Close").await?;
        page.wait_until("the dialog is closed", "!document.querySelector('dialog[open]')", "").await?;

        page.open_run("sweep-05").await?;
        page.wait_for(".run-view .verdict [data-verdict=good]").await?;
        page.view("report").await?;
        page.wait_for("article.report").await?;
        page.click_words(".scope label", "All 4 runs").await?;
        page.click_words("button", "Download .json").await?;
        let file = page.downloaded_ending(".json").await?;
        let report: Value = serde_json::from_slice(&file)?;
        let rows = |name: &str| points(&report, name).ok_or(format!("{name} is not in the report"));
        assert_eq!(rows("sweep-05")?, intact("sweep-05", &healthy)?, "the healthy run lost rows");
        let (kept, all) = (rows("amber-03")?, intact("amber-03", &whole_cut)?);
        assert!(kept * 2 > all && kept < all, "cut after 60 %: {kept} rows of {all}");
        let (kept, all) = (rows("amber-06")?, intact("amber-06", &whole_flipped)?);
        assert!(kept * 100 > all * 95 && kept <= all, "one byte flipped: {kept} rows of {all}");
        Ok(())
    })
    .await
}

/// File, place and text of each listed problem.
async fn problems(page: &Page) -> Outcome<Vec<(String, String, String)>> {
    let rows = "return [...document.querySelectorAll('dialog .problems li')]
        .map(row => ['code', 'span', 'p'].map(part => row.querySelector(part).textContent))";
    Ok(page.browser().driver().execute(rows, []).await?.convert()?)
}

/// Logged steps of a run in a report.
fn points(report: &Value, name: &str) -> Option<u64> {
    let run = report.get("runs")?.as_array()?.iter().find(|run| run["name"] == name)?;
    run.get("points")?.as_u64()
}

/// Logged steps of a run whose file is whole.
fn intact(name: &str, bytes: &[u8]) -> Outcome<u64> {
    let runs = ingest([("run-intact.wandb", bytes)]).runs;
    let run = runs.first().ok_or("no run")?;
    let report = write(&[(run, &diagnose(run, &Rulebook::default()))], Format::Json);
    Ok(points(&serde_json::from_str(&report)?, name).ok_or("no points")?)
}
