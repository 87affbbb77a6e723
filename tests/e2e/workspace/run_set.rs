//! The run list as the set of runs that charts draw: shown and hidden, isolated, grouped, pinned, tagged, removed; long
//! lists, long names, and the sheet of a phone.

use serde_json::json;
use thirtyfour::TypingData;
use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::scenario;

const COUNTS: &str = "#runs .list-head [role=status]";
/// Boxes of runs that charts draw.
const TICKED: &str = "#runs [role=checkbox][aria-checked=true]";

/// Waits until so many boxes are ticked, and the line above the rows says so.
async fn wait_for_shown(page: &Page, shown: usize) -> Outcome {
    let boxes = format!("document.querySelectorAll(arguments[0]).length === {shown}");
    page.wait_until(&format!("{shown} runs are shown"), &boxes, TICKED).await?;
    page.wait_for_text(COUNTS, &format!("{shown} shown")).await?;
    Ok(())
}

/// Clicks the box of the run at a place in the list, with keys held.
async fn click_box(page: &Page, place: usize, held: &str) -> Outcome {
    click_held(page, &format!("document.querySelectorAll('#runs [role=checkbox]')[{place}]"), held).await
}

async fn click_held(page: &Page, element: &str, held: &str) -> Outcome {
    let held = if held.is_empty() { String::new() } else { format!(", {held}: true") };
    let script =
        format!("{element}.dispatchEvent(new MouseEvent('click', {{ bubbles: true, cancelable: true{held} }}))");
    page.browser().driver().execute(script, []).await?;
    Ok(())
}

async fn press(page: &Page, key: impl Into<TypingData>) -> Outcome {
    page.browser().driver().active_element().await?.send_keys(key).await?;
    Ok(())
}

/// Opens the menu of the run with this name and clicks a line of it.
async fn from_menu(page: &Page, name: &str, words: &str) -> Outcome {
    open_menu(page, name).await?;
    page.click_words("#runs .popup-panel button", words).await
}

async fn open_menu(page: &Page, name: &str) -> Outcome {
    let script = "if (!document.querySelector('#runs .popup-panel'))
        document.querySelector(`#runs [aria-label='Actions for ${arguments[0]}']`).click()";
    page.browser().driver().execute(script, vec![json!(name)]).await?;
    page.wait_for("#runs .popup-panel").await?;
    Ok(())
}

async fn names(page: &Page) -> Outcome<Vec<String>> {
    Ok(page.verdicts().await?.into_iter().map(|(name, _)| name).collect())
}

/// CSV files of small runs.
fn tables(count: usize, name: impl Fn(usize) -> String) -> Vec<(String, Vec<u8>)> {
    let rows: String = (0..20).map(|step| format!("{step},{}\n", f64::from(step) / 40.0)).collect();
    (0..count).map(|run| (name(run), format!("step,reward\n{rows}{},0.{run:04}\n", 20).into_bytes())).collect()
}

async fn open_tables(page: &Page, folder: &str, files: &[(String, Vec<u8>)]) -> Outcome {
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    page.choose_files(&folder_of(folder, &files)?).await?;
    page.wait_for("#runs [data-verdict]").await?;
    Ok(())
}

