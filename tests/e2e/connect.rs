//! Runs from a server: offered, loaded, followed, and every way in which that can fail. The server is the fake that
//! the real W&B client was held against (`tests/wandb_peer.rs`).

use std::path::PathBuf;
use std::time::Duration;

use rundown::diagnose::{Rulebook, diagnose};
use serde_json::json;
use tokio::time::sleep;

use crate::browser::Outcome;
use crate::fake_wandb::{FakeWandb, Switches};
use crate::made::folder_of;
use crate::page::{Page, scenario_with};
use crate::support::{corpus, ingest_folder};
use crate::wandb_file::WandbFile;

/// Looks like a key of W&B, and is nowhere else.
const KEY: &str = "5ca1ab1e0ddba11facade0ff5e7c0de5eedf00d1";
/// A healthy run, a hacked one, one that crashed.
const RUNS: [&str; 3] = ["sweep-05", "amber-07", "amber-10"];

fn folders() -> Option<Vec<PathBuf>> {
    let all = corpus("tiny-grpo")?;
    Some(RUNS.iter().map(|run| all.join(run)).collect())
}

/// Name and verdict of each run, as its files give them.
fn from_files(folders: &[PathBuf]) -> Vec<(String, String)> {
    let runs = folders.iter().flat_map(|folder| ingest_folder(folder).runs);
    let mut verdicts: Vec<(String, String)> =
        runs.map(|run| (run.name.clone(), diagnose(&run, &Rulebook::default()).verdict.as_str().to_owned())).collect();
    verdicts.sort();
    verdicts
}

async fn fill(page: &Page, server: &str, key: &str) -> Outcome {
    page.wait_for("#connect").await?.click().await?;
    page.type_into("input[data-field='Project or run']", "corpus/tiny-grpo").await?;
    page.type_into("input[data-field='API key']", key).await?;
    page.click_words("dialog summary", "Which runs").await?;
    page.type_into("input[data-field='Server']", server).await?;
    page.wait_for("#list-runs").await?.click().await.map_err(Into::into)
}

async fn load(page: &Page, runs: usize) -> Outcome {
    page.wait_for_text("#load-runs", &format!("Load {runs} run")).await?.click().await?;
    page.wait_for_runs(runs).await
}

/// Loads all runs from the server and expects the verdicts of the files.
async fn load_all(page: &Page, server: &FakeWandb, folders: &[PathBuf]) -> Outcome {
    fill(page, server.base_url(), KEY).await?;
    load(page, RUNS.len()).await?;
    let mut verdicts = page.verdicts().await?;
    verdicts.sort();
    assert_eq!(verdicts, from_files(folders));
    Ok(())
}

fn private() -> Switches {
    Switches { key: Some(KEY.to_owned()), private: true, ..Switches::default() }
}

