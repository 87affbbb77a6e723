//! The engine crashes, or is stopped, and the page goes on.

use crate::browser::Outcome;
use crate::made::{TABLE, folder_of};
use crate::page::Page;
use crate::sample::{VERDICTS, open_sample};
use crate::scenario::{scenario, scenario_after};
use crate::wandb_file::WandbFile;

/// Keeps every worker in `engines`, and whether it was stopped.
pub const KEEP_WORKERS: &str = r"{
  const Native = window.Worker;
  window.engines = [];
  window.Worker = class extends Native {
    constructor(...given) {
      super(...given);
      window.engines.push(this);
    }
    terminate() {
      this.gone = true;
      super.terminate();
    }
  };
}";

/// What the browser tells the page when an engine panics.
pub const KILL: &str = "engines.at(-1).dispatchEvent(
    new ErrorEvent('error', { message: 'Uncaught the engine panicked', cancelable: true }))";

#[tokio::test]
async fn a_dead_engine_is_replaced_and_reads_again() -> Outcome {
    scenario_after("restart", KEEP_WORKERS, async |page| {
        open_sample(page).await?;
        page.open_run("sweep-05").await?;
        page.wait_for(".run-view .verdict [data-verdict=good]").await?;
        let before = page.verdicts().await?;
        assert_eq!(before.len(), VERDICTS.len());

        page.browser().driver().execute(KILL, []).await?;
        page.wait_for_text("[role=alert] .banner", "The engine stopped unexpectedly and was started again.").await?;
        page.wait_until("another engine has taken over", "engines.length === 2 && engines[0].gone", "").await?;
        page.wait_until("nothing is being read", "!document.querySelector('.progress')", "").await?;
        assert_eq!(page.verdicts().await?, before);
        page.screenshot("restarted").await?;

        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        page.click_words("[role=alert] button", "Dismiss").await?;
        page.wait_until("the notice is gone", "!document.querySelector('[role=alert] .banner')", "").await?;

        // The same once more is told once more.
        page.script::<()>(KILL).await?;
        page.wait_for_text("[role=alert] .banner", "The engine stopped unexpectedly and was started again.")
            .await
            .map(drop)
    })
    .await
}

#[tokio::test]
async fn a_reading_is_cancelled() -> Outcome {
    let files = folder_of("large", &[("run-large.wandb", &large_file(150 << 20))])?;
    scenario("cancel", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_text(".progress", "run-large.wandb").await?;
        page.click_words(".progress button", "Cancel").await?;
        page.wait_until("the bar is gone", "!document.querySelector('.progress')", "").await?;
        assert!(page.verdicts().await?.is_empty(), "the file was read although it was cancelled");
        check_no_banner(page).await?;

        open_sample(page).await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        check_no_banner(page).await
    })
    .await
}

#[tokio::test]
async fn closed_runs_stay_closed_after_a_restart() -> Outcome {
    let files = folder_of("closed", &[("later.csv", TABLE)])?;
    scenario_after("restart-closed", KEEP_WORKERS, async |page| {
        open_sample(page).await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(1).await?;
        check_same_after_restart(page).await
    })
    .await
}

#[tokio::test]
async fn a_cancelled_file_stays_out_after_a_restart() -> Outcome {
    let files = folder_of("cancelled", &[("run-large.wandb", &large_file(60 << 20))])?;
    scenario_after("restart-cancelled", KEEP_WORKERS, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        cancel_large(page, "").await?;
        open_sample(page).await?;
        check_same_after_restart(page).await
    })
    .await
}

