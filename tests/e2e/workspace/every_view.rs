//! A way through every view and dialog, for what must hold in all of them.

use crate::browser::Outcome;
use crate::page::Page;
use crate::sample::open_sample;
use thirtyfour::prelude::*;

/// Views that the sample project has.
pub const VIEWS: [&str; 6] = ["run", "metrics", "compare", "signals", "report", "settings"];
/// Dialogs by the keys that open them.
pub const DIALOGS: [(&str, &str); 1] = [("help", "?")];
/// Widths in CSS pixels with the heights of such screens: a phone, a tablet, a laptop, a large screen.
pub const SIZES: [(u32, u32); 4] = [(390, 844), (768, 1024), (1440, 1000), (3840, 2160)];

/// Opens the sample project with an ugly run, then goes from view to view; `at` hears the name of each.
///
/// # Errors
/// Where a view does not open, and where `at` fails.
pub async fn visit(page: &Page, mut at: impl AsyncFnMut(&Page, &str) -> Outcome) -> Outcome {
    page.wait_for("#open-sample").await?;
    at(page, "first").await?;
    open_sample(page).await?;
    for view in VIEWS {
        go(page, view).await?;
        at(page, view).await?;
    }
    for (dialog, key) in DIALOGS {
        page.browser().driver().find(By::Css("body")).await?.send_keys(key).await?;
        page.wait_for("dialog[open]").await?;
        at(page, dialog).await?;
        page.browser().driver().active_element().await?.send_keys(Key::Escape + "").await?;
        page.wait_until("the dialog is closed", "!document.querySelector('dialog[open]')", "").await?;
    }
    Ok(())
}

/// Shows a view by its address, as a link would.
///
/// # Errors
/// Where the view does not open.
pub async fn go(page: &Page, view: &str) -> Outcome {
    page.browser().driver().execute(format!("location.hash = '#/{view}/{RUN}'"), []).await?;
    page.wait_for_text("main h1, main .metrics-count", "").await?;
    page.settle().await
}

/// Id of amber-07, an ugly run of the sample project.
pub const RUN: &str = "xl33xoch";