#[tokio::test]
async fn runs_of_a_project_are_chosen_and_loaded() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    server.reset(private());
    scenario_with("connect", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.wait_for(".offer li").await?;
        page.screenshots("connect").await?;
        load(page, RUNS.len()).await?;
        let mut verdicts = page.verdicts().await?;
        verdicts.sort();
        assert_eq!(verdicts, from_files(&folders));
        page.open_run("amber-07").await?;
        page.wait_for("[data-code=reward_hacking] canvas").await?;
        page.screenshot("connected").await?;
        page.view("report").await?;
        page.click_words("button", "Download .json").await?;
        let report = page.downloaded_ending(".json").await?;
        page.click_words("button", "Export runs").await?;
        let export = page.downloaded_ending(".rundown.jsonl").await?;

        // The key is in one header to one host, and nowhere else.
        let seen = "return JSON.stringify([document.documentElement.outerHTML, location.href, document.cookie,
            Object.entries(localStorage), Object.entries(sessionStorage),
            performance.getEntries().map(entry => entry.name)])";
        let seen: String = page.browser().driver().execute(seen, []).await?.convert()?;
        let encoded = "YXBpOjVjYTFhYjFlMGRkYmExMWZhY2FkZTBmZjVlN2MwZGU1ZWVkZjAwZDE";
        for (place, text) in [
            ("the page", seen.as_bytes()),
            ("the report", &report),
            ("the export", &export),
            ("the site's log", format!("{:?}", page.server().log()).as_bytes()),
            ("the console", page.console().await?.as_bytes()),
        ] {
            let text = String::from_utf8_lossy(text);
            assert!(!text.contains(KEY) && !text.contains(encoded), "the key is in {place}");
        }
        for asked in server.state().log().iter() {
            assert!(!asked.line.contains(KEY) && !asked.body.contains(KEY), "{}", asked.line);
            let shown = asked.authorization.is_some();
            let may_show = asked.line.starts_with("POST /graphql") || asked.line.starts_with("GET /files/");
            assert!(!shown || may_show, "{} shows the key", asked.line);
        }
        assert!(server.state().log().iter().any(|asked| asked.authorization.is_some()));

        // The first screen does not say that nothing was asked of another host.
        page.click_words("button", "Close all runs").await?;
        page.wait_for_text(".requests", "the server that you named").await?;
        Ok(())
    })
    .await
}

