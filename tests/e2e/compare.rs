//! All runs together: the views that compare them, and the filter's queries.

use std::path::Path;

use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::scenario;
use crate::support::corpus;

/// Chooses the folder of labelled runs, among them nine of a sweep, and asks for these by a query.
async fn open_sweep(page: &Page, folder: &Path) -> Outcome {
    page.choose_folder(folder).await?;
    page.wait_for_runs(27).await?;
    page.type_into("#filter", "name ~ /^sweep/ and config.learning_rate > 0").await?;
    page.wait_for_runs(9).await
}

async fn open(page: &Page, view: &str) -> Outcome {
    page.view(view).await?;
    page.wait_for(".document .blocks > *").await?;
    page.settle().await
}

#[tokio::test]
async fn a_sweep_is_compared_and_says_what_to_try_next() -> Outcome {
    let Some(folder) = corpus("tiny-grpo") else { return Ok(()) };
    scenario("compare", async |page| {
        open_sweep(page, &folder).await?;
        open(page, "compare").await?;
        page.wait_for_text(".document", "at the end: lowest").await?;
        let order = "[...document.querySelectorAll('.compare-charts, .run-table, .document')].map(e => e.className.split(' ').at(-1)).join()";
        let expected = "compare-charts,run-table,document";
        page.wait_until("curves come first, then one table", &format!("{order} === '{expected}'"), order).await?;
        page.wait_for_text(".run-table h2", "Leaderboard").await?;
        let rank = "document.querySelector('.run-table th[aria-sort=ascending]')?.textContent.includes('Rank')";
        page.wait_until("the best run stands first", rank, "").await?;
        let ranks = "[...document.querySelectorAll('.document th')].some(head => head.textContent.includes('Rank'))";
        page.wait_until("there is one leaderboard", &format!("!{ranks}"), "").await?;
        page.screenshots("compare").await?;

        open(page, "signals").await?;
        page.wait_for_text(".document", "inverted U").await?;
        let first = "document.querySelector('.document .blocks > :first-child').matches('h2')";
        page.wait_until("the view opens with its answer", first, "").await?;
        page.wait_for_text(".document", "Next experiments").await?;
        page.screenshots("signals").await
    })
    .await
}

#[tokio::test]
async fn the_leaderboard_is_filtered_and_its_columns_are_chosen() -> Outcome {
    scenario("leaderboard", async |page| {
        open_sample(page).await?;
        page.view("compare").await?;
        let rows = "document.querySelectorAll('.run-table tbody tr:not(.spacer)').length";
        page.wait_until("every run has a row", &format!("{rows} === 6"), "").await?;
        for title in ["Rank", "Verdict", "mean at the end", "best", "Main findings"] {
            page.wait_for_text(".run-table thead", title).await?;
        }
        page.type_into(".run-table input[type=search]", "amber").await?;
        page.wait_until("rows are filtered", &format!("{rows} === 5"), "").await?;
        page.wait_until("the filter is in the address", "location.hash.includes('rows=amber')", "").await?;

        let is_open = "document.querySelector('.column-menu .popup-panel')";
        page.wait_for(".column-menu .popup-button").await?.click().await?;
        page.wait_for(".column-menu input[type=checkbox]").await?;
        page.screenshots("leaderboard-columns").await?;
        page.press(Key::Escape + "").await?;
        page.wait_until("Escape closes the columns", &format!("!{is_open}"), "").await?;
        let focused = "document.activeElement.matches('.column-menu .popup-button')";
        page.wait_until("the focus is back on the button", focused, "").await?;
        page.wait_for(".column-menu .popup-button").await?.click().await?;
        page.wait_for(".column-menu .popup-panel").await?;
        page.wait_for(".compare-view h1").await?.click().await?;
        page.wait_until("a click elsewhere closes them", &format!("!{is_open}"), "").await
    })
    .await
}

