//! The first screen, before anything is loaded.

use std::path::Path;

use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::dist;
use crate::scenario::{scenario, scenario_after, scenario_at, scenario_without_program};

#[tokio::test]
async fn the_page_opens() -> Outcome {
    scenario("opens", async |page| {
        page.wait_for("h1").await?;
        page.wait_for("#open-sample").await?;
        page.screenshots("first").await
    })
    .await
}

/// Project sites of GitHub Pages lie below their host's root.
#[tokio::test]
async fn the_page_works_under_a_path() -> Outcome {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("path-site");
    let _ = std::fs::remove_dir_all(&site);
    let below = site.join("projects/rundown");
    std::fs::create_dir_all(&below)?;
    std::fs::write(site.join("index.html"), "not this one")?;
    for entry in std::fs::read_dir(dist())? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), below.join(entry.file_name()))?;
        }
    }
    scenario_at("path", site, "projects/rundown/#/elsewhere", async |page| crate::sample::open_sample(page).await).await
}

/// 1440 x 1000 at 400 % zoom: WCAG 2.2, 1.4.10 Reflow.
#[tokio::test]
async fn nothing_sticks_out_at_400_percent_zoom() -> Outcome {
    scenario("reflow", async |page| {
        page.wait_for("h1").await?;
        page.browser().set_viewport(360, 250).await?;
        page.check_width().await
    })
    .await
}

/// Nothing that is done before the program has come is lost.
#[tokio::test]
async fn an_early_click_and_an_early_choice_are_done_later() -> Outcome {
    let both = "document.querySelector('#static-page #open-sample').click();
        const input = document.querySelector('#static-page #choose-files');
        const files = new DataTransfer();
        files.items.add(new File(['step,loss\\n1,2\\n2,3\\n3,4\\n'], 'early.csv'));
        input.files = files.files;
        input.dispatchEvent(new Event('change', { bubbles: true }));";
    // Once early.js and the static page are there, and before the program has come.
    let script = format!(
        "const timer = setInterval(() => {{
            if (!window.rundownEarly || !document.querySelector('#static-page #choose-files')) return;
            clearInterval(timer);
            {both}
            window.wasEarly = true;
        }}, 1);"
    );
    scenario_after("early", &script, async |page| {
        page.wait_until("it was early", "window.wasEarly", "").await?;
        page.wait_for_runs(crate::sample::VERDICTS.len() + 1).await?;
        let names: Vec<String> = page.verdicts().await?.into_iter().map(|(name, _)| name).collect();
        assert!(names.iter().any(|name| name.contains("early")), "{names:?}");
        Ok(())
    })
    .await
}

/// What the page makes while it waits is laid out and taken away in one task: no frame shows it.
#[tokio::test]
async fn nothing_is_seen_of_the_warm_up() -> Outcome {
    let watch = "window.laidOut = []; window.seen = 0;
        new MutationObserver(changes => {
            for (const change of changes) for (const added of change.addedNodes) {
                if (added.className === 'warm-up') window.laidOut.push(location.hash);
            }
        }).observe(document, { childList: true, subtree: true });
        const look = () => {
            window.seen += document.querySelectorAll('.warm-up, #runs, .run-view').length;
            requestAnimationFrame(look);
        };
        requestAnimationFrame(look);";
    scenario_after("warm-up", watch, async |page| {
        page.wait_until("both parts were laid out", "window.laidOut.length === 2", "").await?;
        // Until the second part is dropped.
        page.settle().await?;
        assert_eq!(page.script::<u32>("return window.seen").await?, 0);
        let left = "return document.querySelectorAll('.warm-up, #runs, .run-view').length";
        assert_eq!(page.script::<u32>(left).await?, 0);
        let address = "return [...window.laidOut, location.hash]";
        assert_eq!(page.script::<Vec<String>>(address).await?, ["#/run", "#/run", "#/run"]);
        crate::sample::open_sample(page).await
    })
    .await
}

/// The static page looks as the one that replaces it: nothing moves.
#[tokio::test]
async fn the_first_screen_does_not_move_when_the_program_comes() -> Outcome {
    let places = "JSON.stringify([...document.querySelectorAll('h1, .promise, .drop-zone, .drop-zone button, #connect, #open-sample, .brand')]
        .map(element => { const box = element.getBoundingClientRect(); return [box.x, box.y, box.width, box.height].map(Math.round); }))";
    // When all of the static page is there: its program is fetched after that.
    let script = format!(
        "addEventListener('DOMContentLoaded', () => {{
            if (document.querySelector('#static-page')) window.before = {places};
        }});"
    );
    scenario_after("still", &script, async |page| {
        let driver = page.browser().driver();
        let before: Option<String> = driver.execute("return window.before", []).await?.convert()?;
        let after: String = driver.execute(format!("return {places}"), []).await?.convert()?;
        assert_eq!(before, Some(after));
        Ok(())
    })
    .await
}

/// The bar and the tabs of a phone leave the room to the answer.
#[tokio::test]
async fn a_phone_has_one_bar_and_a_sheet() -> Outcome {
    scenario("phone", async |page| {
        page.browser().set_viewport(390, 844).await?;
        page.screenshots("first-phone").await?;
        crate::sample::open_sample_hidden(page).await?;
        page.wait_for("#open-run").await?;
        page.check_width().await?;
        page.wait_until(
            "content begins below 110 px",
            "document.querySelector('main').getBoundingClientRect().top < 110",
            "",
        )
        .await?;
        page.screenshots("run-phone").await?;
        page.wait_for("#open-run").await?.click().await?;
        page.wait_until("the list is open", "document.querySelector('#runs').checkVisibility()", "").await?;
        page.screenshots("list-phone").await?;
        let is_closed = "!document.querySelector('#runs').checkVisibility()";
        page.press(Key::Escape + "").await?;
        page.wait_until("the list is closed", is_closed, "").await?;
        page.wait_until("the button has the focus again", "document.activeElement.id === 'open-run'", "").await?;
        page.press(Key::Enter + "").await?;
        page.open_run("amber-06").await?;
        page.wait_for_text("#open-run .name", "amber-06").await?;
        page.wait_until("the list is closed", is_closed, "").await
    })
    .await
}

/// A browser without what the programs are compiled for says so, and not that nothing happens.
#[tokio::test]
async fn a_browser_that_is_too_old_is_told() -> Outcome {
    let script = "WebAssembly.validate = () => false;
        WebAssembly.instantiateStreaming = WebAssembly.instantiate = () => Promise.reject(new Error('no vectors'));";
    scenario_without_program("too-old", script, "no vectors", async |page| {
        let words = "This browser is too old for Rundown, which needs Chrome or Edge 123";
        page.wait_for_text("#static-page .banner", words).await?;
        page.screenshots("too-old").await
    })
    .await
}

/// A program that does not come leaves a page that says why.
#[tokio::test]
async fn a_program_that_cannot_start_says_why() -> Outcome {
    let script = "WebAssembly.instantiateStreaming = WebAssembly.instantiate = \
        () => Promise.reject(new Error('no memory is left'));";
    scenario_without_program("no-start", script, "no memory is left", async |page| {
        page.wait_for_text("#static-page .banner", "Rundown could not start: no memory is left.").await?;
        page.screenshots("no-start").await
    })
    .await
}
