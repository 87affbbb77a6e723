//! The first screen, before anything is loaded.

use std::path::Path;

use crate::browser::Outcome;
use crate::page::{dist, scenario, scenario_at};

#[tokio::test]
async fn the_page_opens() -> Outcome {
    scenario("opens", async |page| {
        page.wait_for("h1").await?;
        page.wait_for("#open-sample").await?;
        page.screenshots("first").await
    })
    .await
}

/// Project sites of GitHub Pages lie below their host's root.
#[tokio::test]
async fn the_page_works_under_a_path() -> Outcome {
    let site = Path::new(env!("CARGO_TARGET_TMPDIR")).join("path-site");
    let _ = std::fs::remove_dir_all(&site);
    let below = site.join("projects/rundown");
    std::fs::create_dir_all(&below)?;
    std::fs::write(site.join("index.html"), "not this one")?;
    for entry in std::fs::read_dir(dist())? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            std::fs::copy(entry.path(), below.join(entry.file_name()))?;
        }
    }
    scenario_at("path", site, "projects/rundown/#/elsewhere", async |page| crate::sample::open_sample(page).await).await
}

/// 1440 x 1000 at 400 % zoom: WCAG 2.2, 1.4.10 Reflow.
#[tokio::test]
async fn nothing_sticks_out_at_400_percent_zoom() -> Outcome {
    scenario("reflow", async |page| {
        page.wait_for("h1").await?;
        page.browser().set_viewport(360, 250).await?;
        page.check_width().await
    })
    .await
}
