//! A folder of real runs, chosen and dropped: every run is found and judged as its label allows.

use std::path::Path;

use crate::browser::Outcome;
use crate::labels::{self, Label};
use crate::page::Page;
use crate::scenario::scenario;
use crate::support::corpus;

/// Labelled TRL runs of the corpus, each a W&B folder with checkpoints and TensorBoard files beside it.
pub const FOLDER: &str = "tiny-grpo";
/// Runs in it.
pub const RUNS: usize = 27;

#[tokio::test]
async fn a_chosen_folder_is_diagnosed() -> Outcome {
    let Some(folder) = corpus(FOLDER) else { return Ok(()) };
    scenario("folder-chosen", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_folder(&folder).await?;
        check_verdicts(page, &folder).await?;
        page.wait_for(".run-view").await?;
        page.settle().await?;
        page.screenshots("project").await
    })
    .await
}

#[tokio::test]
async fn a_dropped_folder_is_diagnosed() -> Outcome {
    let Some(folder) = corpus(FOLDER) else { return Ok(()) };
    scenario("folder-dropped", async |page| {
        page.drop_on(".drop-zone", std::slice::from_ref(&folder)).await?;
        check_verdicts(page, &folder).await
    })
    .await
}

async fn check_verdicts(page: &Page, folder: &Path) -> Outcome {
    page.wait_for_runs(RUNS).await?;
    let labels = labels::labels(folder);
    let mut wrong = Vec::new();
    for (name, verdict) in page.verdicts().await? {
        match labels.get(&name) {
            Some(label) if allows(label, &verdict) => {}
            Some(label) => wrong.push(format!("{name} is {verdict}, expected {:?}", label.verdicts)),
            None => wrong.push(format!("{name} has no label")),
        }
    }
    assert_eq!(labels.len(), RUNS);
    assert!(wrong.is_empty(), "{wrong:#?}");
    Ok(())
}

/// As the tests of the labels have it: a run whose only fault is one that no check looks for yet may come out good.
fn allows(label: &Label, verdict: &str) -> bool {
    let asked: Vec<&String> = label.must.iter().chain(label.must_any.iter().flatten()).collect();
    let known = asked.is_empty() || asked.iter().any(|code| labels::exists(code) || *code == "no_learning");
    label.verdicts.iter().any(|allowed| allowed == verdict) || (!known && verdict == "good")
}