/// A second click on Cancel, or one while everything is read again, costs nothing but the file that is being read.
#[tokio::test]
async fn cancelling_again_costs_no_other_runs() -> Outcome {
    let files = folder_of("cancelled-again", &[("run-large.wandb", &large_file(100 << 20))])?;
    let table = folder_of("cancelled-again-table", &[("later.csv", TABLE)])?;
    scenario_after("restart-cancelled-again", KEEP_WORKERS, async |page| {
        open_sample(page).await?;
        let sample = page.verdicts().await?;
        page.choose_files(&files).await?;
        cancel_large(page, "button.click(); button.click();").await?;
        check_same_after_restart(page).await?;
        assert_eq!(page.verdicts().await?, sample);

        // Read once more, the large file stands before the table, and is cancelled there.
        page.choose_files(&files).await?;
        page.wait_for_runs(sample.len() + 1).await?;
        page.choose_files(&table).await?;
        page.wait_for_runs(sample.len() + 2).await?;
        page.browser().driver().execute(KILL, []).await?;
        cancel_large(page, "").await?;
        page.wait_for_runs(sample.len() + 1).await?;
        let names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().any(|name| name.contains("later")), "the table was lost: {names:?}");
        Ok(())
    })
    .await
}

/// Files that came one after the other get their numbers in another order when they are read together.
#[tokio::test]
async fn the_run_on_show_stays_after_a_restart() -> Outcome {
    let files = folder_of("order", &[("zebra.csv", TABLE), ("ant.csv", TABLE)])?;
    scenario_after("restart-order", KEEP_WORKERS, async |page| {
        page.wait_for("#open-sample").await?;
        for (file, number) in files.iter().zip(1..) {
            page.choose_files(std::slice::from_ref(file)).await?;
            page.wait_for_runs(number).await?;
        }
        page.open_run("zebra").await?;
        page.wait_until("zebra is on show", "document.title.includes('zebra')", "").await?;
        restart(page).await?;
        let title: String = page.browser().driver().title().await?;
        assert!(title.contains("zebra"), "zebra was on show, now it is {title}");
        Ok(())
    })
    .await
}

/// Cancels the large file while it is being read, with more clicks given as a script on `button`.
async fn cancel_large(page: &Page, more: &str) -> Outcome {
    page.wait_for_text(".progress", "run-large.wandb").await?;
    let click = format!("const button = document.querySelector('.progress button'); button.click(); {more}");
    page.browser().driver().execute(&click, []).await?;
    page.wait_until("the bar is gone", "!document.querySelector('.progress')", "").await
}

async fn check_same_after_restart(page: &Page) -> Outcome {
    let before = page.verdicts().await?;
    restart(page).await?;
    assert_eq!(page.verdicts().await?, before);
    Ok(())
}

async fn restart(page: &Page) -> Outcome {
    page.browser().driver().execute("window.enginesBefore = engines.length", []).await?;
    page.browser().driver().execute(KILL, []).await?;
    let replaced = "engines.length === enginesBefore + 1 && engines.at(-2).gone";
    page.wait_until("another engine has taken over", replaced, "").await?;
    page.wait_until("nothing is being read", "!document.querySelector('.progress')", "").await?;
    page.settle().await
}

async fn check_no_banner(page: &Page) -> Outcome {
    let banner = "return document.querySelector('[role=alert] .banner')?.textContent ?? ''";
    let text: String = page.browser().driver().execute(banner, []).await?.convert()?;
    if text.is_empty() { Ok(()) } else { Err(format!("a banner says: {text}").into()) }
}

/// A run of about so many bytes.
pub fn large_file(bytes: usize) -> Vec<u8> {
    const METRICS: usize = 200;
    // Key, value and the fields around them.
    const BYTES_A_VALUE: usize = 48;
    let keys: Vec<String> = (0..METRICS).map(|index| format!("train/layer_{index:03}/gradient_norm")).collect();
    let mut file = WandbFile::new("large", "large");
    for step in 0..bytes / (METRICS * BYTES_A_VALUE) {
        let row: Vec<(&str, f64)> =
            keys.iter().zip(1_u32..).map(|(key, index)| (key.as_str(), f64::from(index) / 7.0)).collect();
        file.row(step as u64, &row);
    }
    file.finish(0)
}
