//! The keyboard, the palette, and what is pasted.

use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::scenario;

const NO_DIALOG: &str = "!document.querySelector('dialog')";

#[tokio::test]
async fn the_palette_finds_runs_metrics_views_and_commands() -> Outcome {
    scenario("palette", async |page| {
        // It is there before there are runs.
        find(page, "sample").await?;
        page.wait_for_text("dialog .nothing", "No matches.").await?;
        page.press(Key::Escape + "").await?;
        page.wait_until("it is closed", NO_DIALOG, "").await?;

        open_sample(page).await?;
        find(page, "am06").await?;
        page.wait_for_text("#palette-0", "amber-06").await?;
        page.screenshots("palette").await?;
        page.press(Key::Enter + "").await?;
        page.wait_until("the run is open", "document.title.includes('amber-06')", "").await?;
        page.wait_until("the view has the focus", "document.activeElement.id === 'main'", "").await?;

        find(page, "train/kl").await?;
        page.wait_for_text("#palette-0", "train/kl").await?;
        page.press(Key::Enter + "").await?;
        page.wait_until(
            "Metrics looks for it",
            "location.hash.startsWith('#/metrics') && location.hash.includes('metrics=train/kl')",
            "",
        )
        .await?;
        page.wait_until("the title says so", "document.title === 'ugly · amber-06 · Metrics · Rundown'", "").await?;

        find(page, "").await?;
        let rows: usize = page.script("return document.querySelectorAll('#palette-list li').length").await?;
        assert!(rows > 10 && rows <= 50, "{rows} rows");
        page.press(Key::Down + Key::Up + Key::Up).await?;
        let last = format!("document.querySelector('[aria-selected=true]').id === 'palette-{}'", rows - 1);
        page.wait_until("the arrows go round", &last, "").await?;
        page.type_into("#palette-search", "compare").await?;
        page.wait_for_text("#palette-0 kbd", "3").await?;
        page.wait_for("#palette-0").await?.click().await?;
        page.wait_until("Compare is shown", "location.hash.startsWith('#/compare')", "").await
    })
    .await
}

#[tokio::test]
async fn choices_are_undone_and_escape_closes_what_is_open() -> Outcome {
    scenario("undo", async |page| {
        open_sample(page).await?;
        page.press("2").await?;
        page.wait_until("Metrics is shown", "location.hash.startsWith('#/metrics/')", "").await?;
        let first: String = page.script("return location.hash").await?;
        page.press("j").await?;
        page.wait_until("another run is open", "location.hash !== arguments[0]", &first).await?;
        page.press(Key::Control + "z").await?;
        page.wait_until("the run is taken back", "location.hash === arguments[0]", &first).await?;
        page.press(Key::Control + "z").await?;
        page.wait_until("the view is taken back", "location.hash.startsWith('#/run')", "").await?;
        page.press(Key::Control + Key::Shift + "z").await?;
        page.wait_until("the view is there again", "location.hash === arguments[0]", &first).await?;

        page.press("?").await?;
        for heading in ["Everywhere", "In the list of runs", "On a chart"] {
            page.wait_for_text("dialog h3", heading).await?;
        }
        page.screenshots("keys").await?;
        // While a dialog is open its keys are its own.
        page.press("3").await?;
        page.press(Key::Escape + "").await?;
        page.wait_until("it is closed", NO_DIALOG, "").await?;
        page.wait_until("nothing else has changed", "location.hash === arguments[0]", &first).await?;
        page.wait_for("#add-menu-button").await?.click().await?;
        page.wait_for_text(".menu .popup-panel button", "Add a folder…").await?;
        page.press(Key::Escape + "").await?;
        page.wait_until("the menu is closed", "!document.querySelector('.menu .popup-panel button')", "").await
    })
    .await
}

#[tokio::test]
async fn what_is_pasted_is_added() -> Outcome {
    scenario("paste", async |page| {
        paste(page, "step,loss\\n1,2\\n2,3\\n3,4\\n").await?;
        page.wait_for_runs(1).await?;
        assert_eq!(page.verdicts().await?[0].0, "pasted");
        paste(page, "{\"step\": 1, \"loss\": 2}\\n{\"step\": 2, \"loss\": 1}\\n").await?;
        page.wait_for_runs(2).await?;
        // In a field it is the field's.
        page.wait_for("#filter").await?.click().await?;
        paste(page, "step,loss\\n1,2\\n2,3\\n").await?;
        page.press(Key::Escape + "").await?;
        paste(page, "https://wandb.ai/corpus/tiny-grpo/runs/abc").await?;
        let field = "document.querySelector(\"input[data-field='Project or run']\")?.value === arguments[0]";
        page.wait_until("the address is filled in", field, "https://wandb.ai/corpus/tiny-grpo/runs/abc").await?;
        page.wait_for_runs(2).await
    })
    .await
}

/// Opens the palette and types into it.
async fn find(page: &Page, letters: &str) -> Outcome {
    page.press(Key::Control + "k").await?;
    page.type_into("#palette-search", letters).await
}

async fn paste(page: &Page, text: &str) -> Outcome {
    let script = format!(
        "const data = new DataTransfer();
        data.setData('text/plain', '{text}');
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true, cancelable: true }}));"
    );
    page.browser().driver().execute(&script, []).await?;
    Ok(())
}
