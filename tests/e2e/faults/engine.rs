//! The engine ends at each stage of its work, with an error or without a word.

use super::restart::{KEEP_WORKERS, KILL, large_file};
use crate::browser::Outcome;
use crate::made::{TABLE, folder_of};
use crate::page::Page;
use crate::sample::{VERDICTS, open_sample};
use crate::scenario::scenario_after;

/// The first engine ends before it says that it is up, for want of memory.
const FAIL_AT_START: &str = r"{
  const Native = window.Worker;
  window.engines = 0;
  window.Worker = class extends Native {
    constructor(...given) {
      super(...given);
      if (++window.engines === 1) {
        setTimeout(() => this.dispatchEvent(new ErrorEvent('error', { message: 'RuntimeError: unreachable', cancelable: true })));
      }
    }
  };
}";

/// Ends the engine as soon as one of its messages holds these words, where each text follows its length.
fn kill_at_message(words: &str) -> String {
    format!(
        r"{{
  const Native = window.Worker;
  let isOver = false;
  window.engines = [];
  window.Worker = class extends Native {{
    constructor(...given) {{
      super(...given);
      window.engines.push(this);
      this.addEventListener('message', (event) => {{
        const text = new TextDecoder('latin1').decode(event.data[0]);
        if (isOver || !text.includes('{words}')) return;
        isOver = true;
        // No message may follow: another piece of work may begin at once, or this one end.
        this.terminate();
        // When the page has taken the message.
        setTimeout(() => this.dispatchEvent(
          new ErrorEvent('error', {{ message: 'Uncaught the engine panicked', cancelable: true }})));
      }});
    }}
  }};
}}"
    )
}

/// Has the first engine crash: the one that replaces it names each file and run before it begins.
async fn crash_first_engine(page: &Page) -> Outcome {
    page.wait_for("#open-sample").await?;
    page.browser().driver().execute(KILL, []).await?;
    page.wait_until("there is a second engine", "engines.length === 2", "").await
}

const STARTED_AGAIN: &str = "The engine stopped unexpectedly and was started again.";

#[tokio::test]
async fn an_engine_that_ends_at_its_start_is_replaced() -> Outcome {
    scenario_after("ends-at-start", FAIL_AT_START, async |page| {
        open_sample(page).await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        page.wait_for_text("[role=alert] .banner", "ran out of memory").await?;
        page.wait_until("there was a second engine", "engines === 2", "").await
    })
    .await
}

#[tokio::test]
async fn an_engine_that_ends_while_it_reads_costs_the_file() -> Outcome {
    let large = large_file(60 << 20);
    let files = folder_of("ends-reading", &[("before.csv", TABLE), ("run-large.wandb", &large), ("zebra.csv", TABLE)])?;
    scenario_after("ends-reading", &kill_at_message(r"\x0frun-large.wandb"), async |page| {
        crash_first_engine(page).await?;
        page.choose_files(&files).await?;
        let said = "It was reading run-large.wandb, which is now skipped.";
        page.wait_for_text("[role=alert] .banner", said).await?;
        page.wait_for_runs(2).await?;
        assert_eq!(names(page).await?, ["before", "zebra"]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_engine_that_ends_while_it_diagnoses_costs_one_verdict() -> Outcome {
    let large = large_file(60 << 20);
    let files = folder_of("ends-diagnosing", &[("run-large.wandb", &large), ("zebra.csv", TABLE)])?;
    scenario_after("ends-diagnosing", &kill_at_message(r"\x05large\x0frun-large.wandb"), async |page| {
        crash_first_engine(page).await?;
        page.choose_files(&files).await?;
        let said = "It was diagnosing large, which is now listed without a verdict.";
        page.wait_for_text("[role=alert] .banner", said).await?;
        page.wait_for_runs(2).await?;
        page.open_run("large").await?;
        page.wait_for_text(".run-view .headline", "Not diagnosed").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_engine_that_ends_while_it_answers_costs_the_view() -> Outcome {
    scenario_after("ends-answering", KEEP_WORKERS, async |page| {
        open_sample(page).await?;
        let click = format!("document.querySelector('.tabs a[href*=signals]').click(); {KILL}");
        page.script::<()>(&click).await?;
        page.wait_for_text("[role=alert] .banner", STARTED_AGAIN).await?;
        page.wait_until("nothing is being read", "!document.querySelector('.progress')", "").await?;
        page.view("run").await?;
        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        assert_eq!(page.verdicts().await?.len(), VERDICTS.len());
        Ok(())
    })
    .await
}

/// Makes the watchdog a hundred times as fast.
const FAST_WATCHDOG: &str = "window.rundownTick = 50;";

#[tokio::test]
async fn an_unresponsive_engine_is_restarted_by_the_user() -> Outcome {
    scenario_after("unresponsive", &format!("{FAST_WATCHDOG}{KEEP_WORKERS}"), async |page| {
        open_sample(page).await?;
        let before = page.verdicts().await?;
        // What is unanswered when the engine ends is not asked for again.
        page.wait_for(".run-view canvas").await?;
        // As the browser ends a worker of its own accord: without an event.
        page.script::<()>("engines.at(-1).terminate()").await?;
        page.view("compare").await?;
        page.wait_for_text(".tray .banner", "The engine has not responded for 30 seconds.").await?;
        page.screenshots("unresponsive").await?;
        page.wait_for("#restart-engine").await?.click().await?;
        page.wait_for_text("[role=alert] .banner", "The engine did not answer and was started again.").await?;
        page.wait_until("nothing is being read", "!document.querySelector('.progress')", "").await?;
        page.view("run").await?;
        page.wait_for(".run-view canvas").await?;
        assert_eq!(page.verdicts().await?, before);
        page.wait_until("the notice is gone", "!document.querySelector('#restart-engine')", "").await
    })
    .await
}

async fn names(page: &Page) -> Outcome<Vec<String>> {
    let mut names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
    names.sort();
    Ok(names)
}
