//! Runs appear while files are read: verdicts before the last file is in, nothing that was opened moves, and the end is
//! the same.

use std::fmt::Write as _;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::page::Page;
use crate::scenario::scenario_after;

/// Files that are read at once.
const SMALL: usize = 30;
/// Names that share no part: of others the list shows what differs.
const NAMES: [&str; 3] = ["amber", "basil", "cedar"];
/// Rows of the one that takes seconds.
const MANY_ROWS: usize = 1_500_000;

/// Notes what the bar says, and how many runs are listed while it is there.
const WATCH: &str = r"{
  window.said = [];
  window.early = 0;
  setInterval(() => {
    const bar = document.querySelector('.progress');
    if (!bar) return;
    said.push(bar.querySelector('strong').textContent);
    early = Math.max(early, Number(document.querySelector('#runs .lines')?.dataset.runs ?? 0));
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

#[tokio::test]
async fn runs_appear_while_files_are_read() -> Outcome {
    let mut texts: Vec<(String, String)> = (0..SMALL)
        .map(|run| (format!("{}-{run:02}.csv", NAMES[run % 3]), table(60, 0.2 + run as f64 / 60.0)))
        .collect();
    texts.insert(0, ("a-large.csv".to_owned(), table(MANY_ROWS, 0.9)));
    let named: Vec<(&str, &[u8])> = texts.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let files = folder_of("loading", &named)?;
    scenario_after("loading", WATCH, async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_text(".progress", &format!("of {} files…", SMALL + 1)).await?;
        page.wait_for_runs(SMALL).await?;
        page.wait_for(".progress").await?;
        let early = page.verdicts().await?;
        page.screenshot("loading").await?;
        page.open_run("amber-03").await?;
        page.wait_until("the run is open", "document.title.includes('amber-03')", "").await?;
        wait_for_all(page).await?;
        let title: String = page.browser().driver().title().await?;
        assert!(title.contains("amber-03"), "what was opened stays open: {title}");
        let all = page.verdicts().await?;
        assert!(early.iter().all(|run| all.contains(run)), "{early:?} became {all:?}");
        page.wait_for_text(".list-foot", &format!("{} files read", SMALL + 1)).await?;
        let said: Vec<String> = page.script("return said").await?;
        assert!(said.iter().any(|words| words.starts_with("Reading ") && words.ends_with(" of 31 files…")), "{said:?}");

        // Once more, without a click: the first of the list is open in the end.
        page.script::<()>("window.early = 0").await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        wait_for_all(page).await?;
        assert_eq!(page.verdicts().await?, all);
        assert!(page.script::<usize>("return early").await? > 0, "none was listed while files were read");
        let first = &all.first().ok_or("no run")?.0;
        page.wait_until("the first run is open", "document.title.includes(arguments[0])", first).await
    })
    .await
}

async fn wait_for_all(page: &Page) -> Outcome {
    page.wait_for_runs(SMALL + 1).await?;
    page.wait_until("all is read", "!document.querySelector('.progress')", "").await
}
