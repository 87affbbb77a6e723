//! Everything that opens over a view or in it: dialogs, menus, panels, folds, questions. Each is opened with the sample
//! project loaded, shown to whoever asks, and closed again.

use std::ops::RangeInclusive;

use thirtyfour::prelude::*;

use super::every_view::go;
use crate::browser::Outcome;
use crate::page::Page;

/// Something that opens.
pub struct Opening {
    /// What it is, for pictures and findings.
    pub name: &'static str,
    /// The view that it opens in.
    pub view: &'static str,
    /// Widths of the window in which there is such a thing.
    pub widths: RangeInclusive<u32>,
    /// What opens it.
    pub steps: &'static [Step],
}

/// A step on the way to it.
pub enum Step {
    /// Clicks the first visible element.
    Click(&'static str),
    /// Clicks the element with these words.
    Words(&'static str, &'static str),
    /// Runs a command of the palette.
    Command(&'static str),
    /// Types into a field.
    Type(&'static str, &'static str),
    /// Waits for an element.
    Seen(&'static str),
    /// Presses a key.
    Key(&'static str),
}

use Step::{Click, Command, Key as Press, Seen, Type, Words};

const ALL: RangeInclusive<u32> = 0..=u32::MAX;
const PHONE: RangeInclusive<u32> = 0..=480;
const WIDER: RangeInclusive<u32> = 481..=u32::MAX;

/// All of them.
pub const OPENINGS: [Opening; 34] = [
    Opening { name: "help", view: "run", widths: ALL, steps: &[Press("?"), Seen("dialog dl.keys")] },
    Opening { name: "palette", view: "run", widths: ALL, steps: &[Command(""), Seen("#palette-0")] },
    Opening { name: "privacy", view: "run", widths: ALL, steps: &[Command("how to check"), Seen("dialog[open] h2")] },
    Opening {
        name: "files",
        view: "run",
        widths: ALL,
        steps: &[Command("files and their"), Seen("dialog .files select")],
    },
    Opening { name: "problems", view: "run", widths: ALL, steps: &[Command("problems with"), Seen("#problem-count")] },
    Opening { name: "no-news", view: "run", widths: ALL, steps: &[Command("new findings"), Seen("dialog[open] h2")] },
    Opening {
        name: "connect-wandb",
        view: "run",
        widths: ALL,
        steps: &[
            Command("connect to"),
            Words("dialog .scope label", "Weights"),
            Click("dialog summary"),
            Seen("dialog [data-field=Server]"),
        ],
    },
    Opening {
        name: "connect-refused",
        view: "run",
        widths: ALL,
        steps: &[
            Command("connect to"),
            Words("dialog .scope label", "Weights"),
            Type("dialog [data-field='Project or run']", "a b c"),
            Click("#list-runs"),
            Seen("dialog .banner"),
        ],
    },
    Opening {
        name: "connect-axiom",
        view: "run",
        widths: ALL,
        steps: &[
            Command("connect to"),
            Words("dialog .scope label", "Axiom"),
            Click("dialog summary"),
            Seen("dialog [data-field=Dataset]"),
        ],
    },
    Opening {
        name: "add-menu",
        view: "run",
        widths: WIDER,
        steps: &[Click("#add-menu-button"), Seen(".menu .popup-panel button")],
    },
    Opening {
        name: "more-menu",
        view: "run",
        widths: PHONE,
        steps: &[Click("#more-menu-button"), Seen(".menu .popup-panel button")],
    },
    Opening { name: "list-sheet", view: "run", widths: PHONE, steps: &[Click("#open-run"), Seen("#runs .row")] },
    Opening {
        name: "sheet-row-menu",
        view: "run",
        widths: PHONE,
        steps: &[Click("#open-run"), Click("#runs .row .more"), Seen("#runs .popup-panel")],
    },
    Opening {
        name: "sheet-columns",
        view: "run",
        widths: PHONE,
        steps: &[Click("#open-run"), Words("#runs .list-head button", "Columns"), Seen("#runs .popup-panel select")],
    },
    Opening {
        name: "show-menu",
        view: "run",
        widths: WIDER,
        steps: &[Words("#runs .list-head button", "Show"), Seen("#runs .popup-panel")],
    },
    Opening {
        name: "columns-menu",
        view: "run",
        widths: WIDER,
        steps: &[Words("#runs .list-head button", "Columns"), Seen("#runs .popup-panel select")],
    },
    Opening {
        name: "row-menu",
        view: "run",
        widths: WIDER,
        steps: &[Click("#runs .row:nth-child(2) .more"), Seen("#runs .popup-panel")],
    },
    Opening {
        name: "query-fault",
        view: "run",
        widths: WIDER,
        steps: &[Type("#filter", "config.learning_rat > 0"), Seen("#runs .complaint")],
    },
    Opening { name: "no-match", view: "run", widths: WIDER, steps: &[Type("#filter", "zzzz"), Seen("#runs .nothing")] },
    Opening {
        name: "folds",
        view: "run",
        widths: ALL,
        steps: &[Click(".card summary"), Click(".card summary:not(details[open] > *)")],
    },
    Opening {
        name: "run-chart-menu",
        view: "run",
        widths: ALL,
        steps: &[Click(".chart-menu .popup-button"), Seen(".chart-menu .popup-panel")],
    },
    Opening {
        name: "chart-menu",
        view: "metrics",
        widths: ALL,
        steps: &[Click(".chart-menu .popup-button"), Seen(".chart-menu .popup-panel")],
    },
    Opening {
        name: "smoothing",
        view: "metrics",
        widths: WIDER,
        steps: &[Words(".tool-menu .popup-button", "Smoothing"), Seen(".tool-menu .popup-panel")],
    },
    Opening {
        name: "groups",
        view: "metrics",
        widths: WIDER,
        steps: &[Words(".tool-menu .popup-button", "Group"), Seen(".tool-menu .popup-panel")],
    },
    Opening {
        name: "charts",
        view: "metrics",
        widths: WIDER,
        steps: &[Words(".tool-menu .popup-button", "Charts"), Seen(".tool-menu .popup-panel")],
    },
    Opening {
        name: "other-axes",
        view: "metrics",
        widths: WIDER,
        steps: &[Click(".segments-more .popup-button"), Seen(".segments-more .popup-panel")],
    },
    Opening {
        name: "tools",
        view: "metrics",
        widths: PHONE,
        steps: &[Click(".metrics-tools-button"), Seen(".metrics-tools .segments")],
    },
    Opening {
        name: "tools-smoothing",
        view: "metrics",
        widths: PHONE,
        steps: &[
            Click(".metrics-tools-button"),
            Words(".tool-menu .popup-button", "Smoothing"),
            Seen(".tool-menu .popup-panel"),
        ],
    },
    Opening {
        name: "tools-axes",
        view: "metrics",
        widths: PHONE,
        steps: &[
            Click(".metrics-tools-button"),
            Click(".segments-more .popup-button"),
            Seen(".segments-more .popup-panel"),
        ],
    },
    Opening {
        name: "no-regex",
        view: "metrics",
        widths: ALL,
        steps: &[Type(".metrics-search input", "/(/"), Seen(".metrics-hint")],
    },
    Opening {
        name: "enlarged",
        view: "metrics",
        widths: ALL,
        steps: &[Click(".chart-enlarge"), Seen(".metrics-enlarged canvas")],
    },
    Opening {
        name: "table-columns",
        view: "compare",
        widths: ALL,
        steps: &[Click(".run-table .column-menu > .popup-button"), Seen(".run-table .column-menu li")],
    },
    Opening {
        name: "settings-fault",
        view: "settings",
        widths: ALL,
        steps: &[
            Type("#settings", "[rulebook]\nkl_warning = much"),
            Click("#apply-settings"),
            Seen(".topic-view .banner"),
        ],
    },
    Opening { name: "closed", view: "run", widths: ALL, steps: &[Command("close all runs"), Seen("#reopen")] },
];

impl Opening {
    /// Opens it.
    ///
    /// # Errors
    /// Where a step fails.
    pub async fn open(&self, page: &Page) -> Outcome {
        let is_there = format!("return location.hash.startsWith('#/{}')", self.view);
        if !page.script::<bool>(&is_there).await? {
            go(page, self.view).await?;
        }
        for step in self.steps {
            step.take(page).await.map_err(|error| format!("{}: {error}", self.name))?;
        }
        Ok(())
    }

    /// Closes it, as its user would; what was typed goes too.
    ///
    /// # Errors
    /// Where something stays open.
    pub async fn close(&self, page: &Page) -> Outcome {
        for step in self.steps {
            match step {
                Type(field, _) if !field.starts_with("dialog") => {
                    page.wait_for(field).await?.send_keys(Key::Control + "a" + Key::Backspace).await?;
                }
                Click("#apply-settings") => page.wait_for("#apply-settings").await?.click().await?,
                Command("close all runs") => page.wait_for("#reopen").await?.click().await?,
                _ => {}
            }
        }
        // A panel in a sheet, then the sheet.
        for _ in 0..2 {
            page.press(Key::Escape + "").await?;
        }
        for _ in self.steps.iter().filter(|step| matches!(step, Click(".metrics-tools-button"))) {
            click_visible(page, ".metrics-tools-button").await?;
        }
        page.wait_until(&format!("{} is closed", self.name), IS_CLOSED, "").await?;
        page.wait_for_runs(6).await
    }
}

/// No dialog, panel or menu is there.
pub const IS_CLOSED: &str = "!document.querySelector(
    'dialog, .popup-panel, .list-open, .metrics-enlarged')";

impl Step {
    async fn take(&self, page: &Page) -> Outcome {
        match self {
            Click(selector) => click_visible(page, selector).await,
            Words(selector, words) => page.click_words(selector, words).await,
            Command(words) => {
                page.press(Key::Control + "k").await?;
                page.type_into("#palette-search", words).await?;
                if words.is_empty() {
                    return Ok(());
                }
                let first = "document.querySelector('#palette-0')?.textContent.toLowerCase().startsWith(arguments[0])";
                page.wait_until(&format!("the palette finds {words}"), first, words).await?;
                page.press(Key::Enter + "").await
            }
            Type(selector, text) => page.type_into(selector, text).await,
            Seen(selector) => page.wait_for(selector).await.map(|_| ()),
            Press(key) => page.press(*key).await,
        }
    }
}

/// Clicks the first element of a kind that can be seen.
///
/// # Errors
/// Where there is none.
pub async fn click_visible(page: &Page, selector: &str) -> Outcome {
    let visible = "[...document.querySelectorAll(arguments[0])].find(element => element.checkVisibility())";
    page.wait_until(&format!("{selector} is in sight"), visible, selector).await?;
    let script = format!("const found = {visible}; found.scrollIntoView({{ block: 'center' }}); return found");
    let element = page.browser().driver().execute(script, vec![serde_json::json!(selector)]).await?.element()?;
    element.click().await?;
    Ok(())
}
