//! axe-core over every view and everything that opens, in both themes and at four widths: it must find nothing.

use std::path::PathBuf;

use serde_json::Value;

use super::every_view::{SIZES, go, visit};
use super::openings::{OPENINGS, Opening};
use crate::browser::{Outcome, Theme};
use crate::page::Page;
use crate::sample::open_sample;
use crate::scenario::scenario;
use crate::support::corpus;

/// Rules of WCAG 2.0 to 2.2, levels A and AA, and axe's own best practices. Sizes of targets are not among those that
/// axe checks by itself.
const ALL_RULES: &str = "rules: { 'target-size': { enabled: true } }";
/// The rules that ask for colours: the others find in one theme what they find in another.
const RULES_OF_COLOURS: &str = "runOnly: ['color-contrast', 'link-in-text-block']";
/// What the page has scrolled below its bar is no target there.
const RUN_AXE: &str = "
    const done = arguments[arguments.length - 1];
    const bar = document.querySelector('header');
    const isBelowBar = ({ target }) => {
        const element = document.querySelector(target.at(-1));
        return bar && element && !bar.contains(element)
            && element.getBoundingClientRect().top < bar.getBoundingClientRect().bottom;
    };
    const seen = (found) => found.map((rule) =>
        rule.id === 'target-size' ? { ...rule, nodes: rule.nodes.filter((node) => !isBelowBar(node)) } : rule)
        .filter(({ nodes }) => nodes.length > 0);
    requestAnimationFrame(() => requestAnimationFrame(() => axe.run(document, { resultTypes: ['violations'], RULES }).then(
        ({ violations }) => done(seen(violations).map(({ id, impact, nodes }) =>
            `${id} (${impact}): ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160) + ' ' +
                [...node.any, ...node.all].map(({ message }) => message).join(' ')).join(' | ')} (${nodes.length})`)),
        (error) => done([String(error)]),
    )));";

/// Findings of one scenario.
struct Scan {
    axe: String,
    found: Vec<String>,
}

impl Scan {
    /// Without the script there is nothing to scan with.
    fn new() -> Outcome<Option<Self>> {
        let Some(path) = axe() else { return Ok(None) };
        Ok(Some(Self { axe: std::fs::read_to_string(path)?, found: Vec::new() }))
    }

    /// Scans what is shown, in both themes; the light one stays.
    async fn both_themes(&mut self, page: &Page, what: &str) -> Outcome {
        for (theme, name, rules) in [(Theme::Dark, "dark", RULES_OF_COLOURS), (Theme::Light, "light", ALL_RULES)] {
            page.browser().set_theme(theme).await?;
            let found = scan(page, &self.axe, rules).await?;
            self.found.extend(found.into_iter().map(|found| format!("{what}, {name}: {found}")));
        }
        Ok(())
    }

    /// Scans what is shown at every width; that of a laptop stays.
    async fn all_widths(&mut self, page: &Page, what: &str) -> Outcome {
        for (width, height) in SIZES {
            page.browser().set_viewport(width, height).await?;
            page.settle().await?;
            self.both_themes(page, &format!("{what}, {width}")).await?;
        }
        page.browser().set_viewport(1440, 1000).await
    }

    fn outcome(self) -> Outcome {
        let found = self.found;
        if found.is_empty() { Ok(()) } else { Err(format!("{} findings:\n{}", found.len(), found.join("\n")).into()) }
    }
}

#[tokio::test]
async fn axe_finds_nothing() -> Outcome {
    let Some(mut axe) = Scan::new()? else { return Ok(()) };
    scenario("axe", async |page| {
        visit(page, async |page, view| axe.all_widths(page, view).await).await?;
        axe.outcome()
    })
    .await
}

#[tokio::test]
async fn axe_finds_nothing_in_what_opens() -> Outcome {
    let Some(mut axe) = Scan::new()? else { return Ok(()) };
    scenario("axe-openings", async |page| {
        open_sample_anywhere(page).await?;
        // What opens looks on a tablet and on a large screen as it does on a laptop.
        for (width, height) in SIZES.into_iter().filter(|(width, _)| [390, 1440].contains(width)) {
            page.browser().set_viewport(width, height).await?;
            for opening in OPENINGS.iter().filter(|opening| opening.widths.contains(&width)) {
                if let Err(error) = look_at(page, opening, width, &mut axe).await {
                    axe.found.push(format!("{}, {width}: {error}", opening.name));
                    page.script::<()>("history.replaceState(null, '', '#')").await?;
                    page.reload().await?;
                    open_sample_anywhere(page).await?;
                }
            }
        }
        axe.outcome()
    })
    .await
}

#[tokio::test]
async fn axe_finds_nothing_in_views_of_other_projects() -> Outcome {
    let Some(folder) = corpus("systems") else { return Ok(()) };
    let Some(mut axe) = Scan::new()? else { return Ok(()) };
    scenario("axe-systems", async |page| {
        page.choose_folder(&folder).await?;
        page.wait_for("#runs [data-verdict]").await?;
        for view in ["league", "scaling", "pipeline", "rewards"] {
            go(page, view).await?;
            axe.all_widths(page, view).await?;
        }
        axe.outcome()
    })
    .await
}

/// Opens it, scans it in both themes, leaves pictures of it, and closes it.
async fn look_at(page: &Page, opening: &Opening, width: u32, axe: &mut Scan) -> Outcome {
    let name = opening.name;
    opening.open(page).await?;
    axe.both_themes(page, &format!("{name}, {width}")).await?;
    page.screenshots(&format!("opening-{name}-{width}")).await?;
    page.check_width().await?;
    opening.close(page).await
}

async fn open_sample_anywhere(page: &Page) -> Outcome {
    open_sample(page).await?;
    page.wait_for_runs(6).await
}

async fn scan(page: &Page, axe: &str, rules: &str) -> Outcome<Vec<String>> {
    let driver = page.browser().driver();
    if !driver.execute("return Boolean(window.axe)", []).await?.convert::<bool>()? {
        driver.execute(axe, []).await?;
    }
    let found: Vec<Value> = driver.execute_async(RUN_AXE.replace("RULES", rules), []).await?.convert()?;
    Ok(found.iter().map(|found| found.as_str().unwrap_or_default().to_owned()).collect())
}

/// The script, which `make test` installs; `None` where somebody runs these tests without it.
fn axe() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("RUNDOWN_TOOLS")?).join("node_modules/axe-core/axe.min.js");
    assert!(path.exists(), "{} is missing: `make test` installs it", path.display());
    Some(path)
}
