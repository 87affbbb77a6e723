//! Servers that mean harm: each ends in a sentence that says what the server did, Stop and Cancel answer at once, and the
//! page is alive afterwards. Run with `--nocapture` it prints a line of JSON for each mode; `--ignored` waits for the slow
//! ones as well.

mod memory;
mod server;

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::time::sleep;

use crate::browser::Outcome;
use crate::page::Page;
use crate::scenario::scenario_with;
use crate::served::{KEY, fill, open_form};
use memory::Peak;
use server::Evil;

/// How a server behaves, and what is said of it.
const ENDED: [(&str, &str); 11] = [
    ("redirect", "answered with a redirect to another address. It was not followed"),
    ("html", "it is a web page, not JSON"),
    ("deep", "nesting deeper than 128 levels"),
    ("types", "it lacks what was asked for"),
    ("huge", "sent more than 64 MB"),
    ("deepobj", "nesting deeper than 128 levels"),
    ("nulls", "it has no data"),
    ("gzbomb", "sent more than 64 MB"),
    ("429", "asks to wait 277.8 h"),
    ("infinite", "gave the same page"),
    ("errors", "The server answered: <img"),
];
/// The same of Axiom, where they differ.
const ENDED_AXIOM: [(&str, &str); 10] = [
    ("redirect", "answered with a redirect to another address. It was not followed"),
    ("html", "it is not JSON"),
    ("deep", "nesting deeper than 128 levels"),
    ("types", "a table has no fields and columns"),
    ("huge", "sent more than 64 MB"),
    ("deepobj", "nesting deeper than 128 levels"),
    ("nulls", "it has no tables"),
    ("gzbomb", "sent more than 64 MB"),
    ("429", "asks to wait 277.8 h"),
    ("infinite", "it gives events again that came before"),
];
/// Ways that last longer than anybody waits in a test: the user stops them.
const ENDLESS: [&str; 5] = ["never", "drip", "silent", "429x", "500"];
/// What is said of those in the end.
const SLOW: [(&str, &str); 5] = [
    ("never", "sent nothing for 30 seconds"),
    ("silent", "sent nothing for 30 seconds"),
    ("drip", "sends its answer too slowly"),
    ("429x", "limits how much may be asked"),
    ("500", "failed with status 500"),
];
/// In how much time a stop has to answer.
const STOPPED: Duration = Duration::from_secs(3);

fn print(server: &str, mode: &str, began: Instant, peak: &Peak, words: &str) {
    let seconds = (began.elapsed().as_secs_f64() * 10.0).round() / 10.0;
    let row = json!({ "server": server, "mode": mode, "seconds": seconds, "peak_mb": peak.megabytes(), "says": words });
    println!("{row}");
}