#[tokio::test]
async fn runs_are_shown_hidden_and_isolated() -> Outcome {
    scenario("run-set", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        wait_for_shown(page, 5).await?;
        page.screenshots("run-set").await?;
        // From what is shown at first a choice is made.
        click_box(page, 0, "").await?;
        wait_for_shown(page, 4).await?;
        page.wait_until("the address holds the set", "location.hash.includes('shown=')", "").await?;
        click_box(page, 5, "shiftKey").await?;
        wait_for_shown(page, 6).await?;
        click_box(page, 2, "altKey").await?;
        wait_for_shown(page, 1).await?;
        click_box(page, 2, "altKey").await?;
        wait_for_shown(page, 6).await?;

        // A row does the same with keys held, and opens nothing.
        let row = |place: usize| format!("document.querySelectorAll('#runs .run')[{place}]");
        let open = "document.querySelector('#runs .run[aria-current]').id";
        let before: String = page.browser().driver().execute(format!("return {open}"), []).await?.convert()?;
        click_held(page, &row(3), "ctrlKey").await?;
        wait_for_shown(page, 5).await?;
        page.wait_until("the same run is open", &format!("{open} === arguments[0]"), &before).await?;

        // Space on the row that has the focus.
        page.browser().driver().execute(format!("{}.focus()", row(0)), []).await?;
        press(page, " ").await?;
        wait_for_shown(page, 4).await?;

        page.click_words("#runs button", "Show ▾").await?;
        page.click_words("#runs .popup-panel button", "Show none").await?;
        wait_for_shown(page, 0).await?;
        page.click_words("#runs button", "Show ▾").await?;
        page.click_words("#runs .popup-panel button", "Show best five").await?;
        wait_for_shown(page, 5).await?;
        page.browser().driver().execute("history.back()", []).await?;
        wait_for_shown(page, 0).await
    })
    .await
}

#[tokio::test]
async fn a_run_under_the_pointer_is_lit() -> Outcome {
    scenario("lit", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.browser().driver().execute("document.querySelectorAll('#runs .run')[2].focus()", []).await?;
        page.wait_until("its row is lit", "document.querySelectorAll('#runs .row')[2].matches('.lit')", "").await?;
        page.browser().driver().execute("document.activeElement.blur()", []).await?;
        page.wait_until("no row is lit", "!document.querySelector('#runs .row.lit')", "").await
    })
    .await
}

#[tokio::test]
async fn the_count_of_a_verdict_lists_its_runs() -> Outcome {
    scenario("verdict-counts", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        let ugly = page.verdicts().await?.into_iter().filter(|(_, verdict)| verdict == "ugly").count();
        let count = format!("{ugly} ugly");
        page.click_words("#runs .verdict-counts button", &count).await?;
        let are_ugly = format!(
            "[...document.querySelectorAll('#runs [data-verdict]')].map(row => row.dataset.verdict).join() === \
             Array({ugly}).fill('ugly').join()"
        );
        page.wait_until("the ugly runs are listed", &are_ugly, "").await?;
        page.wait_until("the address holds the filter", "location.hash.includes('verdict')", "").await?;
        page.click_words("#runs .verdict-counts button[aria-pressed=true]", &count).await?;
        page.wait_for_runs(6).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn runs_are_grouped_and_get_further_columns() -> Outcome {
    scenario("columns", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.click_words("#runs button", "Columns ▾").await?;
        let choose = "const menu = document.querySelector(arguments[0]);
            menu.value = [...menu.options].find(option => option.value).value;
            menu.dispatchEvent(new Event('change', { bubbles: true }))";
        page.wait_until("there are columns", "document.querySelector(arguments[0])?.options.length > 1", "#new-column")
            .await?;
        page.browser().driver().execute(choose, vec![json!("#new-column")]).await?;
        page.wait_for("#runs .list-titles .cell").await?;
        page.wait_until("its cells are there", "document.querySelector('#runs .run .cell')?.textContent !== ''", "")
            .await?;
        page.browser().driver().execute(choose, vec![json!("#list-group")]).await?;
        page.wait_for("#runs .group").await?;
        press(page, Key::Escape + "").await?;
        page.wait_until("the panel is closed", "!document.querySelector('.popup-panel')", "").await?;
        page.screenshots("run-list-groups").await?;

        // A group is folded, and what is in it is left out.
        page.wait_for("#runs .group button[aria-expanded=true]").await?.click().await?;
        page.wait_until("fewer rows are left", "document.querySelectorAll('#runs [data-verdict]').length < 6", "")
            .await?;
        page.wait_for("#runs .group button[aria-expanded=false]").await?.click().await?;
        page.wait_for_runs(6).await?;

        page.wait_for("#runs .list-titles button.cell").await?.click().await?;
        page.wait_until("the address holds the order", "location.hash.includes('sort=')", "").await
    })
    .await
}

#[tokio::test]
async fn runs_are_pinned_tagged_compared_with_and_removed() -> Outcome {
    scenario("row-menu", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        let last = names(page).await?.pop().ok_or("no runs")?;
        open_menu(page, &last).await?;
        page.screenshots("row-menu").await?;
        let elsewhere = "document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))";
        page.browser().driver().execute(elsewhere, []).await?;
        page.wait_until("a press elsewhere closes it", "!document.querySelector('#runs .popup-panel')", "").await?;
        from_menu(page, &last, "Pin to the top").await?;
        page.wait_for_text("#runs .row:first-child .words", "pinned").await?;
        from_menu(page, &last, "Set as baseline").await?;
        page.wait_for_text("#runs .row:first-child .words", "baseline").await?;

        open_menu(page, &last).await?;
        page.wait_for("#runs .popup-panel input").await?.send_keys("paper rerun").await?;
        press(page, Key::Enter + "").await?;
        page.wait_for_text("#runs .row:first-child .words", "paper rerun").await?;
        press(page, Key::Escape + "").await?;
        page.type_into("#filter", "rerun").await?;
        page.wait_for_runs(1).await?;

        // Another run is open: the list says so.
        page.wait_for_text("#runs .hidden-run", "hidden by the filter").await?;
        page.click_words("#runs .hidden-run button", "Show it").await?;
        page.wait_for_runs(6).await?;

        from_menu(page, &last, "Remove this run").await?;
        page.wait_for_runs(5).await?;
        assert!(!names(page).await?.iter().any(|name| name.starts_with(&last)));
        let is_row = "document.activeElement.matches('#runs .run')";
        page.wait_until("the row beside it has the focus", is_row, "").await?;
        page.wait_for_text(".tray", "removed.").await?;
        page.wait_for("#reopen").await?.click().await?;
        page.wait_for_runs(6).await?;
        assert!(names(page).await?.iter().any(|name| name.starts_with(&last)), "it is back");
        page.wait_until("the notice is gone", "!document.querySelector('#reopen')", "").await
    })
    .await
}

