//! Files of every kind in the page: what they are taken for, what the user says they are, and runs that are exported
//! and dropped again.

use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::page::Page;
use crate::sample::{VERDICTS, open_sample};
use crate::scenario::scenario;

const LOG: &[u8] = b"{'loss': '0.0106', 'grad_norm': '1.9', 'reward': '0.5', 'epoch': '0.1'}\n\
    {'loss': '0.0103', 'grad_norm': '1.8', 'reward': '0.6', 'epoch': '0.2'}\n\
    {'loss': '0.0101', 'grad_norm': '1.7', 'reward': '0.7', 'epoch': '0.3'}\n";
const TABLE: &[u8] = b"step,loss,reward\n1,2,0.1\n2,3,0.2\n3,4,0.3\n";

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(path)
}

/// What each file was taken for.
async fn taken(page: &Page) -> Outcome<Vec<(String, String)>> {
    page.wait_for("#files").await?.click().await?;
    page.wait_for("dialog[open] .files li").await?;
    let rows = "return [...document.querySelectorAll('dialog .files li')]
        .map(row => [row.querySelector('code').textContent, row.querySelector('select').value])";
    Ok(page.browser().driver().execute(rows, []).await?.convert()?)
}

#[tokio::test]
async fn files_of_many_kinds_are_told_apart() -> Outcome {
    let mut files = folder_of("kinds", &[("slurm-12.out", LOG), ("scores.csv", TABLE)])?;
    files.extend(["parquet/snappy.parquet", "zip/runs.zip"].map(fixture));
    scenario("kinds", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for("#runs [data-verdict]").await?;
        let taken = taken(page).await?;
        page.screenshots("files").await?;
        let format = |name: &str| taken.iter().find(|(file, _)| file == name).map(|(_, format)| format.as_str());
        for (file, expected) in [
            ("slurm-12.out", "console log"),
            ("scores.csv", "table"),
            ("snappy.parquet", "Parquet"),
            ("runs.zip", "archive"),
        ] {
            assert_eq!(format(file), Some(expected), "{file} in {taken:?}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_user_says_what_a_file_is() -> Outcome {
    let files = folder_of("corrected", &[("first.csv", TABLE), ("second.csv", TABLE)])?;
    scenario("corrected", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        for (format, runs) in [("console log", 1), ("table", 2)] {
            taken(page).await?;
            let choose = "const choice = [...document.querySelectorAll('dialog .files li')]
                    .find(row => row.textContent.includes('second.csv')).querySelector('select');
                choice.value = arguments[0];
                choice.dispatchEvent(new Event('change', { bubbles: true }));";
            page.browser().driver().execute(choose, vec![format.into()]).await?;
            page.wait_for_runs(runs).await?;
            page.click_words("dialog button", "Close").await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn exported_runs_are_dropped_again() -> Outcome {
    scenario("exported", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        let mut before = page.verdicts().await?;
        page.view("report").await?;
        page.click_words("label", "All 6 runs").await?;
        page.wait_for_text(".report", "6 runs").await?;
        page.click_words("button", "Export runs").await?;
        let export = page.downloaded_ending(".rundown.jsonl").await?;
        let files = folder_of("exported", &[("kept.rundown.jsonl", &export)])?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        let mut after = page.verdicts().await?;
        before.sort();
        after.sort();
        assert_eq!(after, before);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_health_of_late_is_another_verdict() -> Outcome {
    scenario("late", async |page| {
        open_sample(page).await?;
        page.open_run("amber-06").await?;
        page.wait_for("[data-code=entropy_collapse]").await?;
        let from = "return document.querySelector('.timeline').textContent";
        let whole: String = page.browser().driver().execute(from, []).await?.convert()?;
        let choose = "const choice = document.querySelector('#last-steps');
            choice.value = '50';
            choice.dispatchEvent(new Event('change', { bubbles: true }));";
        page.browser().driver().execute(choose, []).await?;
        let is_late = "document.querySelector('.timeline')?.textContent !== arguments[0]";
        page.wait_until("the timeline is another", is_late, &whole).await?;
        page.screenshot("late").await
    })
    .await
}
