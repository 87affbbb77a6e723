//! A browser that keeps nothing, or has no room left, or lacks what is new: the page works, and says what it cannot do.

use crate::browser::Outcome;
use crate::device::{KEPT, wait_for_kept};
use crate::made::{TABLE, folder_of};
use crate::page::Page;
use crate::sample::{VERDICTS, open_sample};
use crate::scenario::scenario_after;

/// What a private window of some browsers refuses, and what older ones do not have.
const DENIED: &str = "{
    const denied = () => { throw new DOMException('denied', 'SecurityError') };
    for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches']) {
        Object.defineProperty(window, name, { get: denied });
    }
    navigator.storage.getDirectory = () => Promise.reject(new DOMException('denied', 'SecurityError'));
    navigator.storage.persist = denied;
    delete Navigator.prototype.serviceWorker;
    delete window.OffscreenCanvas;
    delete window.showDirectoryPicker;
    delete window.Notification;
    window.rundownOffline = true;
}";

#[tokio::test]
async fn a_private_window_reads_runs_and_forgets_them() -> Outcome {
    let files = folder_of("private", &[("zebra.csv", TABLE)])?;
    scenario_after("private", DENIED, async |page| {
        open_sample(page).await?;
        page.wait_for_runs(VERDICTS.len()).await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(VERDICTS.len() + 1).await?;
        page.wait_for("#theme").await?.click().await?;
        page.view("metrics").await?;
        page.wait_for("main canvas").await?;
        if page.script::<bool>("return Boolean(document.querySelector('#keep'))").await? {
            page.wait_for("#keep").await?.click().await?;
            page.wait_for_text("[role=alert] .banner", "These runs are not kept on this device: the browser refused")
                .await?;
            page.screenshot("not-kept").await?;
        }
        Ok(())
    })
    .await
}

/// No room for another byte.
const FULL: &str = "{
    const full = () => { throw new DOMException('full', 'QuotaExceededError') };
    Storage.prototype.setItem = full;
    FileSystemWritableFileStream.prototype.write = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
}";

#[tokio::test]
async fn where_there_is_no_room_the_runs_stay_open_and_the_user_is_told() -> Outcome {
    let files = folder_of("full", &[("zebra.csv", TABLE), ("ant.csv", TABLE)])?;
    scenario_after("full", FULL, async |page| {
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        page.wait_for("#keep").await?.click().await?;
        let said = "These runs are not kept on this device: the browser's storage is full.";
        page.wait_for_text("[role=alert] .banner", said).await?;
        page.wait_for("#theme").await?.click().await?;
        page.open_run("zebra").await?;
        page.wait_for_runs(2).await?;
        let asks = "(() => { const event = new Event('beforeunload', { cancelable: true }); dispatchEvent(event); return event.defaultPrevented })()";
        page.wait_until("a reload asks, as nothing is kept", asks, "").await
    })
    .await
}

/// Writing to this device waits until `window.held` is false.
const HELD: &str = "{
    const write = FileSystemWritableFileStream.prototype.write;
    window.held = true;
    window.begun = 0;
    FileSystemWritableFileStream.prototype.write = async function (...what) {
        begun += 1;
        while (held) await new Promise(next => setTimeout(next, 20));
        return write.apply(this, what);
    };
}";

/// Chooses a file, agrees to keep it, and waits until its writing has begun.
async fn begin_to_keep(page: &Page, files: &[std::path::PathBuf]) -> Outcome {
    page.choose_files(files).await?;
    page.wait_for_runs(1).await?;
    page.wait_for("#keep").await?.click().await?;
    page.wait_until("the writing has begun", "begun > 0", "").await
}

#[tokio::test]
async fn runs_that_are_closed_while_they_are_written_stay_a_project_of_their_own() -> Outcome {
    let files = folder_of("held-closed", &[("zebra.csv", TABLE), ("ant.csv", TABLE)])?;
    scenario_after("held-closed", HELD, async |page| {
        begin_to_keep(page, &files[..1]).await?;
        page.click_words("button", "Close all runs").await?;
        page.wait_for("#open-sample").await?;
        page.choose_files(&files[1..]).await?;
        page.wait_for_runs(1).await?;
        page.script::<()>("held = false").await?;
        let both = "window.kept?.length === 2
            && ['zebra', 'ant'].every(name => kept.filter(text => text.includes(name + '.csv')).length === 1)";
        wait_for_kept(page, "both projects are kept", both, "").await
    })
    .await
}

#[tokio::test]
async fn nothing_stays_of_a_writing_that_is_not_wanted_any_more() -> Outcome {
    let files = folder_of("held-unwanted", &[("zebra.csv", TABLE)])?;
    scenario_after("held-unwanted", HELD, async |page| {
        begin_to_keep(page, &files).await?;
        page.wait_for("#files").await?.click().await?;
        page.wait_for("#keep-runs").await?.click().await?;
        let kept: Vec<String> = page.promise(KEPT).await?;
        assert_eq!(kept, ["unfinished"]);
        page.script::<()>("held = false").await?;
        wait_for_kept(page, "nothing is kept", "window.kept?.length === 0", "").await
    })
    .await
}
