//! A run whose keys name no reward: the page asks which metric it is, and the answer counts for all runs with that key.

use std::fmt::Write as _;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::scenario::scenario;

/// A run that its own words do not give away; its cost falls.
fn run(seed: usize) -> String {
    let mut text = String::new();
    for step in 0..120usize {
        let noise = ((step * 7919 + seed * 104_729) % 97) as f64 / 970.0;
        let charm = 8.0 - 0.05 * step as f64 + noise;
        let _ = writeln!(text, r#"{{"step": {step}, "loss": {noise}, "charm": {charm}, "glow": {noise}}}"#);
    }
    text
}

#[tokio::test]
async fn the_page_asks_which_metric_is_the_reward() -> Outcome {
    let (first, second) = (run(1), run(2));
    let files = folder_of("unnamed", &[("charming.jsonl", first.as_bytes()), ("other.jsonl", second.as_bytes())])?;
    scenario("unnamed", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        page.open_run("charming").await?;
        page.wait_for(".candidates [data-metric='charm'] canvas").await?;
        page.settle().await?;
        page.screenshots("unnamed-reward").await?;
        page.click_words("[data-metric='charm'] button", "lower is better").await?;
        page.wait_until("the question is answered", "!document.querySelector('.candidates')", "").await?;
        let verdicts = page.verdicts().await?;
        assert!(verdicts.iter().all(|(_, verdict)| verdict == "good"), "both runs: {verdicts:?}");
        page.view("settings").await?;
        let text = "document.querySelector('#settings').value.includes('\"charm\" = \"reward:down\"')";
        page.wait_until("the answer stands in the settings", text, "").await?;
        Ok(())
    })
    .await
}
