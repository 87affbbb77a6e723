//! What code within the page could reach: nothing before a server is named, and that server alone afterwards; and a page
//! within another one.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::header;
use axum::response::IntoResponse;

use crate::browser::Outcome;
use crate::fake_wandb::FakeWandb;
use crate::page::{Page, dist};
use crate::scenario::{scenario_at, scenario_with};
use crate::served::{KEY, RUNS, bucket_of, fill, folders, load, open_form_for, private};
use crate::support::corpus;

/// A host that lets every page read its answers, and counts who asks.
async fn anybody() -> Outcome<(String, Arc<AtomicU32>)> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://127.0.0.1:{}", listener.local_addr()?.port());
    let asked = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&asked);
    let answer = move |_: Request| {
        count.fetch_add(1, Ordering::Relaxed);
        async { [(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")].into_response() }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    Ok((address, asked))
}

/// In how many ways the page can reach an address: as code that was smuggled into it would try.
async fn ways_to(page: &Page, address: &str) -> Outcome<u32> {
    let script = format!(
        "const url = '{address}/leak';
        const tries = [
          () => fetch(url).then(() => true),
          () => fetch(url, {{ mode: 'no-cors', method: 'POST', body: 'x', keepalive: true }}).then(() => true),
          () => new Promise((done) => {{ const asked = new XMLHttpRequest(); asked.onload = () => done(true);
            asked.onerror = () => done(false); asked.open('GET', url); asked.send(); }}),
          () => new Promise((done) => {{ const source = new EventSource(url); source.onopen = () => done(true);
            source.onerror = () => {{ source.close(); done(false); }}; }}),
          () => new Promise((done) => {{ const image = new Image(); image.onload = () => done(true);
            image.onerror = () => done(false); image.src = url; }}),
        ];
        let ways = 0;
        for (const attempt of tries) {{ try {{ ways += await attempt() ? 1 : 0; }} catch {{ }} }}
        try {{ navigator.sendBeacon(url, 'x'); }} catch {{ }}
        return ways"
    );
    page.promise(&script).await
}

#[tokio::test]
async fn only_the_named_server_can_be_asked() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    server.reset(private());
    let (other, asked) = anybody().await?;
    // What the browser says of requests that it refused is part of it.
    scenario_with("walls", "http://127.0.0.1", async |page| {
        assert_eq!(ways_to(page, &other).await?, 0);
        assert_eq!(ways_to(page, server.base_url()).await?, 0);
        assert!(server.state().log().is_empty() && asked.load(Ordering::Relaxed) == 0, "a host was asked unnamed");

        fill(page, server.base_url(), KEY).await?;
        load(page, RUNS.len()).await?;
        assert!(ways_to(page, server.base_url()).await? > 0, "the named server can't be asked");
        assert_eq!((ways_to(page, &other).await?, asked.load(Ordering::Relaxed)), (0, 0));

        // A second server: what that costs is said before it happens.
        page.press(thirtyfour::Key::Control + "k").await?;
        page.type_into("#palette-search", "connect").await?;
        page.press(thirtyfour::Key::Enter + "").await?;
        page.click_words("dialog summary", "Another server").await?;
        page.type_into("input[data-field='Server']", &other).await?;
        page.wait_for("#list-runs").await?.click().await?;
        let words = page.wait_for_text("#name-server", "has to reload").await?.text().await?;
        assert!(
            words.contains(&other) && words.contains("3 loaded runs will be closed, unless you connect in a new tab"),
            "{words}"
        );
        page.screenshots("name-server").await?;
        assert_eq!(asked.load(Ordering::Relaxed), 0);
        page.click_words("#name-server button", "Reload").await?;
        page.wait_for_text("#named", &other).await?;
        page.screenshots("named").await?;
        let log = server.state().log().len();
        assert_eq!(ways_to(page, server.base_url()).await?, 0);
        assert_eq!(server.state().log().len(), log, "the first server can still be asked");

        // Loaded by hand, the page can ask nobody again.
        page.reload().await?;
        assert_eq!(ways_to(page, &other).await?, 0);
        Ok(())
    })
    .await
}

/// Files of a run in a bucket that nobody named: it is not asked, and the page says which it is.
#[tokio::test]
async fn a_bucket_is_named_before_it_is_asked() -> Outcome {
    let Some(tiny) = corpus("tiny-grpo") else { return Ok(()) };
    // It logged tables, which are files.
    let server = FakeWandb::start(0, &[tiny.join("amber-17")]);
    let bucket = bucket_of(server.base_url());
    server.reset(private());
    let asked_bucket = || server.state().log().iter().filter(|seen| bucket.ends_with(&seen.host)).count();
    scenario_with("bucket", "http://127.0.0.1", async |page| {
        let project = ("Project or run", "corpus/tiny-grpo");
        let load_files = async |buckets: &str| -> Outcome {
            open_form_for(page, "Weights & Biases", project, server.base_url(), buckets).await?;
            page.type_into("input[data-field='API key']", KEY).await?;
            page.wait_for("#list-runs").await?.click().await?;
            load(page, 1).await?;
            page.view("metrics").await?;
            page.wait_for_text("#fetch-rest", "Fetch").await?.click().await?;
            Ok(())
        };
        load_files(" ").await?;
        page.wait_for_text(".tray .banner", &format!("Some files of these runs are at {bucket}")).await?;
        assert_eq!(asked_bucket(), 0);
        page.screenshot("bucket").await?;

        page.reload().await?;
        load_files(&bucket).await?;
        page.wait_until("nothing is left", "!document.querySelector('#fetch-rest')", "").await?;
        assert!(asked_bucket() > 0, "the bucket was not asked");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_framed_page_says_so_and_asks_for_no_key() -> Outcome {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("framing-site");
    let _ = std::fs::remove_dir_all(&site);
    std::fs::create_dir_all(&site)?;
    symlink(dist(), site.join("page"))?;
    let html = "<!doctype html><meta charset=\"utf-8\"><link rel=\"icon\" href=\"page/icon.svg\">
        <iframe src=\"page/\" width=\"1200\" height=\"800\"></iframe>";
    std::fs::write(site.join("index.html"), html)?;
    scenario_at("framed", site, "", async |page| {
        page.browser().driver().enter_frame(0).await?;
        page.wait_for_program().await?;
        page.wait_for_text(".banner.framed", "This page is embedded in another one").await?;
        page.wait_for("#connect").await?.click().await?;
        page.wait_for_text("#framed", "no key is asked for here").await?;
        page.wait_until("there is no field", "!document.querySelector('dialog input')", "").await?;
        let own = "document.querySelector('#framed a').href === location.href";
        page.wait_until("it opens in its own tab", own, "").await?;
        page.browser().driver().enter_parent_frame().await?;
        page.screenshot("framed").await
    })
    .await
}
