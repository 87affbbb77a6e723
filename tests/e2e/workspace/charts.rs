//! Charts of several runs: tooltip, zoom, enlarging, pins, menus, files and scales.

use serde_json::json;
use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::scenario;

const CHART: &str = "[data-key='train/reward']";

/// The Metrics view of the sample, with two metrics found.
async fn open(page: &Page) -> Outcome {
    open_sample(page).await?;
    page.open_run("sweep-05").await?;
    page.view("metrics").await?;
    page.type_into(".metrics-search input", "/^train\\/(reward|kl)$/").await?;
    page.wait_for_text(".metrics-count", "2 of").await?;
    page.drawn_picture_of(CHART).await?;
    Ok(())
}

/// Puts the mouse on a chart, at shares of its width and height.
async fn point_at(page: &Page, selector: &str, across: f64, down: f64) -> Outcome {
    let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return [box.left, box.top, box.width, box.height]";
    let [left, top, width, height]: [f64; 4] =
        page.browser().driver().execute(place, vec![json!(selector)]).await?.convert()?;
    let (x, y) = (left + width * across, top + height * down);
    let event = json!({ "type": "mouseMoved", "x": x, "y": y, "button": "none", "buttons": 0 });
    page.browser().devtools("Input.dispatchMouseEvent", event).await?;
    Ok(())
}

async fn hash(page: &Page) -> Outcome<String> {
    Ok(page.browser().driver().execute("return location.hash", []).await?.convert()?)
}

async fn focused(page: &Page, selector: &str) -> Outcome {
    page.browser().driver().execute("document.querySelector(arguments[0]).focus()", vec![json!(selector)]).await?;
    Ok(())
}

#[tokio::test]
async fn a_tooltip_lists_the_shown_runs_nearest_first() -> Outcome {
    scenario("tooltip", async |page| {
        open(page).await?;
        let frame = format!("{CHART} .chart-frame");
        for (across, down) in [(0.15, 0.1), (0.5, 0.5), (0.95, 0.9)] {
            point_at(page, &frame, across, down).await?;
            page.wait_for_text(".chart-tip-place", "step").await?;
            let tips = page.browser().driver().find_all(By::Css(".chart-tip")).await?;
            assert_eq!(tips.len(), 1, "one tooltip at a time");
            let inside = "const box = document.querySelector('.chart-tip').getBoundingClientRect();
                return box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight";
            assert!(page.browser().driver().execute(inside, []).await?.convert::<bool>()?, "outside the window");
        }
        let rows = page.browser().driver().find_all(By::Css(".chart-tip li")).await?;
        assert!(rows.len() >= 3, "{} runs", rows.len());
        let nearest = page.browser().driver().find_all(By::Css(".chart-tip li.is-nearest")).await?;
        assert_eq!(nearest.len(), 1);
        page.screenshots("metrics-tooltip").await?;
        page.point_nowhere().await?;
        page.wait_until("the tooltip goes", "!document.querySelector('.chart-tip')", "").await
    })
    .await
}

#[tokio::test]
async fn zooming_is_in_the_address_and_taken_back() -> Outcome {
    scenario("zoom-address", async |page| {
        open(page).await?;
        let before = page.drawn_picture_of(CHART).await?;
        page.drag_across(&format!("{CHART} .chart-frame"), 0.4, 0.6).await?;
        page.point_nowhere().await?;
        page.wait_until("the address has the window", "location.hash.includes('zoom=')", "").await?;
        assert_ne!(page.drawn_picture_of(CHART).await?, before);
        page.wait_for_text(".metrics-window", "steps").await?;
        page.browser().driver().back().await?;
        page.wait_until("the window is taken back", "!location.hash.includes('zoom=')", "").await?;
        assert!(page.drawn_picture_of(CHART).await? == before, "the chart did not follow");
        page.browser().driver().forward().await?;
        page.wait_until("and again", "location.hash.includes('zoom=')", "").await?;
        page.click_words(".metrics-window button", "reset zoom").await?;
        page.wait_until("reset", "!location.hash.includes('zoom=')", "").await
    })
    .await
}

