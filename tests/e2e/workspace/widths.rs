//! Every view at the widths of a phone, a tablet, a laptop and a large screen: nothing scrolls sideways, on a phone the
//! answer begins below the bar and buttons are large enough for a finger; zoomed to 400 % on a laptop, no text is cut.
//! Pictures are left for the eye.

use super::every_view::{SIZES, VIEWS, go, visit};
use crate::browser::Outcome;
use crate::sample::open_sample;
use crate::scenario::scenario;

/// Texts that stick out of the window where nothing can be scrolled to them.
const CUT_TEXTS: &str = "
    const scrolls = (element) => {
        for (let around = element; around; around = around.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(around).overflowX)) return true;
        }
        return false;
    };
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    const cut = [];
    while (texts.nextNode()) {
        const text = texts.currentNode;
        const element = text.parentElement;
        if (!text.data.trim() || !element.checkVisibility() || element.closest('.visually-hidden, option')) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const box = range.getBoundingClientRect();
        // What ends in an ellipsis has its whole text as its title.
        const is_short = element.closest('[title]') || getComputedStyle(element).textOverflow === 'ellipsis';
        if ((box.right > innerWidth + 1 || box.left < -1) && !scrolls(element) && !is_short) cut.push(text.data.slice(0, 60));
    }
    return cut.slice(0, 8)";

/// Parts of the list that reach into the view beside it, and sticky ones that lie there: each has a layer with a transparent
/// strip, in which Chromium shows what the tiles' memory held before.
const BEYOND_THE_LIST: &str = "
    const list = document.querySelector('#runs');
    if (!list) return [];
    const right = list.getBoundingClientRect().right + 1;
    const beyond = [...list.querySelectorAll('*')].filter(part => part.checkVisibility() && part.getBoundingClientRect().right > right);
    const sticky = [...list.parentElement.children].filter(part => part !== list && getComputedStyle(part).position === 'sticky');
    return [...beyond, ...sticky].map(part => part.className.toString())";

#[tokio::test]
async fn every_view_fits_every_width() -> Outcome {
    scenario("widths", async |page| {
        let mut wrong = Vec::new();
        visit(page, async |page, view| {
            for (width, height) in SIZES {
                page.browser().set_viewport(width, height).await?;
                page.settle().await?;
                page.screenshots(&format!("{view}-{width}")).await?;
                if let Err(error) = page.check_width().await {
                    wrong.push(format!("{view} at {width}: {error}"));
                }
                let beyond: Vec<String> = page.script(BEYOND_THE_LIST).await?;
                wrong.extend(
                    beyond.into_iter().map(|part| format!("{view} at {width}: {part} reaches out of the list")),
                );
                if width == 390 {
                    wrong.extend(page.phone_faults().await?.into_iter().map(|fault| format!("{view} at 390: {fault}")));
                }
            }
            page.browser().set_viewport(1440, 1000).await
        })
        .await?;
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    })
    .await
}

#[tokio::test]
async fn at_400_percent_nothing_is_cut() -> Outcome {
    scenario("zoomed", async |page| {
        open_sample(page).await?;
        page.wait_for_runs(6).await?;
        // 1280 x 1024 pixels at 400 %.
        page.browser().set_viewport(320, 256).await?;
        let mut wrong = Vec::new();
        for view in VIEWS {
            go(page, view).await?;
            page.screenshot(&format!("zoomed-{view}")).await?;
            if let Err(error) = page.check_width().await {
                wrong.push(format!("{view}: {error}"));
            }
            let cut: Vec<String> = page.script(CUT_TEXTS).await?;
            wrong.extend(cut.into_iter().map(|text| format!("{view}: “{text}” is cut")));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    })
    .await
}
