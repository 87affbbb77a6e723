//! The page and the native library write the same reports, byte for byte.

use std::collections::BTreeSet;

use rundown::diagnose::{Diagnosis, Rulebook, diagnose};
use rundown::report::{Format, people_of, write};
use rundown::run::Run;

use crate::browser::Outcome;
use crate::folder::{FOLDER, RUNS};
use crate::scenario::scenario;
use crate::support::{corpus, ingest_folder};

#[tokio::test]
async fn the_page_writes_the_reports_of_the_library() -> Outcome {
    let Some(folder) = corpus(FOLDER) else { return Ok(()) };
    let runs = ingest_folder(&folder).runs;
    assert_eq!(runs.len(), RUNS);
    let diagnoses: Vec<Diagnosis> = runs.iter().map(|run| diagnose(run, &Rulebook::default())).collect();
    let judged: Vec<(&Run, &Diagnosis)> = runs.iter().zip(&diagnoses).collect();
    // The page names a report after the project, if there is one.
    let projects: BTreeSet<Option<&str>> = runs.iter().map(|run| run.project.as_deref()).collect();
    let project = projects.first().copied().flatten().filter(|_| projects.len() == 1).unwrap_or("runs");

    scenario("same-report", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_folder(&folder).await?;
        page.wait_for_runs(RUNS).await?;
        page.view("report").await?;
        page.wait_for("article.report").await?;
        page.click_words(".scope label", &format!("All {RUNS} runs")).await?;
        // The report on all has a line for every run.
        let last = runs.iter().map(|run| run.name.as_str()).max().unwrap_or_default();
        page.wait_for_text("article.report table", last).await?;
        page.settle().await?;
        page.screenshots("report-project").await?;
        page.click_words("button", "Download .json").await?;
        let json = page.downloaded(&format!("rundown-{project}.json")).await?;
        page.click_words("button", "Download .md").await?;
        let markdown = page.downloaded(&format!("rundown-{project}.md")).await?;
        page.click_words("button", "Download .html").await?;
        let html = page.downloaded(&format!("rundown-{project}.html")).await?;
        // What is downloaded hides the names of people and machines, unless the reader wants them.
        let people = people_of(runs.iter());
        let shared = |format| people.hide(&write(&judged, format)).into_owned();
        check_same("JSON", &shared(Format::Json), &String::from_utf8(json)?)?;
        check_same("HTML", &shared(Format::Html), &String::from_utf8(html)?)?;
        check_same("Markdown", &shared(Format::Markdown), &String::from_utf8(markdown)?)
    })
    .await
}

/// Names the first line that differs: the whole would fill screens.
fn check_same(what: &str, library: &str, page: &str) -> Outcome {
    if library == page {
        return Ok(());
    }
    let differ = library.lines().zip(page.lines()).enumerate().find(|(_, (library, page))| library != page);
    let where_it_is = match differ {
        Some((line, (library, page))) => format!("line {}:\n  library: {library}\n  page:    {page}", line + 1),
        None => format!("one ends early: the library wrote {} bytes, the page {}", library.len(), page.len()),
    };
    Err(format!("the {what} reports differ, {where_it_is}").into())
}
