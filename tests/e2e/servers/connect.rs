//! The dialog that asks a server: which runs it offers, what it explains when it is refused, and where the key goes.

use serde_json::json;

use crate::browser::Outcome;
use crate::fake_wandb::{FakeWandb, Switches};
use crate::page::Page;
use crate::scenario::scenario_with;
use crate::served::{KEY, RUNS, fill, folders, from_files, load, load_all, open_form, private};

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
        page.wait_for_text(".requests", "the server that you connected to").await?;
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
        page.wait_for_text(status, "No run matches").await?;
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
        for way in ["GORILLA_CORS_ORIGINS", "\"corpus\", \"tiny-grpo\"", "127.0.0.1", "Drop"] {
            assert!(ways.contains(way), "{way} is not offered");
        }
        assert!(!ways.contains(KEY));
        // Who has the page on this machine need not be told to run it there.
        assert!(!ways.contains("make serve"));
        page.screenshots("refused").await?;
        page.type_into("input[data-field='Project or run']", "corpus/no-such").await?;
        again(page, private(), KEY, "no-such").await
    })
    .await
}

/// What names no project is refused before anything is asked.
#[tokio::test]
async fn an_address_without_a_project_is_refused() -> Outcome {
    scenario_with("no-project", "", async |page| {
        page.wait_for("#connect").await?.click().await?;
        for address in ["corpus", "https://wandb.ai/home", "not a project"] {
            page.type_into("input[data-field='Project or run']", address).await?;
            page.wait_for("#list-runs").await?.click().await?;
            page.wait_for_text("#refusal", "No project found in this.").await?;
        }
        page.wait_until("no server was asked", "!document.querySelector('.offer, dialog [role=status]')", "").await
    })
    .await
}

/// Runs of a server have no files of the user's.
#[tokio::test]
async fn the_files_of_a_server_load_are_explained() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    server.reset(private());
    scenario_with("server-files", server.base_url(), async |page| {
        load_all(page, &server, &folders).await?;
        page.wait_for("#files").await?.click().await?;
        page.wait_for_text("dialog", "these runs came from a server").await?;
        Ok(())
    })
    .await
}

/// What the tab keeps when it is asked to, and forgets when it is told to.
#[tokio::test]
async fn a_key_is_kept_for_the_tab_alone() -> Outcome {
    // Nothing is asked of it.
    let server = "http://127.0.0.1:9";
    let open = async |page: &Page| open_form(page, "Weights & Biases", ("Project or run", "a/b"), server).await;
    scenario_with("keep-key", "", async |page| {
        open(page).await?;
        page.type_into("input[data-field='API key']", KEY).await?;
        page.wait_for("#keep-key").await?.click().await?;
        let kept = "return [JSON.stringify(sessionStorage).includes(arguments[0]), JSON.stringify(localStorage).includes(arguments[0])]";
        let kept_now: (bool, bool) = page.browser().driver().execute(kept, vec![json!(KEY)]).await?.convert()?;
        assert_eq!(kept_now, (true, false));
        let value = "document.querySelector(\"input[data-field='API key']\")?.value === arguments[0]";
        page.click_words("dialog .scope label", "Axiom").await?;
        page.wait_for("input[data-field='API token']").await?;
        page.click_words("dialog .scope label", "Weights & Biases").await?;
        page.wait_until("the key is there after another service", value, KEY).await?;
        page.reload().await?;
        open(page).await?;
        page.wait_until("the key is there again", value, KEY).await?;
        page.click_words("dialog button", "Forget").await?;
        let kept_now: (bool, bool) = page.browser().driver().execute(kept, vec![json!(KEY)]).await?.convert()?;
        assert_eq!(kept_now, (false, false));
        page.wait_until("nothing is to be kept", "!document.querySelector('#keep-key').checked", "").await?;
        page.wait_until("the field is empty", "document.querySelector(\"input[data-field='API key']\").value === ''", "").await
    })
    .await
}

/// A key that is kept for one server is not filled in for another one.
#[tokio::test]
async fn a_kept_key_is_not_offered_to_another_server() -> Outcome {
    // Nothing is asked of them.
    let (server, other) = ("http://127.0.0.1:9", "http://127.0.0.1:10");
    let field = "document.querySelector(\"input[data-field='API key']\")";
    scenario_with("key-of-another", "", async |page| {
        open_form(page, "Weights & Biases", ("Project or run", "a/b"), server).await?;
        page.type_into("input[data-field='API key']", KEY).await?;
        page.wait_for("#keep-key").await?.click().await?;
        page.click_words("dialog summary", "Another server").await?;
        page.type_into("input[data-field='Server']", other).await?;
        page.wait_for("#list-runs").await?.click().await?;
        page.click_words("#name-server button", "Reload").await?;
        page.wait_for_text("#named", other).await?;
        page.wait_until("the field is empty", &format!("{field}?.value === ''"), "").await?;
        page.wait_until("nothing is kept of this server", "!document.querySelector('#keep-key').checked", "").await?;
        page.reload().await?;
        open_form(page, "Axiom", ("Dataset", "events"), server).await?;
        let token = "document.querySelector(\"input[data-field='API token']\")?.value === ''";
        page.wait_until("the token is empty", token, "").await?;
        page.reload().await?;
        open_form(page, "Weights & Biases", ("Project or run", "a/b"), server).await?;
        page.wait_until("the key is there again", &format!("{field}?.value === arguments[0]"), KEY).await
    })
    .await
}