#[tokio::test]
async fn what_is_open_stays_open_when_runs_go_and_come_back() -> Outcome {
    scenario("removed-open", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        let all = names(page).await?;
        let is_open = "document.querySelector('#runs .run[aria-current] .name')?.textContent.includes(arguments[0])";
        page.open_run(&all[2]).await?;
        page.wait_until("it is open", is_open, &all[2]).await?;
        from_menu(page, &all[2], "Remove this run").await?;
        page.wait_for_runs(5).await?;
        page.wait_until("its neighbour is open", is_open, &all[3]).await?;
        page.wait_for("#reopen").await?.click().await?;
        page.wait_for_runs(6).await?;
        page.settle().await?;
        page.wait_until("the neighbour is still open", is_open, &all[3]).await
    })
    .await
}

#[tokio::test]
async fn an_unknown_key_proposes_the_near_one() -> Outcome {
    scenario("unknown-key", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        page.type_into("#filter", "config.learning_rat > 0").await?;
        page.wait_for_text("#runs .complaint", "No run has config.learning_rat").await?;
        page.click_words("#runs .complaint button", "learning_rate").await?;
        page.wait_for_runs(6).await
    })
    .await
}

#[tokio::test]
async fn a_long_list_is_walked_to_its_end() -> Outcome {
    scenario("long-list", async |page| {
        open_tables(page, "long-list", &tables(340, |run| format!("table-{run:04}.csv"))).await?;
        page.wait_for_runs(340).await?;
        let rows = "document.querySelectorAll('#runs [data-verdict]').length";
        page.wait_until("those in sight are in the document", &format!("{rows} > 10 && {rows} < 150"), "").await?;
        page.browser().driver().execute("document.querySelector('#runs .run').focus()", []).await?;
        for (key, place) in [(Key::End, 340), (Key::Home, 1), (Key::Down, 2)] {
            press(page, key + "").await?;
            let is_there = "document.activeElement.closest('.row')?.getAttribute('aria-posinset') === arguments[0]
                && document.activeElement.getAttribute('aria-current') === 'true'";
            page.wait_until(&format!("row {place} has the focus"), is_there, &place.to_string()).await?;
            let in_sight = "const row = document.activeElement.getBoundingClientRect();
                const list = document.querySelector('#runs .lines').getBoundingClientRect();
                return row.top >= list.top - 1 && row.bottom <= list.bottom + 1";
            let in_sight: bool = page.browser().driver().execute(in_sight, []).await?.convert()?;
            assert!(in_sight, "row {place} has the focus and is out of sight");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn of_long_names_the_common_part_is_shortened() -> Outcome {
    scenario("long-names", async |page| {
        let files = tables(3, |run| format!("a-very-long-name-that-all-runs-of-this-sweep-share-{run:02}.csv"));
        open_tables(page, "long-names", &files).await?;
        page.wait_for_runs(3).await?;
        page.wait_for("#runs .name .common").await?;
        let whole = "[...document.querySelectorAll('#runs .name .end')].every(end =>
            end.scrollWidth <= end.clientWidth && end.textContent.includes('0'))";
        page.wait_until("no end is cut", whole, "").await?;
        page.screenshots("long-names").await
    })
    .await
}

#[tokio::test]
async fn the_list_gets_wider_and_stays_so() -> Outcome {
    scenario("list-width", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        let width = "document.querySelector('#runs').getBoundingClientRect().width";
        page.wait_until("it has its usual width", &format!("Math.round({width}) === 300"), "").await?;
        page.browser().driver().execute("document.querySelector('.list-edge').focus()", []).await?;
        press(page, Key::Right + "").await?;
        page.wait_until("it is wider", &format!("Math.round({width}) === 316"), "").await?;
        page.reload().await?;
        open_sample(page).await?;
        page.wait_until("it is as wide as before", &format!("Math.round({width}) === 316"), "").await
    })
    .await
}

#[tokio::test]
async fn the_list_grows_with_the_names_of_its_runs() -> Outcome {
    scenario("list-names", async |page| {
        let name = |run: usize| format!("{}-beta-0.0{run}-lr-{run}e-6-{run}.csv", ["amber", "birch", "cedar"][run % 3]);
        open_tables(page, "list-names", &tables(3, name)).await?;
        page.wait_for_runs(3).await?;
        let width = "document.querySelector('#runs').getBoundingClientRect().width";
        page.wait_until("there is room for the names", &format!("{width} > 380"), "").await?;
        let whole =
            "[...document.querySelectorAll('#runs .name-parts')].every(name => name.scrollWidth <= name.clientWidth)";
        page.wait_until("no name is cut", whole, "").await?;
        page.screenshots("list-names").await?;
        page.browser().set_viewport(1000, 800).await?;
        page.wait_until("a narrow window keeps its view", &format!("Math.round({width}) === 300"), "").await
    })
    .await
}

#[tokio::test]
async fn on_a_phone_the_list_is_a_sheet() -> Outcome {
    scenario("sheet", async |page| {
        page.browser().set_viewport(390, 844).await?;
        open_sample_unseen(page).await?;
        let is_visible = "document.querySelector('#runs').checkVisibility()";
        page.wait_until("the list is away", &format!("!{is_visible}"), "").await?;
        page.wait_for("#open-run").await?.click().await?;
        page.wait_until("the list is there", is_visible, "").await?;
        page.screenshots("sheet").await?;
        let rows = "[...document.querySelectorAll('#runs .run, #runs [role=checkbox]')]
            .every(part => part.getBoundingClientRect().height >= 44)";
        page.wait_until("rows are large enough for a finger", rows, "").await?;
        page.check_width().await?;
        page.wait_for("#runs .row:last-child .run").await?.click().await?;
        page.wait_until("a choice closes it", &format!("!{is_visible}"), "").await?;
        page.wait_for("#open-run").await?.click().await?;
        page.wait_until("the list is there again", is_visible, "").await?;
        press(page, Key::Escape + "").await?;
        page.wait_until("Escape closes it", &format!("!{is_visible}"), "").await
    })
    .await
}

/// Opens the sample where the list is not in sight.
async fn open_sample_unseen(page: &Page) -> Outcome {
    page.wait_for("#open-sample").await?.click().await?;
    page.wait_for_runs(6).await
}
