//! Two tabs with the same runs, both of which keep what is added, and tags.

use crate::browser::Outcome;
use crate::device::{KEPT, wait_for_kept};
use crate::made::{TABLE, folder_of};
use crate::page::Page;
use crate::scenario::scenario;

#[tokio::test]
async fn what_two_tabs_add_is_kept_of_both() -> Outcome {
    let files = folder_of("tabs", &[("zebra.csv", TABLE), ("ant.csv", TABLE), ("bee.csv", TABLE)])?;
    scenario("tabs", async |page| {
        page.choose_files(&files[..1]).await?;
        page.wait_for_runs(1).await?;
        page.wait_for("#keep").await?.click().await?;
        wait_for(page, "zebra.csv").await?;
        let driver = page.browser().driver();
        let first = driver.window().await?;

        let second = driver.new_tab().await?;
        driver.switch_to_window(second).await?;
        page.go(&page.server().url()).await?;
        page.wait_for(".kept .reopen").await?.click().await?;
        page.wait_for_runs(1).await?;
        page.choose_files(&files[1..2]).await?;
        page.wait_for_runs(2).await?;
        wait_for(page, "ant.csv").await?;

        driver.switch_to_window(first).await?;
        page.choose_files(&files[2..]).await?;
        page.wait_for_runs(2).await?;
        wait_for(page, "bee.csv").await?;
        let said = "Another tab has changed what is kept of this project.";
        page.wait_for_text("[role=alert] .banner", said).await?;
        page.screenshot("two-tabs").await?;
        let kept: Vec<String> = page.promise(KEPT).await?;
        assert_eq!(kept.len(), 2, "{kept:?}");
        let has = |text: &String, names: [&str; 2]| names.iter().all(|name| text.contains(name));
        assert!(
            kept.iter().any(|text| has(text, ["zebra.csv", "ant.csv"])),
            "what the second tab kept is lost: {kept:?}"
        );
        assert!(
            kept.iter().any(|text| has(text, ["zebra.csv", "bee.csv"])),
            "what the first tab kept is lost: {kept:?}"
        );
        Ok(())
    })
    .await
}

#[tokio::test]
async fn tags_of_two_tabs_are_remembered_together() -> Outcome {
    let files = folder_of("tags", &[("zebra.csv", TABLE), ("ant.csv", TABLE)])?;
    scenario("tags", async |page| {
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        let driver = page.browser().driver();
        let first = driver.window().await?;
        let second = driver.new_tab().await?;
        driver.switch_to_window(second.clone()).await?;
        page.browser().set_viewport(1440, 1000).await?;
        page.go(&page.server().url()).await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        for (tab, run, word) in [(first, "zebra", "paper"), (second, "ant", "rerun")] {
            driver.switch_to_window(tab).await?;
            let open = format!("document.querySelector(\"[aria-label='Actions for {run}']\").click()");
            page.script::<()>(&open).await?;
            page.type_into(".popup-panel .tags input", &format!("{word}\u{e007}")).await?;
            page.wait_until("it is remembered", "localStorage.getItem('rundown-tags')?.includes(arguments[0])", word)
                .await?;
        }
        page.wait_until("the other tab's too", "localStorage.getItem('rundown-tags').includes('paper')", "").await
    })
    .await
}

async fn wait_for(page: &Page, file: &str) -> Outcome {
    wait_for_kept(page, "the file is kept", "window.kept?.some(text => text.includes(arguments[0]))", file).await
}
