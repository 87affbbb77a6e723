//! Nothing is lost: runs that are kept on this device open again after a reload, closing is undone, and files that are not
//! kept are asked about. A folder that is being written is followed.

use crate::browser::Outcome;
use crate::device::{self, CHOOSE_FOLDER, KEPT, watch, write};
use crate::fake_wandb::FakeWandb;
use crate::made::{TABLE, folder_of};
use crate::page::Page;
use crate::sample::{VERDICTS, open_sample};
use crate::scenario::{scenario, scenario_after, scenario_with};
use crate::served::{RUNS, fill, folders, load};

#[tokio::test]
async fn kept_runs_open_again_after_a_reload() -> Outcome {
    let files = folder_of("kept", &[("zebra.csv", TABLE), ("ant.csv", TABLE), ("model.safetensors", b"not read")])?;
    scenario("kept", async |page| {
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        assert!(asks_before_unload(page).await?, "files were loaded that are not kept");
        page.wait_for_text(".list-foot", "Keep for the next visit?").await?;
        page.screenshots("keep").await?;
        page.wait_for("#keep").await?.click().await?;
        wait_for_kept(page, 1).await?;
        page.wait_until("nothing would be lost", "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return !event.defaultPrevented })()", "")
            .await?;
        let texts: Vec<String> = page.promise(KEPT).await?;
        assert!(!texts[0].contains("model.safetensors"), "an ignored file was kept: {}", texts[0]);

        page.open_run("zebra").await?;
        page.view("metrics").await?;
        let before = page.verdicts().await?;
        page.reload().await?;
        page.wait_for_text(".kept .reopen", "2 runs").await?;
        page.wait_for_text(".asked", "This link opens the run").await?;
        page.screenshots("reopen").await?;
        page.wait_for(".kept .reopen").await?.click().await?;
        page.wait_for_runs(2).await?;
        assert_eq!(page.verdicts().await?, before);
        page.wait_until("what was looked at is shown", "document.title.includes('zebra · Metrics')", "").await?;
        // Opened again, it is the same project.
        wait_for_kept(page, 1).await?;

        page.click_words("button", "Close all runs").await?;
        page.click_words(".kept button", "Forget").await?;
        page.wait_until("the list is empty", "!document.querySelector('.kept')", "").await?;
        wait_for_kept(page, 0).await
    })
    .await
}

#[tokio::test]
async fn a_dropped_folder_is_kept() -> Outcome {
    let files = folder_of("kept-folder", &[("zebra.csv", TABLE), ("ant.csv", TABLE), ("plot.png", b"not read")])?;
    let folder = files[0].parent().ok_or("no folder")?.to_owned();
    scenario("kept-folder", async |page| {
        page.drop_on(".drop-zone", std::slice::from_ref(&folder)).await?;
        page.wait_for_runs(2).await?;
        page.wait_for("#keep").await?.click().await?;
        wait_for_kept(page, 1).await?;
        page.reload().await?;
        page.wait_for_text(".kept .reopen", "2 runs").await?;
        page.wait_for(".kept .reopen").await?.click().await?;
        page.wait_for_runs(2).await
    })
    .await
}

/// Files and runs of a server: the page is loaded once more, to be allowed to ask that server.
#[tokio::test]
async fn kept_runs_of_a_server_open_again() -> Outcome {
    let Some(folders) = folders() else { return Ok(()) };
    let server = FakeWandb::start(0, &folders);
    let files = folder_of("kept-server", &[("zebra.csv", TABLE)])?;
    scenario_with("kept-server", server.base_url(), async |page| {
        fill(page, server.base_url(), "").await?;
        load(page, RUNS.len()).await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(RUNS.len() + 1).await?;
        page.wait_for("#keep").await?.click().await?;
        wait_for_kept(page, 1).await?;
        let before = page.verdicts().await?;

        page.reload().await?;
        server.state().log().clear();
        page.wait_for(".kept .reopen").await?.click().await?;
        page.wait_for_runs(RUNS.len() + 1).await?;
        assert_eq!(page.verdicts().await?, before);
        assert!(!server.state().log().is_empty(), "the server was not asked");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn closing_is_undone() -> Outcome {
    scenario("reopen", async |page| {
        open_sample(page).await?;
        assert!(!asks_before_unload(page).await?, "the sample can be opened again");
        page.open_run("amber-07").await?;
        page.view("metrics").await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for_text(".tray", "6 runs closed.").await?;
        page.screenshot("closed").await?;
        page.wait_for("#reopen").await?.click().await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        page.wait_until("what was looked at is shown", "document.title === 'ugly · amber-07 · Metrics · Rundown'", "")
            .await
    })
    .await
}

#[tokio::test]
async fn a_folder_that_is_written_is_followed() -> Outcome {
    scenario_after("watch", CHOOSE_FOLDER, async |page| {
        write(page, "first.csv", "step,loss\\n1,3\\n2,2\\n").await?;
        watch(page).await?;
        page.wait_for_runs(1).await?;
        page.wait_for_text(".watching", "Watching watched").await?;
        let open = page.script::<String>("return document.title").await?;
        write(page, "second.csv", "step,loss\\n1,3\\n2,2\\n3,1\\n").await?;
        page.wait_for_runs(2).await?;
        assert_eq!(page.script::<String>("return document.title").await?, open, "the open run has changed");
        write(page, "first.csv", "step,loss\\n1,3\\n2,2\\n3,1\\n4,1\\n5,1\\n").await?;
        page.open_run("first").await?;
        page.view("run").await?;
        page.wait_for_text(".facts", "5").await?;
        page.wait_for(".watching").await?.click().await?;
        page.wait_until("it is not watched any more", "!document.querySelector('.watching')", "").await
    })
    .await
}

async fn asks_before_unload(page: &Page) -> Outcome<bool> {
    page.script(
        "const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented",
    )
    .await
}

async fn wait_for_kept(page: &Page, projects: usize) -> Outcome {
    let condition = format!("window.kept?.length === {projects} && !window.kept.includes('unfinished')");
    device::wait_for_kept(page, &format!("{projects} projects are kept"), &condition, "").await
}
