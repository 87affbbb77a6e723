//! The main ways through the page with the keyboard alone: nothing here clicks, and the focus is moved by keys only.

use thirtyfour::prelude::*;

use super::openings::IS_CLOSED;
use crate::browser::Outcome;
use crate::page::Page;
use crate::scenario::scenario;

/// Most presses of Tab on the way to something.
const FAR: usize = 150;

#[tokio::test]
async fn the_sample_is_read_and_walked_by_keys() -> Outcome {
    scenario("keys-list", async |page| {
        open_sample(page).await?;
        has_focus(page, "#main").await?;

        back_to(page, "#runs .run").await?;
        page.press(Key::Home + "").await?;
        page.wait_until("the first run is open", &focused_run(0), "").await?;
        page.press(Key::Down + "").await?;
        page.wait_until("the next run is open", &focused_run(1), "").await?;
        page.press(Key::End + "").await?;
        page.wait_until("the last run is open", &focused_run(5), "").await?;

        let shown = "document.querySelectorAll('#runs [role=checkbox][aria-checked=true]').length";
        let before: usize = page.script(&format!("return {shown}")).await?;
        let is_drawn = "return document.querySelector('.row:has(:focus) [role=checkbox]').ariaChecked === 'true'";
        let after = if page.script::<bool>(is_drawn).await? { before - 1 } else { before + 1 };
        page.press(" ").await?;
        page.wait_until("Space shows or hides it", &format!("{shown} === {after}"), "").await?;
        page.press(" ").await?;
        page.wait_until("and takes that back", &format!("{shown} === {before}"), "").await?;

        // Views by their numbers; the focus follows.
        for (key, view) in [("2", "metrics"), ("3", "compare"), ("1", "run")] {
            page.press(key).await?;
            page.wait_until(&format!("{view} is shown"), "location.hash.startsWith(`#/${arguments[0]}`)", view).await?;
            has_focus(page, "#main").await?;
        }

        // A bar of the timeline leads to the card of its finding.
        tab_to(page, ".lanes .bar").await?;
        page.press(Key::Enter + "").await?;
        has_focus(page, "article[data-code]").await?;
        tab_to(page, "article[data-code] summary").await?;
        page.press(Key::Enter + "").await?;
        page.wait_until("the fold is open", "document.activeElement.parentElement.open", "").await?;

        back_to(page, "header .tools > button").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_opens_gives_the_focus_back() -> Outcome {
    scenario("keys-openings", async |page| {
        open_sample(page).await?;
        let in_bar: [(&str, &str); 3] = [
            ("#search", "#palette-search"),
            ("#add-menu-button", ".menu .popup-panel button"),
            ("#help", "dialog dl.keys"),
        ];
        let in_list = [
            ("#runs .list-head .popup:first-of-type > button", ".popup-panel"),
            ("#runs .list-head .popup:last-of-type > button", ".popup-panel select"),
            ("#runs .row .more", ".popup-panel input"),
            ("#files", "dialog .files select"),
        ];
        page.reload().await?;
        open_sample(page).await?;
        back_to(page, ".brand ~ nav a").await?;
        for (opener, opened) in in_bar.into_iter().chain(in_list) {
            opens_and_closes(page, opener, opened).await?;
        }
        page.press("2").await?;
        has_focus(page, "#main").await?;
        page.wait_for(".metrics-section canvas").await?;
        let in_metrics = [
            (".segments-more .popup-button", ".popup-panel"),
            (".tool-menu .popup-button", ".popup-panel"),
            (".chart-menu .popup-button", ".popup-panel [role=menuitem]"),
        ];
        for (opener, opened) in in_metrics {
            opens_and_closes(page, opener, opened).await?;
        }
        back_to(page, ".chart-enlarge").await?;
        page.press(Key::Enter + "").await?;
        page.wait_for(".metrics-enlarged canvas").await?;
        page.press(Key::Escape + "").await?;
        page.wait_until("all charts are back", IS_CLOSED, "").await?;
        has_focus(page, ".chart-enlarge").await?;

        page.press("3").await?;
        has_focus(page, "#main").await?;
        opens_and_closes(page, ".run-table .column-menu > .popup-button", ".run-table .column-menu li").await
    })
    .await
}

#[tokio::test]
async fn the_field_of_tags_has_its_own_keys() -> Outcome {
    scenario("keys-tags", async |page| {
        open_sample(page).await?;
        back_to(page, "#runs .run").await?;
        page.press(Key::Home + "").await?;
        page.wait_until("the first run is open", &focused_run(0), "").await?;
        page.press(Key::Down + "").await?;
        page.wait_until("the next run is open", &focused_run(1), "").await?;
        tab_to(page, "#runs .row .more").await?;
        page.press(Key::Enter + "").await?;
        tab_to(page, ".popup-panel input").await?;
        page.press("paper").await?;
        page.press(Key::Home + "").await?;
        page.wait_until("the caret is at the front", "document.activeElement.selectionStart === 0", "").await?;
        page.press(Key::Down + "").await?;
        let is_open = "document.querySelectorAll('#runs .run')[1].ariaCurrent === 'true'
            && document.activeElement.matches('.popup-panel input')";
        page.wait_until("no other run was opened", is_open, "").await
    })
    .await
}

#[tokio::test]
async fn the_palette_opens_dialogs() -> Outcome {
    scenario("keys-palette", async |page| {
        open_sample(page).await?;
        let dialogs = [
            ("keyboard", "dialog[open] dl.keys"),
            ("files and", "dialog[open] .files select"),
            ("problems with", "dialog[open] #problem-count"),
            ("connect to", "dialog[open] #list-runs"),
            ("how to check", "dialog[open] ol"),
        ];
        for (letters, opened) in dialogs {
            page.press(Key::Control + "k").await?;
            has_focus(page, "#palette-search").await?;
            page.press(letters).await?;
            let first = "document.querySelector('#palette-0')?.textContent.toLowerCase().startsWith(arguments[0])";
            page.wait_until(&format!("{letters} is found"), first, letters).await?;
            page.press(Key::Enter + "").await?;
            page.wait_for(opened).await?;
            has_focus(page, "#dialog-title").await?;
            if letters == "keyboard" {
                tab_to(page, "dialog .close").await?;
                page.press(Key::Enter + "").await?;
            } else {
                page.press(Key::Escape + "").await?;
            }
            page.wait_until("the dialog is closed", IS_CLOSED, "").await?;
            has_focus(page, "#main").await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_chart_is_zoomed_by_keys() -> Outcome {
    scenario("keys-chart", async |page| {
        open_sample(page).await?;
        page.press("2").await?;
        has_focus(page, "#main").await?;
        page.wait_for(".metrics-section canvas").await?;
        tab_to(page, ".chart-frame").await?;
        page.press(Key::Home + "").await?;
        page.wait_for_text(".chart-tip-place", "step").await?;
        page.press("+").await?;
        page.wait_until("it is zoomed", "location.hash.includes('zoom=')", "").await?;
        page.press("0").await?;
        page.wait_until("it shows everything", "!location.hash.includes('zoom=')", "").await
    })
    .await
}

async fn open_sample(page: &Page) -> Outcome {
    page.wait_for("#open-sample").await?;
    tab_to(page, "#open-sample").await?;
    page.press(Key::Enter + "").await?;
    page.wait_for_runs(6).await
}

/// Opens something from its button with Enter, closes it with Escape, and expects the focus on the button.
async fn opens_and_closes(page: &Page, opener: &str, opened: &str) -> Outcome {
    tab_to(page, opener).await?;
    page.press(Key::Enter + "").await?;
    page.wait_for(opened).await.map_err(|error| format!("{opener}: {error}"))?;
    page.press(Key::Escape + "").await?;
    page.wait_until(&format!("{opened} is closed"), IS_CLOSED, "").await?;
    has_focus(page, opener).await
}

fn focused_run(place: usize) -> String {
    format!(
        "(row => row === document.activeElement && row.ariaCurrent === 'true')(document.querySelectorAll('#runs .run')[{place}])"
    )
}

async fn has_focus(page: &Page, selector: &str) -> Outcome {
    let what = format!("{selector} has the focus");
    let outcome = page.wait_until(&what, "document.activeElement.matches(arguments[0])", selector).await;
    if let Err(error) = outcome {
        let focused: String = page.script("return document.activeElement.outerHTML.slice(0, 200)").await?;
        return Err(format!("{error}; it is on {focused}").into());
    }
    Ok(())
}

async fn tab_to(page: &Page, selector: &str) -> Outcome {
    press_until(page, selector, || Key::Tab + "").await
}

async fn back_to(page: &Page, selector: &str) -> Outcome {
    press_until(page, selector, || Key::Shift + Key::Tab).await
}

async fn press_until(page: &Page, selector: &str, keys: fn() -> TypingData) -> Outcome {
    let mut passed = Vec::new();
    for _ in 0..FAR {
        page.press(keys()).await?;
        let script =
            format!("const on = document.activeElement; return [on.matches({selector:?}), on.outerHTML.slice(0, 60)]");
        let (is_there, on): (bool, String) = page.script(&script).await?;
        if is_there {
            return Ok(());
        }
        passed.push(on);
    }
    Err(format!("no Tab leads to {selector}; it passed {}", passed.join("\n")).into())
}