#[tokio::test]
async fn a_filter_that_leaves_no_run_leaves_none_to_compare() -> Outcome {
    scenario("compare-none", async |page| {
        open_sample(page).await?;
        open(page, "compare").await?;
        page.wait_for(".run-table td").await?;
        page.type_into("#filter", "nowhere").await?;
        page.wait_for_text(".compare-view", "No run matches the filter.").await?;
        page.wait_until("no run is compared", "!document.querySelector('.run-table')", "").await?;
        page.type_into("#filter", "amber").await?;
        page.wait_for_text(".run-table [role=status]", "5 runs").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_head_of_a_difference_names_the_present_baseline() -> Outcome {
    scenario("baselines", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        open(page, "compare").await?;
        for name in ["amber-03", "amber-12"] {
            let menu = format!("document.querySelector(\"#runs [aria-label='Actions for {name}']\").click()");
            page.script::<()>(&menu).await?;
            page.click_words("#runs .popup-panel button", "Set as baseline").await?;
            page.wait_for_text(".run-table thead", &format!("vs {name}")).await?;
        }
        Ok(())
    })
    .await
}

/// They stand far below the first screen, and of thousands of runs they are most of the page's work.
#[tokio::test]
async fn the_plots_are_made_when_they_come_near() -> Outcome {
    let Some(folder) = corpus("tiny-grpo") else { return Ok(()) };
    scenario("plots", async |page| {
        open_sweep(page, &folder).await?;
        open(page, "compare").await?;
        page.wait_for(".run-table td").await?;
        for (place, mark) in [(".parallel-place", ".parallel .lines path"), (".scatter-place", ".scatter circle")] {
            page.wait_until("its box is there", &format!("document.querySelector('{place}')"), "").await?;
            let scroll = format!("document.querySelector('{place}').scrollIntoView()");
            page.wait_until("the plot is there", &format!("({scroll}, document.querySelector('{mark}'))"), "").await?;
        }
        let ends = "[...document.querySelectorAll('.parallel [role=slider]')].slice(0, 2)
            .map(end => end.getAttribute('aria-label').split(' of ')[0]).join() === 'Lower end,Upper end'";
        page.wait_until("a brush has two ends", ends, "").await?;
        page.screenshots("plots").await
    })
    .await
}

#[tokio::test]
async fn a_query_filters_the_runs_and_says_what_is_wrong_with_it() -> Outcome {
    let Some(folder) = corpus("tiny-grpo") else { return Ok(()) };
    scenario("query", async |page| {
        open_sweep(page, &folder).await?;
        page.type_into("#filter", "config.learning_rate >").await?;
        page.wait_for_text(".complaint", "Character").await?;
        page.screenshots("query").await
    })
    .await
}

/// True where each run of the table that has a colour has the same one in the figure, and one has.
const ONE_COLOUR: &str = "(() => {
    const hue = element => [...element.classList].find(name => /^s\\d$/.test(name));
    const labels = [...document.querySelectorAll('.topic-view svg.figure text')];
    const shown = [...document.querySelectorAll('.topic-view table .run-link:has(.swatch)')].flatMap(link => {
        const label = labels.find(label => label.textContent === link.textContent);
        return label ? [[hue(link.querySelector('.swatch')), hue(label.previousElementSibling)]] : [];
    });
    return shown.length > 1 && shown.every(([listed, drawn]) => listed === drawn);
})()";

#[tokio::test]
async fn leagues_scaling_and_pipelines_have_their_views() -> Outcome {
    let Some(corpus) = corpus("systems") else { return Ok(()) };
    scenario("systems", async |page| {
        page.choose_folder(&corpus).await?;
        page.wait_for("#runs [data-verdict]").await?;
        for view in ["league", "scaling", "pipeline", "rewards", "compare"] {
            open(page, view).await?;
            page.screenshots(&format!("systems-{view}")).await?;
        }
        // A run has the colour that the list gives it.
        open(page, "scaling").await?;
        page.wait_until("runs have one colour in the figure and beside their names", ONE_COLOUR, "").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn what_the_user_sets_decides() -> Outcome {
    let Some(folder) = corpus("tiny-grpo") else { return Ok(()) };
    scenario("settings", async |page| {
        open_sweep(page, &folder).await?;
        open(page, "settings").await?;
        page.type_into("#settings", "[rulebook]\nkl_warning = much").await?;
        page.wait_for("#apply-settings").await?.click().await?;
        page.wait_for_text(".topic-view .banner", "Line 2").await?;
        page.type_into(
            "#settings",
            "[metrics]\n\"train/reward\" = \"none\"\n[rulebook]\npoints_needed = 1e6\nlearning_evaluations = 1e6",
        )
        .await?;
        page.wait_for("#apply-settings").await?.click().await?;
        page.wait_for_text(".topic-view", "diagnosed again").await?;
        page.wait_for("#runs [data-verdict=undecided]").await?;
        page.screenshots("settings").await?;

        // The next visit has the same settings, until they are forgotten.
        page.reload().await?;
        page.choose_folder(&folder).await?;
        page.wait_for("#runs [data-verdict=undecided]").await?;
        page.view("settings").await?;
        let kept = "document.querySelector('#settings')?.value.includes('points_needed')";
        page.wait_until("the settings are those of the visit before", kept, "").await?;
        page.click_words(".remembered button", "Forget them").await?;
        page.wait_until("they are forgotten", "!localStorage.getItem('rundown-settings')", "").await
    })
    .await
}
