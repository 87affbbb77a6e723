//! Runs that come from a server: late, in part, on demand or growing, and every way in which that can be interrupted.

use std::path::PathBuf;
use std::time::Duration;

use tokio::time::sleep;

use crate::browser::Outcome;
use crate::fake_wandb::{FakeWandb, Switches};
use crate::made::{TABLE, folder_of};
use crate::scenario::scenario_with;
use crate::served::{KEY, fill, folders, load, load_all, private};
use crate::support::corpus;
use crate::wandb_file::WandbFile;

#[tokio::test]
async fn a_growing_run_is_followed() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let hacked: Vec<PathBuf> = folders.iter().filter(|folder| folder.ends_with("amber-07")).cloned().collect();
    let server = FakeWandb::start(0, &hacked);
    server.reset(Switches { visible_rows: Some(120), ..private() });
    scenario_with("follow", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.browser().driver().execute("window.rundownPause = 400", []).await?;
        load(page, 1).await?;
        page.wait_for_text(".following", "Following 1 run").await?;
        page.wait_for_text(".facts", "running").await?;
        let before = page.verdicts().await?;
        assert_ne!(before[0].1, "ugly", "the run is ugly before it could be");

        *server.state().switches() = private();
        page.wait_for_text(".news", "new finding").await?;
        page.wait_for_text("#runs .new", "new").await?;
        page.wait_for("#news").await?.click().await?;
        page.wait_for_text(".news-list", "reward hacking").await?;
        page.screenshot("followed").await?;
        page.click_words(".news-row", "reward hacking").await?;
        page.wait_until("the dialog is gone", "!document.querySelector('dialog')", "").await?;
        page.wait_for_text(".facts", "finished").await?;
        assert_eq!(page.verdicts().await?[0].1, "ugly");
        page.wait_until("nothing is followed any more", "!document.querySelector('.following')", "").await
    })
    .await
}

#[tokio::test]
async fn a_server_that_refuses_a_followed_run_is_told_once() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let hacked: Vec<PathBuf> = folders.iter().filter(|folder| folder.ends_with("amber-07")).cloned().collect();
    let server = FakeWandb::start(0, &hacked);
    server.reset(Switches { visible_rows: Some(120), ..private() });
    scenario_with("follow-refused", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.script::<()>("window.rundownPause = 300").await?;
        load(page, 1).await?;
        page.wait_for_text(".following", "Following 1 run").await?;
        // As after the key was revoked.
        *server.state().switches() = Switches { key: Some("another".to_owned()), ..private() };
        page.wait_for("[role=alert] .banner").await?;
        page.click_words("[role=alert] .banner button", "Dismiss").await?;
        server.state().log().clear();
        for _ in 0..100 {
            if server.state().log().len() > 3 {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        assert!(server.state().log().len() > 3, "it is followed no more");
        page.wait_until("it is not told again", "!document.querySelector('[role=alert] .banner')", "").await
    })
    .await
}

#[tokio::test]
async fn a_server_in_trouble_is_waited_for() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    let fields = ["bucketedHistory", "parquetHistory"].map(str::to_owned).to_vec();
    server.reset(Switches {
        rate_limited: 2,
        retry_after: Some("0".to_owned()),
        bad_gateway: 1,
        truncated: 1,
        slow_ms: 5,
        missing_fields: fields,
        ..private()
    });
    scenario_with("trouble", server.base_url(), async |page| load_all(page, &server, &folders).await).await
}

#[tokio::test]
async fn fetching_is_cancelled_and_begun_again() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    server.reset(Switches { slow_ms: 1_500, ..private() });
    scenario_with("fetch-cancel", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.wait_for("#load-runs").await?.click().await?;
        page.wait_for(".progress").await?;
        page.click_words(".progress button", "Cancel").await?;
        page.wait_until("the bar is gone", "!document.querySelector('.progress')", "").await?;
        // Until the requests that were under way are over.
        sleep(Duration::from_secs(2)).await;
        server.reset(private());
        let is_first = "return Boolean(document.querySelector('#connect'))";
        let is_first: bool =
            page.browser().driver().execute(is_first, Vec::<serde_json::Value>::new()).await?.convert()?;
        if !is_first {
            page.click_words("button", "Close all runs").await?;
        }
        load_all(page, &server, &folders).await
    })
    .await
}

/// Two of three runs have arrived when all runs are closed.
#[tokio::test]
async fn runs_that_are_closed_while_others_are_fetched_do_not_come_back() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let files = folder_of("closed-fetch", &[("zebra.csv", TABLE)])?;
    let server = FakeWandb::start(0, &folders);
    server.reset(private());
    scenario_with("closed-fetch", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.wait_for("#load-runs").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(1).await?;
        *server.state().switches() = Switches { slow_ms: 300, ..private() };
        page.wait_for("#load-runs").await?.click().await?;
        page.wait_for_text(".progress", "2 of 3 runs").await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.wait_until("the bar is gone", "!document.querySelector('.progress')", "").await?;
        let rows: usize = page.script("return document.querySelectorAll('#runs [data-verdict]').length").await?;
        assert_eq!(rows, 0, "runs that were closed are listed");
        Ok(())
    })
    .await
}