/// Which runs the server was asked for, in its own language.
fn asked_filters(server: &FakeWandb) -> Vec<String> {
    let log = server.state().log();
    let bodies = log.iter().filter_map(|seen| serde_json::from_str::<serde_json::Value>(&seen.body).ok());
    bodies.filter_map(|body| body["variables"]["filters"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn runs_of_a_project_are_chosen_by_a_query() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    server.reset(private());
    let field = "input[data-field='Query']";
    let enter = "\u{e007}";
    let status = "dialog [role=status]";
    scenario_with("connect-query", server.base_url(), async |page| {
        fill(page, server.base_url(), KEY).await?;
        page.wait_for_text(status, "All runs of the project are listed.").await?;
        assert_eq!(asked_filters(&server), ["{}"]);

        // Who stops typing is answered without pressing anything.
        page.type_into(field, "state == finished name ~ /^amber/ verdict != good").await?;
        page.wait_for_text(status, "Filtered by W&B (state, name) and in this page.").await?;
        page.wait_for_text(status, "The run list filters by verdict once the runs are loaded.").await?;
        page.wait_for_text("#load-runs", "Load 1 run").await?;
        page.screenshots("connect-query").await?;
        let asked = asked_filters(&server);
        assert!(asked.last().is_some_and(|last| last.contains(r#"{"state":{"$in":["finished"]}}"#)), "{asked:?}");

        // What is wrong is said at its place, and nothing is asked for it.
        page.type_into(field, &format!("state =={enter}")).await?;
        page.wait_for_text("dialog .complaint", "Character 9:").await?;
        page.screenshot("connect-query-wrong").await?;
        assert_eq!(asked_filters(&server), asked);
        page.type_into(field, &format!("config.no_such_setting > 3{enter}")).await?;
        page.wait_for_text(status, "No run is left").await?;
        page.type_into(field, &format!("amber-07{enter}")).await?;
        page.wait_for_text(status, "Filtered in this page (the words").await?;
        page.wait_for_text("#load-runs", "Load 1 run").await?;

        // What was left open is asked of the runs that are loaded.
        let query = "state == finished verdict == ugly";
        page.type_into(field, &format!("{query}{enter}")).await?;
        page.wait_for_text("#load-runs", "Load 2 runs").await?.click().await?;
        page.wait_for_text("#runs [role=status]", "1 of 2 runs").await?;
        assert_eq!(page.verdicts().await?, [("amber-07".to_owned(), "ugly".to_owned())]);
        page.wait_until("the query is in the filter", "document.querySelector('#filter').value === arguments[0]", query)
            .await
    })
    .await
}

#[tokio::test]
async fn a_growing_run_is_followed() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let hacked: Vec<PathBuf> = folders.iter().filter(|folder| folder.ends_with("amber-07")).cloned().collect();
    let server = FakeWandb::start(0, &hacked);
    server.reset(Switches { visible_rows: Some(120), ..private() });
    scenario_with("follow", server.base_url(), async |page| {
        page.browser().driver().execute("window.rundownPause = 400", []).await?;
        fill(page, server.base_url(), KEY).await?;
        load(page, 1).await?;
        page.wait_for_text(".following", "Following 1 run").await?;
        page.wait_for_text(".facts", "running").await?;
        let before = page.verdicts().await?;
        assert_ne!(before[0].1, "ugly", "the run is ugly before it could be");

        *server.state().switches() = private();
        page.wait_for_text(".news", "reward hacking").await?;
        page.screenshot("followed").await?;
        page.wait_for_text("#runs .new", "new").await?;
        page.wait_for_text(".facts", "finished").await?;
        assert_eq!(page.verdicts().await?[0].1, "ugly");
        page.wait_until("nothing is followed any more", "!document.querySelector('.following')", "").await
    })
    .await
}

#[tokio::test]
async fn a_server_that_refuses_is_explained() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    let again = async |page: &Page, switches: Switches, key: &str, words: &str| -> Outcome {
        server.reset(switches);
        page.type_into("input[data-field='API key']", key).await?;
        page.wait_for("#list-runs").await?.click().await?;
        page.wait_for_text("dialog .banner", words).await?;
        Ok(())
    };
    server.reset(private());
    scenario_with("refused", server.base_url(), async |page| {
        fill(page, server.base_url(), "0000000000000000000000000000000000000000").await?;
        page.wait_for_text("dialog .banner", "does not accept this key").await?;
        // A field that is emptied keeps no key.
        again(page, private(), " ", "private").await?;
        again(page, Switches { no_cors: true, ..private() }, KEY, "CORS").await?;
        let ways: String = page
            .browser()
            .driver()
            .execute("return document.querySelector('dialog').textContent", [])
            .await?
            .convert()?;
        for way in ["make serve", "GORILLA_CORS_ORIGINS", "\"corpus\", \"tiny-grpo\"", "127.0.0.1", "Drop"] {
            assert!(ways.contains(way), "{way} is not offered");
        }
        assert!(!ways.contains(KEY));
        page.screenshots("refused").await?;
        page.type_into("input[data-field='Project or run']", "corpus/no-such").await?;
        again(page, private(), KEY, "no-such").await
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
        page.wait_for_text(".banner", "limits how much").await?;
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

/// What the tab keeps when it is asked to, and forgets when it is told to.
#[tokio::test]
async fn a_key_is_kept_for_the_tab_alone() -> Outcome {
    scenario_with("keep-key", "", async |page| {
        page.wait_for("#connect").await?.click().await?;
        page.type_into("input[data-field='API key']", KEY).await?;
        page.wait_for("#keep-key").await?.click().await?;
        let kept = "return [JSON.stringify(sessionStorage).includes(arguments[0]), JSON.stringify(localStorage).includes(arguments[0])]";
        let kept_now: (bool, bool) = page.browser().driver().execute(kept, vec![json!(KEY)]).await?.convert()?;
        assert_eq!(kept_now, (true, false));
        page.browser().driver().refresh().await?;
        page.wait_for("#connect").await?.click().await?;
        let value = "document.querySelector(\"input[data-field='API key']\")?.value === arguments[0]";
        page.wait_until("the key is there again", value, KEY).await?;
        page.click_words("dialog button", "Forget").await?;
        let kept_now: (bool, bool) = page.browser().driver().execute(kept, vec![json!(KEY)]).await?.convert()?;
        assert_eq!(kept_now, (false, false));
        page.wait_until("nothing is to be kept", "!document.querySelector('#keep-key').checked", "").await?;
        page.wait_until("the field is empty", "document.querySelector(\"input[data-field='API key']\").value === ''", "").await
    })
    .await
}
