//! Every view at the widths of a phone, a tablet, a laptop and a large screen: nothing scrolls sideways, on a phone the
//! answer begins below the bar and buttons are large enough for a finger. Pictures are left for the eye.

use super::every_view::{SIZES, visit};
use crate::browser::Outcome;
use crate::scenario::scenario;

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
