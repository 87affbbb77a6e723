//! Without a network: what was visited once works, in every format and with every report, and a newer version asks before
//! it takes over.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::browser::Outcome;
use crate::made::{TABLE, folder_of};
use crate::page::{Page, dist};
use crate::sample::open_sample;
use crate::scenario::{scenario_after, scenario_after_at, scenario_on_disk};

/// The page leaves its service worker out where a test drives it, unless it is asked for.
const OFFLINE: &str = "window.rundownOffline = true";
const IS_KEPT: &str = "navigator.serviceWorker.controller !== null";

const LINES: &[u8] = b"{\"step\": 1, \"loss\": 2}\n{\"step\": 2, \"loss\": 1}\n{\"step\": 3, \"loss\": 1}\n";
const LOG: &[u8] = b"{'loss': 0.5, 'epoch': 1}\n{'loss': 0.4, 'epoch': 2}\n{'loss': 0.3, 'epoch': 3}\n";

#[tokio::test]
async fn the_page_opens_and_diagnoses_without_a_network() -> Outcome {
    scenario_after("offline", OFFLINE, async |page| {
        page.wait_until("the page is kept", IS_KEPT, "").await?;
        disconnect(page).await?;
        let asked = page.server().log().len();
        page.reload().await?;
        open_sample(page).await?;
        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        // The browser itself looks whether the service worker is still the newest.
        let log = page.server().log();
        let asked: Vec<&str> = log.iter().skip(asked).map(|served| served.url.as_str()).collect();
        assert!(asked.iter().all(|url| url.ends_with("sw.js")), "the network was asked: {asked:?}");
        page.screenshot("offline").await
    })
    .await
}

/// "Disconnect, then drop" is what the page tells people to try.
#[tokio::test]
async fn disconnect_then_drop_works_for_every_format_and_report() -> Outcome {
    let mut files = folder_of("disconnected", &[("table.csv", TABLE), ("lines.jsonl", LINES), ("output.log", LOG)])?;
    files.extend(["parquet/snappy.parquet", "zip/runs.zip"].map(fixture));
    scenario_after("disconnected", "", async |page| {
        page.wait_until(
            "the engine is there",
            "performance.getEntriesByType('resource').some(entry => entry.name.includes('engine_bg.wasm'))",
            "",
        )
        .await?;
        page.wait_until(
            "the engine is compiled",
            "window.rundownEngine.then(() => window.hasEngine = true), window.hasEngine",
            "",
        )
        .await?;
        disconnect(page).await?;
        let asked = page.server().log().len();
        page.choose_files(&files).await?;
        page.wait_for("#runs [data-verdict]").await?;
        page.wait_until("all is read", "!document.querySelector('.progress')", "").await?;
        assert!(page.verdicts().await?.len() >= 4, "{:?}", page.verdicts().await?);
        page.view("report").await?;
        for (button, ending) in [("Download .md", ".md"), ("Download .json", ".json"), ("Download .html", ".html")] {
            page.click_words("button", button).await?;
            page.downloaded_ending(ending).await?;
        }
        page.click_words("button", "Export runs").await?;
        page.downloaded_ending(".rundown.jsonl").await?;
        let after: Vec<String> = page.server().log().into_iter().skip(asked).map(|served| served.url).collect();
        assert!(after.iter().all(|url| url.contains("engine")), "asked after the disconnection: {after:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_new_version_asks_before_it_takes_over() -> Outcome {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("update-site");
    let _ = std::fs::remove_dir_all(&site);
    std::fs::create_dir_all(&site)?;
    for entry in std::fs::read_dir(dist())? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), site.join(entry.file_name()))?;
        }
    }
    let worker = site.join("sw.js");
    scenario_after_at("update", site, OFFLINE, async |page| {
        page.wait_until("the page is kept", IS_KEPT, "").await?;
        let script =
            std::fs::read_to_string(&worker)?.replacen("const CACHE = \"rundown-", "const CACHE = \"rundown-next-", 1);
        std::fs::write(&worker, script)?;
        let caches = "return (await caches.keys()).join()";
        let before: String = page.promise(caches).await?;
        page.promise::<bool>("await (await navigator.serviceWorker.getRegistration()).update(); return true").await?;
        page.wait_for_text(".tray", "A new version is ready.").await?;
        page.screenshot("update").await?;
        page.browser().driver().execute("window.isOld = true", []).await?;
        page.wait_for("#reload").await?.click().await?;
        page.wait_until("the page was loaded again", "!window.isOld", "").await?;
        page.wait_for_program().await?;
        let after: String = page.promise(caches).await?;
        assert!(
            after != before && after.starts_with("rundown-next-") && !after.contains(','),
            "{before}, then {after}"
        );
        Ok(())
    })
    .await
}

/// The page as one file, from the disk.
#[tokio::test]
async fn one_file_opens_from_the_disk() -> Outcome {
    let file = dist().join("rundown.html");
    if !file.is_file() {
        return Err("there is no dist/rundown.html: run make single-file first".into());
    }
    scenario_on_disk("single-file", &file, async |page| {
        open_sample(page).await?;
        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        page.screenshot("single-file").await?;
        assert!(page.server().log().is_empty(), "the site was asked");
        Ok(())
    })
    .await
}
async fn disconnect(page: &Page) -> Outcome {
    page.browser().devtools("Network.enable", json!({})).await?;
    let conditions = json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
    page.browser().devtools("Network.emulateNetworkConditions", conditions).await?;
    Ok(())
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}