/// Of a run with thousands of metrics those come first that the checks know, and the rest when it is asked for.
#[tokio::test]
async fn the_rest_of_a_run_comes_on_demand() -> Outcome {
    let Some(folder) = corpus("wandb-files") else { return Ok(()) };
    let server = FakeWandb::start(0, &[folder.join("longrow.wandb")]);
    server.reset(private());
    scenario_with("rest", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        load(page, 1).await?;
        page.view("metrics").await?;
        let button = page.wait_for_text("#fetch-rest", "more metrics").await?;
        let count = "return Number(document.querySelector('.metrics-count').textContent.split(' ')[0])";
        let before: u32 = page.browser().driver().execute(count, []).await?.convert()?;
        button.click().await?;
        page.wait_until("nothing is left", "!document.querySelector('#fetch-rest')", "").await?;
        let after: u32 = page.browser().driver().execute(count, []).await?.convert()?;
        assert!(before < 400 && after >= 5_000, "{before} metrics, then {after}");
        Ok(())
    })
    .await
}

/// A server that limits in the middle of a run: what came is shown, and the rest is asked for once.
#[tokio::test]
async fn an_interrupted_run_is_gone_on_with() -> Outcome {
    let Some(folder) = corpus("wandb-files") else { return Ok(()) };
    let server = FakeWandb::start(0, &[folder.join("longrow.wandb")]);
    // The list, the run, and some of its metrics.
    server.reset(Switches { limited_after: Some(8), retry_after: Some("86400".to_owned()), ..private() });
    scenario_with("interrupted", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        load(page, 1).await?;
        page.wait_for_text(".banner", "asks to wait 24 h").await?;
        *server.state().switches() = private();
        page.view("metrics").await?;
        page.wait_for_text("#fetch-rest", "more metrics").await?.click().await?;
        page.wait_until("nothing is left", "!document.querySelector('#fetch-rest')", "").await?;
        let count = "return Number(document.querySelector('.metrics-count').textContent.split(' ')[0])";
        let count: u32 = page.browser().driver().execute(count, []).await?.convert()?;
        assert!(count >= 5_000, "{count} metrics");
        let mut specs = answered_specs(&server);
        let all = specs.len();
        specs.sort();
        specs.dedup();
        assert_eq!(specs.len(), all, "a part of the history was asked for twice");
        Ok(())
    })
    .await
}

/// The parts of histories that were asked for and given.
fn answered_specs(server: &FakeWandb) -> Vec<String> {
    let log = server.state().log();
    let bodies = log.iter().filter(|seen| seen.status == 200);
    let bodies = bodies.filter_map(|seen| serde_json::from_str::<serde_json::Value>(&seen.body).ok());
    let specs = bodies.filter_map(|body| body["variables"]["specs"].as_array().cloned());
    specs.flatten().map(|spec| spec.to_string()).collect()
}

/// A run of two metrics, with a file whose name is markup, as folders of W&B hold them.
fn small_run(name: &str) -> Outcome<PathBuf> {
    let mut file = WandbFile::new("small001", "small");
    for step in 0..150_u64 {
        let noise = ((step * 7) % 11) as f64 / 100.0;
        file.row(step, &[("train/reward", 0.2 + step as f64 / 300.0 + noise), ("train/kl", 0.01 + noise / 10.0)]);
    }
    let paths = folder_of(name, &[("run-small001.wandb", &file.finish(0))])?;
    let folder = paths[0].parent().ok_or("a file lies in a folder")?.to_owned();
    std::fs::create_dir_all(folder.join("files"))?;
    std::fs::write(folder.join("files").join(MARKUP), b"some notes")?;
    Ok(folder)
}

const MARKUP: &str = "<img src=x onerror=alert(1)> notes.txt";

/// Files and artifacts are listed as text when they are asked for, without the history once more.
#[tokio::test]
async fn the_files_of_a_run_are_listed_on_demand() -> Outcome {
    let server = FakeWandb::start(0, &[small_run("listed")?]);
    server.reset(private());
    scenario_with("listed", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        load(page, 1).await?;
        page.view("metrics").await?;
        let button = page.wait_for_text("#fetch-rest", "Fetch the list of files").await?;
        server.state().log().clear();
        button.click().await?;
        page.wait_until("nothing is left", "!document.querySelector('#fetch-rest')", "").await?;
        assert!(answered_specs(&server).is_empty(), "the history was asked for again");
        page.view("run").await?;
        page.wait_for_text("#listed", "2 artifacts and files").await?.click().await?;
        page.wait_for_text("#listed + div li", &format!("{MARKUP} (file, 10 B)")).await?;
        page.wait_for_text("#listed + div li", "run-small001-history:v0 (wandb-history, 1.2 kB)").await?;
        page.wait_until("markup is text", "!document.querySelector('.appendix img')", "").await?;
        page.screenshot("listed").await?;
        page.view("report").await?;
        page.click_words("button", "Export runs").await?;
        let export = String::from_utf8(page.downloaded_ending(".rundown.jsonl").await?)?;
        assert!(export.contains(&format!("{{\"name\":\"{MARKUP}\",\"type\":\"file\"")), "{export}");
        Ok(())
    })
    .await
}

/// A server that gives one row of whatever it is asked for: the page says that rows may be missing.
#[tokio::test]
async fn a_run_of_sampled_answers_is_marked() -> Outcome {
    let server = FakeWandb::start(0, &[small_run("thinned")?]);
    server.reset(Switches { most_samples: Some(1), ..private() });
    scenario_with("thinned", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        load(page, 1).await?;
        page.wait_for("[data-code=sampled_history]").await?;
        page.screenshot("thinned").await
    })
    .await
}
