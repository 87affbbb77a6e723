//! axe-core over every view and dialog, in both themes and at four widths: it must find nothing.

use std::path::PathBuf;

use serde_json::Value;

use super::every_view::{SIZES, visit};
use crate::browser::{Outcome, Theme};
use crate::page::Page;
use crate::scenario::scenario;

/// Rules of WCAG 2.0 to 2.2, levels A and AA, and axe's own best practices.
const RUN_AXE: &str = "
    const done = arguments[arguments.length - 1];
    axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done(violations.map(({ id, impact, nodes }) =>
            `${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' +
                (node.any[0]?.message ?? node.all[0]?.message ?? '')).join(' | ')} (${nodes.length})`)),
        (error) => done([String(error)]),
    );";

#[tokio::test]
async fn axe_finds_nothing() -> Outcome {
    let Some(axe) = axe() else { return Ok(()) };
    let axe = std::fs::read_to_string(axe)?;
    scenario("axe", async |page| {
        let mut found = Vec::new();
        visit(page, async |page, view| {
            for (width, height) in SIZES {
                page.browser().set_viewport(width, height).await?;
                for (theme, name) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
                    page.browser().set_theme(theme).await?;
                    page.settle().await?;
                    found.extend(
                        scan(page, &axe).await?.into_iter().map(|what| format!("{view}, {width}, {name}: {what}")),
                    );
                }
            }
            page.browser().set_viewport(1440, 1000).await
        })
        .await?;
        if found.is_empty() { Ok(()) } else { Err(format!("{} findings:\n{}", found.len(), found.join("\n")).into()) }
    })
    .await
}

async fn scan(page: &Page, axe: &str) -> Outcome<Vec<String>> {
    let driver = page.browser().driver();
    if !driver.execute("return Boolean(window.axe)", []).await?.convert::<bool>()? {
        driver.execute(axe, []).await?;
    }
    let found: Vec<Value> = driver.execute_async(RUN_AXE, []).await?.convert()?;
    Ok(found.iter().map(|found| found.as_str().unwrap_or_default().to_owned()).collect())
}

/// The script, which `make test` installs; `None` where somebody runs these tests without it.
fn axe() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("RUNDOWN_TOOLS")?).join("node_modules/axe-core/axe.min.js");
    assert!(path.exists(), "{} is missing: `make test` installs it", path.display());
    Some(path)
}