#[tokio::test]
async fn a_chart_is_enlarged_and_escape_restores_it() -> Outcome {
    scenario("enlarged", async |page| {
        open(page).await?;
        let width = "return document.querySelector(\"[data-key='train/reward'] .chart-frame\").clientWidth";
        let before: i64 = page.browser().driver().execute(width, []).await?.convert()?;
        page.wait_for(&format!("{CHART} .chart-enlarge")).await?.click().await?;
        page.wait_for(".metrics-enlarged .chart-frame canvas").await?;
        page.settle().await?;
        assert!(hash(page).await?.contains("wide=train/reward"), "{}", hash(page).await?);
        let after: i64 = page.browser().driver().execute(width, []).await?.convert()?;
        assert!(after > before * 3 / 2, "{before} pixels, then {after}");
        page.screenshots("metrics-enlarged").await?;
        page.browser().driver().active_element().await?.send_keys(Key::Escape + "").await?;
        page.wait_until("all charts are back", "!document.querySelector('.metrics-enlarged')", "").await?;
        assert!(!hash(page).await?.contains("wide="));
        page.drawn_picture_of(CHART).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn lines_that_were_hidden_come_back() -> Outcome {
    scenario("lines-back", async |page| {
        open(page).await?;
        let before = page.drawn_picture_of(CHART).await?;
        let message = format!("{CHART} .chart-message");
        page.click_words("#runs button", "Show ▾").await?;
        page.click_words("#runs .popup-panel button", "Show none").await?;
        page.wait_for_text(&message, "No run is shown.").await?;
        page.point_nowhere().await?;
        page.browser().driver().back().await?;
        page.wait_until("there are lines again", "!document.querySelector(arguments[0])", &message).await?;
        assert!(page.drawn_picture_of(CHART).await? == before, "not the same lines");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn pinned_charts_come_first() -> Outcome {
    scenario("pinned", async |page| {
        open(page).await?;
        page.wait_for(".metrics-section [data-key='train/kl'] .chart-pin").await?.click().await?;
        page.wait_for(".metrics-pinned [data-key='train/kl'] canvas").await?;
        let first = "document.querySelector('.metrics-section').classList.contains('metrics-pinned')";
        page.wait_until("they come first", first, "").await?;
        let stored = "localStorage.getItem('rundown-pinned') === 'train/kl'";
        page.wait_until("the browser remembers them", stored, "").await?;
        page.wait_for(".metrics-pinned [data-key='train/kl'] .chart-pin").await?.click().await?;
        page.wait_until("the pin is gone", "!document.querySelector('.metrics-pinned')", "").await
    })
    .await
}

#[tokio::test]
async fn the_menu_closes_on_escape_elsewhere_and_on_a_choice() -> Outcome {
    scenario("chart-menu", async |page| {
        open(page).await?;
        let button = format!("{CHART} .chart-menu .popup-button");
        let closed = "!document.querySelector('.popup-panel')";
        page.wait_for(&button).await?.click().await?;
        page.wait_for("[role=menu]").await?;
        page.browser().driver().active_element().await?.send_keys(Key::Escape + "").await?;
        page.wait_until("Escape closes it", closed, "").await?;
        page.wait_for(&button).await?.click().await?;
        page.wait_for("[role=menu]").await?;
        page.wait_for(".metrics-count").await?.click().await?;
        page.wait_until("a click elsewhere closes it", closed, "").await?;
        let before = page.drawn_picture_of(CHART).await?;
        page.wait_for(&button).await?.click().await?;
        page.click_words("[role=menuitem]", "Log y axis").await?;
        page.wait_until("a choice closes it", closed, "").await?;
        page.point_nowhere().await?;
        assert_ne!(page.drawn_picture_of(CHART).await?, before, "the scale did not change");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_chart_is_saved_as_picture_and_as_all_its_points() -> Outcome {
    scenario("chart-files", async |page| {
        open(page).await?;
        let button = format!("{CHART} .chart-menu .popup-button");
        page.wait_for(&button).await?.click().await?;
        page.click_words("[role=menuitem]", "PNG").await?;
        let png = page.downloaded("train-reward.png").await?;
        let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
        assert!(png.starts_with(b"\x89PNG") && side(16) >= 1280 && side(20) >= 640, "{} x {}", side(16), side(20));

        page.wait_for(&button).await?.click().await?;
        page.click_words("[role=menuitem]", "CSV").await?;
        let csv = String::from_utf8(page.downloaded("train-reward.csv").await?)?;
        let mut lines = csv.lines();
        assert!(lines.next().is_some_and(|head| head.starts_with("run,run_id,metric,step,value")), "{csv:.200}");
        assert!(csv.contains("sweep-05") && lines.count() > 500, "all points of all runs");

        page.wait_for(&button).await?.click().await?;
        page.click_words("[role=menuitem]", "SVG").await?;
        let svg = String::from_utf8(page.downloaded("train-reward.svg").await?)?;
        assert!(roxmltree::Document::parse(&svg).is_ok() && svg.contains("train/reward"), "{svg:.200}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_tools_change_all_charts_and_the_address() -> Outcome {
    scenario("chart-tools", async |page| {
        open(page).await?;
        let mut before = page.drawn_picture_of(CHART).await?;
        for (words, part) in [("symlog", "y=symlog"), ("time", "x=time"), ("step", "/metrics")] {
            page.click_words(".segments button", words).await?;
            page.wait_until("the address has it", "location.hash.includes(arguments[0])", part).await?;
            let after = page.drawn_picture_of(CHART).await?;
            assert_ne!(after, before, "{words} changed nothing");
            before = after;
        }
        page.click_words(".tool-menu .popup-button", "Smoothing").await?;
        page.click_words(".popup-panel label", "Gaussian").await?;
        page.wait_until("smoothing is in the address", "location.hash.includes('smooth=gaussian')", "").await?;
        assert_ne!(page.drawn_picture_of(CHART).await?, before, "smoothing changed nothing");
        page.screenshot("metrics-smoothing").await?;
        page.browser().driver().active_element().await?.send_keys(Key::Escape + "").await?;
        page.click_words(".tool-menu .popup-button", "Charts").await?;
        page.wait_for(".popup-panel select").await?.send_keys("1").await?;
        page.wait_for(".metrics-grid.columns-1").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_line_of_a_group_lights_its_runs() -> Outcome {
    scenario("group-lit", async |page| {
        open(page).await?;
        // No run has the setting: all are one group.
        page.browser().driver().execute("location.hash += '&group=mean:nowhere'", []).await?;
        page.wait_for_text(".tool-menu .popup-button", "Group: nowhere").await?;
        page.settle().await?;
        page.drawn_picture_of(CHART).await?;
        let lit = "return document.querySelectorAll('#runs .row.lit').length";
        let mut most = 0;
        for place in 1..40 {
            point_at(page, &format!("{CHART} .chart-frame"), 0.6, f64::from(place) / 40.0).await?;
            page.settle().await?;
            most = most.max(page.script::<u32>(lit).await?);
            if most > 1 {
                break;
            }
        }
        assert!(most > 1, "the runs of the group are not lit");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_metric_for_x_is_found_by_a_part_of_its_name() -> Outcome {
    scenario("x-metric", async |page| {
        open(page).await?;
        page.wait_for(".segments-more .popup-button").await?.click().await?;
        page.wait_until("metrics are proposed", "document.querySelectorAll('#x-metrics option').length > 5", "")
            .await?;
        page.type_into(".segments-more input", "train/kl").await?;
        page.press(Key::Enter + "").await?;
        page.wait_until("x is a metric", "decodeURIComponent(location.hash).includes('x=metric:train/kl')", "").await
    })
    .await
}

#[tokio::test]
async fn keys_move_the_cursor_and_say_the_values() -> Outcome {
    scenario("chart-keys", async |page| {
        open(page).await?;
        let frame = format!("{CHART} .chart-frame");
        focused(page, &frame).await?;
        let chart = page.browser().driver().active_element().await?;
        chart.send_keys(Key::End + "").await?;
        page.wait_for_text(".chart-tip-place", "step").await?;
        let said = "[...document.querySelectorAll(\"[data-key='train/reward'] [role=status]\")]
            .some(status => status.textContent.includes('amber-'))";
        page.wait_until("the values are said", said, "").await?;
        chart.send_keys("+").await?;
        page.wait_until("the zoom is in the address", "location.hash.includes('zoom=')", "").await?;
        chart.send_keys("0").await?;
        page.wait_until("and gone", "!location.hash.includes('zoom=')", "").await?;
        let label = page.wait_for(&frame).await?.attr("aria-label").await?.unwrap_or_default();
        assert!(label.starts_with("Line chart of train/reward. sweep-05: "), "{label}");
        page.wait_for(&format!("{CHART} table")).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn charts_out_of_sight_are_taken_apart() -> Outcome {
    scenario("chart-sight", async |page| {
        // Low, so that the first chart is far from the last.
        page.browser().set_viewport(1100, 500).await?;
        open_sample(page).await?;
        page.view("metrics").await?;
        page.wait_for(".metrics-section canvas").await?;
        page.settle().await?;
        let count = "return [document.querySelectorAll('[data-cell]').length,
            document.querySelectorAll('[data-cell] canvas').length]";
        let [cells, charts]: [f64; 2] = page.browser().driver().execute(count, []).await?.convert()?;
        assert!(charts > 0.0 && charts < cells, "{charts} charts of {cells}");
        page.browser().driver().execute("scrollTo(0, document.body.scrollHeight)", []).await?;
        let last = "[...document.querySelectorAll('[data-cell]')].at(-1).querySelector('canvas')?.width > 0";
        page.wait_until("the last chart is drawn", last, "").await?;
        let first = "!document.querySelector('[data-cell] canvas')?.closest('[data-cell]').matches(':first-child') || \
                     scrollY < 600";
        page.wait_until("the first chart is gone", first, "").await
    })
    .await
}
