//! Runs on a fake W&B server, the one that the real client was held against (`tests/wandb/peer.rs`), and the dialog that
//! gets them.

use std::path::PathBuf;

use rundown_diagnose::{Rulebook, diagnose};

use crate::browser::Outcome;
use crate::fake_wandb::{FakeWandb, Switches};
use crate::page::Page;
use crate::support::{corpus, ingest_folder};

/// Looks like a key of W&B, and is nowhere else.
pub const KEY: &str = "5ca1ab1e0ddba11facade0ff5e7c0de5eedf00d1";
/// A healthy run, a hacked one, one that crashed.
pub const RUNS: [&str; 3] = ["sweep-05", "amber-07", "amber-10"];

pub fn folders() -> Option<Vec<PathBuf>> {
    let all = corpus("tiny-grpo")?;
    Some(RUNS.iter().map(|run| all.join(run)).collect())
}

/// Name and verdict of each run, as its files give them.
pub fn from_files(folders: &[PathBuf]) -> Vec<(String, String)> {
    let runs = folders.iter().flat_map(|folder| ingest_folder(folder).runs);
    let mut verdicts: Vec<(String, String)> =
        runs.map(|run| (run.name.clone(), diagnose(&run, &Rulebook::default()).verdict.as_str().to_owned())).collect();
    verdicts.sort();
    verdicts
}

pub async fn fill(page: &Page, server: &str, key: &str) -> Outcome {
    open_form(page, "Weights & Biases", ("Project or run", "corpus/tiny-grpo"), server).await?;
    page.type_into("input[data-field='API key']", key).await?;
    page.wait_for("#list-runs").await?.click().await.map_err(Into::into)
}

/// The bucket of a fake server: the same machine under another name, which to a browser is another host.
pub fn bucket_of(server: &str) -> String {
    server.replace("127.0.0.1", "localhost")
}

/// Opens the form and names a server with its bucket.
pub async fn open_form(page: &Page, service: &str, project: (&str, &str), server: &str) -> Outcome {
    open_form_for(page, service, project, server, &bucket_of(server)).await
}

/// Opens the form and names a server and a bucket, for which the page reloads unless it was before.
pub async fn open_form_for(
    page: &Page,
    service: &str,
    (field, text): (&str, &str),
    server: &str,
    bucket: &str,
) -> Outcome {
    page.wait_for("#connect").await?.click().await?;
    let is_named = !page.wait_for("#named").await?.text().await?.contains("cannot contact any server yet");
    page.click_words("dialog .scope label", service).await?;
    page.type_into(&format!("input[data-field='{field}']"), text).await?;
    page.click_words("dialog summary", "Another server").await?;
    page.type_into("input[data-field='Server']", server).await?;
    if service != "Axiom" {
        page.type_into("input[data-field='File hosts']", bucket).await?;
    }
    if !is_named {
        page.wait_for("#list-runs").await?.click().await?;
        page.wait_for_text("#named", server).await?;
    }
    Ok(())
}

pub async fn load(page: &Page, runs: usize) -> Outcome {
    page.wait_for_text("#load-runs", &format!("Load {runs} run")).await?.click().await?;
    page.wait_for_runs(runs).await
}

/// Loads all runs from the server and expects the verdicts of the files.
pub async fn load_all(page: &Page, server: &FakeWandb, folders: &[PathBuf]) -> Outcome {
    fill(page, server.base_url(), KEY).await?;
    load(page, RUNS.len()).await?;
    let mut verdicts = page.verdicts().await?;
    verdicts.sort();
    assert_eq!(verdicts, from_files(folders));
    Ok(())
}

pub fn private() -> Switches {
    Switches { key: Some(KEY.to_owned()), private: true, ..Switches::default() }
}
