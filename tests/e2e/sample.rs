//! The sample project, from the click to the report.

use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::Page;
use crate::scenario::scenario;

/// What each sample run must be found to be.
pub const VERDICTS: [(&str, &str); 6] = [
    ("sweep-05", "good"),
    ("amber-03", "bad"),
    ("amber-12", "bad"),
    ("amber-06", "ugly"),
    ("amber-07", "ugly"),
    ("amber-10", "ugly"),
];

#[tokio::test]
async fn the_sample_is_diagnosed() -> Outcome {
    scenario("sample", async |page| {
        open_sample(page).await?;
        let mut found = page.verdicts().await?;
        found.sort();
        let mut expected: Vec<(String, String)> =
            VERDICTS.iter().map(|(name, verdict)| ((*name).to_owned(), (*verdict).to_owned())).collect();
        expected.sort();
        assert_eq!(found, expected);

        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking]").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        page.settle().await?;
        page.screenshots("run").await?;

        page.open_run("sweep-05").await?;
        page.settle().await?;
        page.screenshots("run-good").await
    })
    .await
}

#[tokio::test]
async fn the_run_view_answers_on_the_first_screen() -> Outcome {
    const CHART: &str = "#finding-0";
    scenario("run-answers", async |page| {
        open_sample(page).await?;
        page.open_run("amber-07").await?;
        page.wait_for_text(".try-first h2", "Try").await?;
        page.settle().await?;
        for (what, holds) in [
            (
                "what to try is in sight",
                "document.querySelector('.try-first').getBoundingClientRect().bottom < innerHeight",
            ),
            ("the summary has three lines at most", "document.querySelector('.summary').clientHeight < 70"),
            ("the arithmetic is folded", "![...document.querySelectorAll('.card .evidence')].some(fold => fold.open)"),
            (
                "no lane is empty",
                "[...document.querySelectorAll('.lane:not(.over)')].every(lane => lane.querySelector('.bar'))",
            ),
            ("no backtick is shown", "!document.querySelector('.run-view').textContent.includes('`')"),
        ] {
            page.wait_until(what, holds, "").await?;
        }

        // Dragging across the incidents zooms the charts of the findings.
        let whole = page.drawn_picture_of(CHART).await?;
        page.drag_across(".lanes", 0.4, 0.7).await?;
        page.wait_for(".timeline .band").await?;
        page.point_nowhere().await?;
        assert_ne!(whole, page.drawn_picture_of(CHART).await?, "the chart did not zoom");
        page.screenshot("run-brushed").await?;
        page.click_words(".timeline button", "Show all steps").await?;
        page.point_nowhere().await?;
        assert!(whole == page.drawn_picture_of(CHART).await?, "the chart did not reset");

        // A bar leads to its card, a consequence to its cause and back.
        page.wait_for(".bar[data-code=reward_hacking]").await?.click().await?;
        let has_focus = "document.activeElement.matches('article[data-code=reward_hacking]')";
        page.wait_until("the card has the focus", has_focus, "").await?;
        page.wait_for(".consequences summary").await?.click().await?;
        page.click_words(".consequences .card-head .link", "explained by").await?;
        page.wait_until("the cause has the focus", "document.activeElement.matches('.findings > article')", "").await?;

        // A metric in a sentence leads to its chart.
        page.wait_for(".summary .metric-link").await?.send_keys(Key::Enter).await?;
        page.wait_for(".metrics-enlarged .chart-frame canvas").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn charts_zoom_together_and_reset() -> Outcome {
    const CHART: &str = "[data-key='train/kl']";
    const NEIGHBOUR: &str = "[data-key='train/entropy']";
    scenario("metrics", async |page| {
        open_sample(page).await?;
        page.open_run("sweep-05").await?;
        page.view("metrics").await?;
        page.wait_for(".metrics-section canvas").await?;
        page.settle().await?;
        page.screenshots("metrics").await?;

        // Charts are drawn when they come into sight: these two are left, side by side.
        page.type_into(".metrics-search input", "/^train\\/(kl|entropy)$/").await?;
        page.wait_for_text(".metrics-count", "2 of").await?;
        let shown = "[...document.querySelectorAll('.metrics-section')].filter(part => part.checkVisibility()).length";
        page.wait_until("sections without a hit are hidden", &format!("{shown} === 1"), "").await?;
        let frame = format!("{CHART} .chart-frame");
        let before = (page.drawn_picture_of(CHART).await?, page.drawn_picture_of(NEIGHBOUR).await?);

        page.drag_across(&frame, 0.4, 0.6).await?;
        page.point_nowhere().await?;
        let zoomed = (page.drawn_picture_of(CHART).await?, page.drawn_picture_of(NEIGHBOUR).await?);
        assert_ne!(before.0, zoomed.0, "the chart did not zoom");
        assert_ne!(before.1, zoomed.1, "its neighbour did not follow");
        page.screenshot("metrics-zoomed").await?;

        page.double_click(&frame).await?;
        page.point_nowhere().await?;
        let reset = (page.drawn_picture_of(CHART).await?, page.drawn_picture_of(NEIGHBOUR).await?);
        assert!(before.0 == reset.0, "the chart did not reset");
        assert!(before.1 == reset.1, "its neighbour did not reset");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_report_is_read_and_downloaded() -> Outcome {
    scenario("report", async |page| {
        open_sample(page).await?;
        page.open_run("amber-07").await?;
        page.view("report").await?;
        page.wait_for_text("main h1, main h2", "amber-07").await?;
        page.settle().await?;
        page.screenshots("report").await?;
        page.click_words("button", "Download .md").await?;
        let markdown = String::from_utf8(page.downloaded("rundown-amber-07.md").await?)?;
        assert!(markdown.contains("Reward hacking"), "{markdown}");
        page.click_words("button", "Download .json").await?;
        let json: serde_json::Value = serde_json::from_slice(&page.downloaded("rundown-amber-07.json").await?)?;
        assert_eq!(json["schema"], 2);
        assert_eq!(json["runs"][0]["verdict"], "ugly");
        page.click_words("button", "Download .html").await?;
        let html = String::from_utf8(page.downloaded("rundown-amber-07.html").await?)?;
        assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<svg") && html.contains("amber-07"), "{html}");
        Ok(())
    })
    .await
}

/// Asked for at once, the report is still the one that is chosen and not the one in the preview.
#[tokio::test]
async fn a_hasty_download_is_the_chosen_report() -> Outcome {
    scenario("report-hasty", async |page| {
        open_sample(page).await?;
        page.open_run("amber-07").await?;
        page.view("report").await?;
        page.wait_for_text("article.report", "amber-07").await?;
        let hasty = "document.querySelectorAll('.scope input')[1].click();
            [...document.querySelectorAll('button')].find(button => button.textContent === 'Download .md').click()";
        page.browser().driver().execute(hasty, []).await?;
        let report = String::from_utf8(page.downloaded_ending(".md").await?)?;
        assert!(
            report.contains("sweep-05"),
            "not the report on all runs: {}",
            report.lines().next().unwrap_or_default()
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keys_lead_through_the_page() -> Outcome {
    scenario("keys", async |page| {
        open_sample(page).await?;
        let driver = page.browser().driver();
        let body = driver.find(By::Css("body")).await?;
        body.send_keys("?").await?;
        page.wait_for("dialog[open]").await?;
        page.screenshot("help").await?;
        driver.active_element().await?.send_keys(Key::Escape + "").await?;
        body.send_keys("2").await?;
        page.wait_for(".metrics-view").await?;
        body.send_keys("3").await?;
        page.wait_for_text(".document h2", "Configuration differences").await?;
        page.view("report").await?;
        page.wait_for_text("button", "Download .md").await?;
        body.send_keys("1").await?;
        page.wait_for_text("main h2", "What went well").await?;
        body.send_keys("t").await?;
        page.wait_for("html[data-theme]").await?;
        Ok(())
    })
    .await
}

/// Opens the sample project as a visitor does.
pub async fn open_sample(page: &Page) -> Outcome {
    page.wait_for("#open-sample").await?.click().await?;
    page.wait_for("#runs [data-verdict]").await?;
    Ok(())
}

/// Opens the sample project where the list of runs is a closed sheet.
pub async fn open_sample_hidden(page: &Page) -> Outcome {
    page.wait_for("#open-sample").await?.click().await?;
    page.wait_until("runs are listed", "document.querySelectorAll('#runs [data-verdict]').length > 0", "").await
}
