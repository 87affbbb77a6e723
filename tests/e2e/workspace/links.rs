//! The address is the view: what is looked at comes back with it, and the back button takes choices back.

use serde_json::json;

use crate::browser::Outcome;
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::{scenario, scenario_after};

/// Keeps what is copied: a browser without a window may refuse it.
const KEEP_COPIED: &str = "Clipboard.prototype.writeText = async (text) => { window.copied = text; };";

async fn hash(page: &Page) -> Outcome<String> {
    Ok(page.browser().driver().execute("return location.hash", []).await?.convert()?)
}

/// What the list looks like: names in order, boxes, the open run, and the filter.
async fn list(page: &Page) -> Outcome<Vec<String>> {
    let script = "return [
        ...[...document.querySelectorAll('#runs .row')].map(row => [
            row.querySelector('.name').textContent,
            row.querySelector('[role=checkbox]').getAttribute('aria-checked'),
            row.querySelector('.run').getAttribute('aria-current') ?? '',
        ].join(' ')),
        document.querySelector('#filter').value,
        document.querySelector('#sort').value,
    ]";
    Ok(page.browser().driver().execute(script, []).await?.convert()?)
}

#[tokio::test]
async fn a_link_brings_back_what_was_looked_at() -> Outcome {
    scenario("link", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.open_run("amber-07").await?;
        page.view("metrics").await?;
        page.type_into("#filter", "amber").await?;
        page.wait_for_runs(5).await?;
        let sort = "const menu = document.querySelector('#sort'); menu.value = 'name';
            menu.dispatchEvent(new Event('change', { bubbles: true }))";
        page.browser().driver().execute(sort, []).await?;
        let tick = "document.querySelector('#runs [role=checkbox]').click()";
        page.browser().driver().execute(tick, []).await?;
        page.wait_until("the set is in the address", "location.hash.includes('shown=')", "").await?;
        let (link, seen) = (hash(page).await?, list(page).await?);
        assert!(link.starts_with("#/metrics/"), "{link}");

        // Without the data: the first screen, and the link is kept for it.
        page.reload().await?;
        assert_eq!(hash(page).await?, link);
        open_sample(page).await?;
        page.wait_for_runs(5).await?;
        page.wait_for(".metrics-section").await?;
        assert_eq!((hash(page).await?, list(page).await?), (link, seen));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_copied_link_says_what_it_shows_where_nothing_is_loaded() -> Outcome {
    scenario_after("link-copied", KEEP_COPIED, async |page| {
        assert!(!page.script::<bool>("return !!document.querySelector('.asked')").await?, "no link was followed");
        // A run is open that nobody chose.
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.wait_until("the address names it", "location.hash.startsWith('#/run/')", "").await?;
        page.click_words("button", "Copy link").await?;
        page.wait_until("the link is copied", "window.copied", "").await?;
        let link: String = page.script("return copied").await?;
        assert!(link.contains("#/run/"), "{link}");

        page.go(&link).await?;
        page.reload().await?;
        page.wait_for_text(".asked", "This link opens the run “").await?;
        page.screenshots("link-copied").await?;
        open_sample(page).await?;
        page.wait_until("nothing is said of a link", "!document.querySelector('.asked')", "").await?;

        page.script::<()>("location.hash = '#/compare'").await?;
        page.reload().await?;
        page.wait_for_text(".asked", "the Compare view of runs").await?;
        // What a link says is text.
        page.script::<()>("location.hash = '#/run/' + encodeURIComponent('<b>bold</b>')").await?;
        page.wait_for_text(".asked", "<b>bold</b>").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn folded_groups_and_the_steps_of_a_run_are_in_the_link() -> Outcome {
    scenario("link-parts", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.open_run("amber-07").await?;
        page.wait_for_text("main", "games the reward").await?;
        page.drag_across(".lanes", 0.4, 0.7).await?;
        page.wait_until("the steps are in the address", "location.hash.includes('steps=')", "").await?;
        let link = hash(page).await?;
        page.browser().driver().execute("history.back()", []).await?;
        page.wait_until("all steps are shown again", "!document.querySelector('.timeline .band')", "").await?;
        page.browser().driver().execute("history.forward()", []).await?;
        page.wait_for(".timeline .band").await?;
        assert_eq!(hash(page).await?, link);
        page.open_run("sweep-05").await?;
        page.wait_until("another run shows all of its steps", "!location.hash.includes('steps=')", "").await?;

        let group = "location.hash += `${location.hash.includes('?') ? '&' : '?'}group-list=learning_rate`";
        page.browser().driver().execute(group, []).await?;
        page.click_words("#runs .group button[aria-expanded=true]", "").await?;
        page.wait_for("#runs .group button[aria-expanded=false]").await?;
        page.wait_until("the fold is in the address", "location.hash.includes('folded=')", "").await?;
        page.reload().await?;
        open_sample(page).await?;
        page.wait_for("#runs .group button[aria-expanded=false]").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn back_and_forward_go_through_the_choices() -> Outcome {
    scenario("back", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.open_run("amber-07").await?;
        page.view("compare").await?;
        let is_at = async |what: &str, start: &str| {
            page.wait_until(what, "location.hash.startsWith(arguments[0])", start).await
        };
        is_at("Compare is open", "#/compare").await?;
        page.browser().driver().execute("history.back()", []).await?;
        is_at("the run is open again", "#/run/").await?;
        page.wait_for_text("#runs .run[aria-current] .name", "amber-07").await?;
        page.browser().driver().execute("history.back()", []).await?;
        page.wait_until(
            "another run is open",
            "document.querySelector('#runs .run[aria-current] .name').textContent !== arguments[0]",
            "amber-07",
        )
        .await?;
        page.browser().driver().execute("history.go(2)", []).await?;
        is_at("Compare is open once more", "#/compare").await?;
        page.wait_for_text("#runs .run[aria-current] .name", "amber-07").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn typing_is_one_step() -> Outcome {
    scenario("typing", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        let length = "return history.length";
        let before: i64 = page.browser().driver().execute(length, []).await?.convert()?;
        page.type_into("#filter", "sweep").await?;
        page.wait_for_runs(1).await?;
        page.wait_until("the filter is in the address", "location.hash.includes(arguments[0])", "filter=sweep").await?;
        let after: i64 = page.browser().driver().execute(length, vec![json!(null)]).await?.convert()?;
        assert_eq!(before, after, "each letter is a step back");
        Ok(())
    })
    .await
}
