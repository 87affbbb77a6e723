//! Names, keys and values that try to be markup, or are far too long: they are text and stay in their boxes.

use serde_json::json;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::page::Page;
use crate::scenario::scenario;
use crate::wandb_file::WandbFile;

const MARKUP: &str = "<img src=x onerror=alert(1)></script><script>alert(2)</script> `code` ``` **bold** 训练运行";
const HOSTILE_FILE: &str = "<img src=x onerror=alert(3)> `训练`.wandb";

#[tokio::test]
async fn hostile_text_stays_text() -> Outcome {
    let long = "x".repeat(500);
    let long_words = "long name ".repeat(50);
    let steps = 0..120_u32;

    // As scripts export runs: with a config.
    let rows: Vec<_> = steps
        .clone()
        .map(|step| {
            let reward = f64::from(step) / 200.0;
            json!({
                "_step": step, "train/reward": reward, "train/kl": 0.01, MARKUP: reward,
                format!("train/{MARKUP}"): -reward, format!("train/{long}"): reward * 2.0,
            })
        })
        .collect();
    let exported = json!({
        "name": MARKUP,
        "config": {
            "learning_rate": 1e-6, "model_name": MARKUP, MARKUP: MARKUP, "base_model": long, (long.as_str()): long,
        },
        "history": rows,
    });

    let mut logged = WandbFile::new("hostile", &long);
    let mut worded = WandbFile::new("worded", &long_words);
    for step in steps {
        // A run that does badly brings findings, which quote its keys.
        let value = if step > 60 { f64::NAN } else { f64::from(step) };
        logged.row(u64::from(step), &[("train/reward", 0.5), ("train/kl", value), (MARKUP, value), (&long, value)]);
        worded.row(u64::from(step), &[("train/reward", f64::from(step)), (&long_words, 1.0 + f64::from(step))]);
    }
    let files = folder_of(
        "hostile",
        &[
            ("exported.json", exported.to_string().as_bytes()),
            ("run-hostile.wandb", &logged.finish(1)),
            ("run-worded.wandb", &worded.finish(0)),
            (HOSTILE_FILE, b"no run"),
        ],
    )?;

    scenario("hostile", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(3).await?;
        let names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
        for name in [MARKUP, &long, long_words.trim()] {
            assert!(names.iter().any(|shown| shown.trim() == name), "{name} is not in {names:?}");
        }
        for row in 0..3 {
            let open = format!("document.querySelectorAll('#runs [data-verdict]')[{row}].click()");
            page.browser().driver().execute(&open, []).await?;
            page.view("run").await?;
            page.wait_for(".run-view").await?;
            // What is folded away is text of the file too.
            let unfold = "document.querySelectorAll('details').forEach(part => part.open = true)";
            page.browser().driver().execute(unfold, []).await?;
            check_elements(page, "the run").await?;
            page.check_width().await?;
            page.view("metrics").await?;
            page.wait_for(".metrics-section canvas").await?;
            check_elements(page, "its metrics").await?;
            page.check_width().await?;
            page.view("report").await?;
            page.wait_for("article.report").await?;
            check_elements(page, "its report").await?;
            page.check_width().await?;
        }
        page.click_words(".scope label", "All 3 runs").await?;
        page.wait_for_text("article.report table", "训练运行").await?;
        check_elements(page, "the report on all").await?;
        page.check_width().await?;
        page.wait_for_text("article.report", MARKUP).await?;

        page.browser().driver().execute("document.querySelector('#runs [data-verdict]').click()", []).await?;
        page.view("run").await?;
        page.wait_for(".run-view").await?;
        page.wait_for("#problems").await?.click().await?;
        page.wait_for_text("dialog[open] .problems code", HOSTILE_FILE).await?;
        check_elements(page, "the problems").await?;
        page.check_width().await?;
        page.click_words("dialog button", "Close").await?;
        page.settle().await?;
        page.screenshot("hostile").await?;
        page.browser().set_viewport(360, 640).await?;
        page.settle().await?;
        page.check_width().await
    })
    .await
}

/// No element came out of the text. An `alert` would fail the next command by itself.
async fn check_elements(page: &Page, place: &str) -> Outcome {
    page.settle().await?;
    let made = "return document.querySelectorAll('img, iframe, body script, [onerror]').length";
    let made: i64 = page.browser().driver().execute(made, []).await?.convert()?;
    if made == 0 { Ok(()) } else { Err(format!("{place}: text became {made} elements").into()) }
}