/// Waits until the server was asked, so that a stop stops something.
async fn until_asked(evil: &Evil) -> Outcome {
    for _ in 0..200 {
        if evil.asked() > 0 {
            // Until the first bytes of the answer are there.
            sleep(Duration::from_millis(300)).await;
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err("the server was not asked".into())
}

/// Waits until the server notices that nobody reads its answer any more.
async fn until_left(evil: &Evil, mode: &str) -> Outcome {
    let is_open = ["never", "drip", "silent"].contains(&mode);
    for _ in 0..60 {
        if !is_open || evil.left() > 0 {
            return Ok(());
        }
        sleep(Duration::from_millis(50)).await;
    }
    Err(format!("{mode}: the request is still open").into())
}

#[tokio::test]
async fn listing_ends_whatever_the_server_does() -> Outcome {
    let evil = Evil::start().await?;
    scenario_with("evil-listing", evil.address(), async |page| {
        fill(page, evil.address(), KEY).await?;
        page.wait_for_text(".offer", "fine").await?;
        for (mode, words) in ENDED {
            evil.behave(mode);
            let (began, peak) = (Instant::now(), Peak::watch("evil-listing"));
            page.wait_for("#list-runs").await?.click().await?;
            let said = page.wait_for_text("dialog .banner", words).await?.text().await?;
            print("wandb", mode, began, &peak, &said);
            assert!(!said.contains(KEY) && !said.contains("YXBp"), "the key is in {said}");
            page.wait_until("it is text", "!document.querySelector('dialog img, dialog script')", "").await?;
        }
        assert_eq!(evil.asked_elsewhere(), 0, "a redirect was followed");
        for mode in ENDLESS {
            evil.behave(mode);
            page.wait_for("#list-runs").await?.click().await?;
            until_asked(&evil).await?;
            let (began, peak) = (Instant::now(), Peak::watch("evil-listing"));
            page.wait_for("#stop-listing").await?.click().await?;
            page.wait_until("it stopped", "!document.querySelector('#stop-listing')", "").await?;
            until_left(&evil, mode).await?;
            assert!(began.elapsed() < STOPPED, "{mode}: {:?}", began.elapsed());
            print("wandb", mode, began, &peak, "(stopped)");
        }
        evil.behave("xss");
        page.wait_for("#list-runs").await?.click().await?;
        page.wait_for_text(".offer", "<img src=x onerror=alert(1)>").await?;
        page.wait_until("names are text", "!document.querySelector('dialog img, dialog script')", "").await?;
        evil.behave("ok");
        page.wait_for("#list-runs").await?.click().await?;
        page.wait_for_text(".offer", "fine").await?;
        page.wait_until("the engine lives", "!document.querySelector('.tray .banner')", "").await
    })
    .await
}

#[tokio::test]
async fn loading_ends_whatever_the_server_does() -> Outcome {
    let evil = Evil::start().await?;
    scenario_with("evil-loading", evil.address(), async |page| {
        fill(page, evil.address(), KEY).await?;
        // A list of runs is no answer to what a run is asked.
        for (mode, words) in ENDED.into_iter().filter(|(mode, _)| !["types", "infinite"].contains(mode)) {
            page.wait_for_text(".offer", "fine").await?;
            evil.behave(mode);
            let (began, peak) = (Instant::now(), Peak::watch("evil-loading"));
            page.wait_for("#load-runs").await?.click().await?;
            let said = page.wait_for_text(".tray .banner", words).await?.text().await?;
            print("wandb, loading", mode, began, &peak, &said);
            evil.behave("ok");
            page.wait_for("#connect").await?.click().await?;
            page.wait_for("#list-runs").await?.click().await?;
        }
        assert_eq!(evil.asked_elsewhere(), 0, "a redirect was followed");
        for mode in ENDLESS {
            page.wait_for_text(".offer", "fine").await?;
            evil.behave(mode);
            page.wait_for("#load-runs").await?.click().await?;
            until_asked(&evil).await?;
            let (began, peak) = (Instant::now(), Peak::watch("evil-loading"));
            page.click_words(".progress button", "Cancel").await?;
            page.wait_until("it stopped", "!document.querySelector('.progress')", "").await?;
            until_left(&evil, mode).await?;
            assert!(began.elapsed() < STOPPED, "{mode}: {:?}", began.elapsed());
            print("wandb, loading", mode, began, &peak, "(cancelled)");
            evil.behave("ok");
            page.wait_for("#connect").await?.click().await?;
            page.wait_for("#list-runs").await?.click().await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn events_end_whatever_the_server_does() -> Outcome {
    let evil = Evil::start().await?;
    scenario_with("evil-axiom", evil.address(), async |page| {
        open_form(page, "Axiom", ("Dataset", "pipeline"), evil.address()).await?;
        page.type_into("input[data-field='API token']", "xaat-0c0ffee0").await?;
        for (mode, words) in ENDED_AXIOM {
            evil.behave(mode);
            load_events(page).await?;
            let (began, peak) = (Instant::now(), Peak::watch("evil-axiom"));
            let said = page.wait_for_text(".tray .banner", words).await?.text().await?;
            print("axiom", mode, began, &peak, &said);
            again(page).await?;
        }
        assert_eq!(evil.asked_elsewhere(), 0, "a redirect was followed");
        for mode in ENDLESS {
            evil.behave(mode);
            load_events(page).await?;
            until_asked(&evil).await?;
            let (began, peak) = (Instant::now(), Peak::watch("evil-axiom"));
            page.click_words(".progress button", "Cancel").await?;
            page.wait_until("it stopped", "!document.querySelector('.progress')", "").await?;
            until_left(&evil, mode).await?;
            assert!(began.elapsed() < STOPPED, "{mode}: {:?}", began.elapsed());
            print("axiom", mode, began, &peak, "(cancelled)");
            again(page).await?;
        }
        Ok(())
    })
    .await
}

async fn load_events(page: &Page) -> Outcome {
    page.wait_for("#list-runs").await?.click().await?;
    page.wait_for("#load-runs").await?.click().await?;
    Ok(())
}

/// Closes what came and opens the form again, which knows what was written.
async fn again(page: &Page) -> Outcome {
    page.wait_until("nothing is under way", "!document.querySelector('.progress')", "").await?;
    if page.script::<bool>("return !document.querySelector('#connect')").await? {
        page.click_words("button", "Close all runs").await?;
    }
    page.wait_for("#connect").await?.click().await?;
    Ok(())
}

#[tokio::test]
#[ignore = "six minutes: it waits for each server to be given up"]
async fn slow_servers_are_given_up() -> Outcome {
    let evil = Evil::start().await?;
    scenario_with("evil-slow", evil.address(), async |page| {
        fill(page, evil.address(), KEY).await?;
        page.wait_for_text(".offer", "fine").await?;
        for (mode, words) in SLOW {
            evil.behave(mode);
            let (began, peak) = (Instant::now(), Peak::watch("evil-slow"));
            page.wait_for("#list-runs").await?.click().await?;
            while page.script::<bool>("return Boolean(document.querySelector('#stop-listing'))").await? {
                assert!(began.elapsed() < Duration::from_secs(240), "{mode} goes on");
                sleep(Duration::from_millis(500)).await;
            }
            let said = page.wait_for_text("dialog .banner", words).await?.text().await?;
            print("wandb", mode, began, &peak, &said);
        }
        Ok(())
    })
    .await
}
