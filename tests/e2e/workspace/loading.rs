//! Runs appear while files are read: verdicts before the last file is in, nothing that was opened moves, and the end is
//! the same.

use std::fmt::Write as _;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::page::Page;
use crate::scenario::scenario_after;

/// Files that are read at once.
const FILES: usize = 30;
/// Names that share no part: of others the list shows what differs.
const NAMES: [&str; 3] = ["amber", "basil", "cedar"];
/// Rows of the one that is still read when others are listed.
const MANY_ROWS: usize = 2_500_000;

/// Notes what the bar says and the longest list while it is there, and opens the last run of the first list. A script of
/// the page does, because the driver may ask too seldom to see it.
const WATCH: &str = r"{
  window.said = [];
  window.early = [];
  window.opened = null;
  setInterval(() => {
    const bar = document.querySelector('.progress');
    if (!bar) return;
    said.push(bar.querySelector('strong').textContent);
    const rows = [...document.querySelectorAll('#runs [data-verdict]')];
    const runs = rows.map(row => [row.querySelector('.name').textContent, row.dataset.verdict]);
    if (runs.length > early.length) early = runs;
    if (runs.length && opened === null) {
      opened = runs.at(-1)[0];
      rows.at(-1).click();
    }
  }, 20);
}";

fn table(rows: usize, level: f64) -> String {
    let mut text = String::from("step,eval/accuracy,kl\n");
    for step in 0..rows {
        let gain = 1.0 - 1.0 / (1.0 + step as f64 / 10.0);
        let _ = writeln!(text, "{step},{:.6},{:.6}", level * gain, 0.001 + level / 100.0);
    }
    text
}

/// Small tables, in the order of their names.
fn small_tables() -> Vec<(String, String)> {
    (0..FILES).map(|run| (format!("{}-{run:02}.csv", NAMES[run % 3]), table(60, 0.2 + run as f64 / 60.0))).collect()
}

#[tokio::test]
async fn runs_appear_while_files_are_read() -> Outcome {
    let mut texts = small_tables();
    texts.insert(0, ("a-large.csv".to_owned(), table(MANY_ROWS, 0.9)));
    let named: Vec<(&str, &[u8])> = texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let files = folder_of("loading", &named)?;
    scenario_after("loading", WATCH, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_until("runs are listed while files are read", "early.length > 0", "").await?;
        page.screenshot("loading").await?;
        wait_for_all(page).await?;
        let opened: String = page.script("return opened").await?;
        let title: String = page.browser().driver().title().await?;
        assert!(title.contains(&opened), "what was opened stays open: {opened}, not {title}");
        let early: Vec<(String, String)> = page.script("return early").await?;
        let all = page.verdicts().await?;
        assert!(early.iter().all(|run| all.contains(run)), "{early:?} became {all:?}");
        page.wait_for_text(".list-foot", &format!("{} files read", FILES + 1)).await?;
        let said: Vec<String> = page.script("return said").await?;
        assert!(said.iter().any(|words| words.starts_with("Reading ") && words.ends_with(" of 31 files…")), "{said:?}");

        // Once more, without a click: the first of the list is open in the end.
        page.script::<()>("early = []").await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        wait_for_all(page).await?;
        assert_eq!(page.verdicts().await?, all);
        assert!(page.script::<usize>("return early.length").await? > 0, "none was listed while files were read");
        let first = &all.first().ok_or("no run")?.0;
        page.wait_until("the first run is open", "document.title.includes(arguments[0])", first).await
    })
    .await
}

async fn wait_for_all(page: &Page) -> Outcome {
    page.wait_for_runs(FILES + 1).await?;
    page.wait_until("all is read", "!document.querySelector('.progress')", "").await
}

#[tokio::test]
async fn runs_that_are_closed_while_files_are_read_do_not_come_back() -> Outcome {
    let mut texts = small_tables();
    // The first of them becomes a whole run when all runs are closed.
    texts.push(("y-large.csv".to_owned(), table(MANY_ROWS / 2, 0.9)));
    texts.push(("z-larger.csv".to_owned(), table(MANY_ROWS, 0.9)));
    let named: Vec<(&str, &[u8])> = texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let files = folder_of("closed-early", &named)?;
    scenario_after("closed-early", WATCH, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_until("runs are listed while files are read", "early.length > 0", "").await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.wait_until("the reading has stopped", "!document.querySelector('.progress')", "").await?;
        let rows: usize = page.script("return document.querySelectorAll('#runs [data-verdict]').length").await?;
        assert_eq!(rows, 0, "runs that were closed are listed");

        // What is read next is whole, and its first run is opened.
        page.choose_files(&files[..2]).await?;
        page.wait_for_runs(2).await?;
        page.wait_until("all is read", "!document.querySelector('.progress')", "").await?;
        page.wait_until("a run is open", "/amber|basil/.test(document.title)", "").await
    })
    .await
}

/// The engine never gets this file, so that its reading goes on until it is stopped.
const HOLD: &str = r"{
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    const files = Array.isArray(message) ? message[1] : [];
    if (Array.isArray(files) && files.some(file => file?.name === 'held.csv')) return;
    post.call(this, message, ...rest);
  };
}";

/// A drop beside one that takes long: the bar stays until both are read, and stops what is left.
#[tokio::test]
async fn a_second_drop_leaves_the_first_one_its_bar() -> Outcome {
    let text = table(60, 0.4);
    let files = folder_of("two-drops", &[("held.csv", text.as_bytes()), ("small.csv", text.as_bytes())])?;
    scenario_after("two-drops", &format!("{HOLD}{WATCH}"), async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files[..1]).await?;
        page.wait_for(".progress").await?;
        page.choose_files(&files[1..]).await?;
        page.wait_until("the small run is listed beside the bar", "early.length > 0", "").await?;
        page.script::<()>("document.querySelector('.progress button').click()").await?;
        page.wait_until("the bar is gone", "!document.querySelector('.progress')", "").await?;
        page.wait_for_runs(1).await
    })
    .await
}
