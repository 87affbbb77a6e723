//! The page and the native library write the same reports and exports, byte for byte, in whatever order files are dropped.

use std::path::{Path, PathBuf};

use rundown_engine::session::Session;
use rundown_ingest::RunAssembler;
use rundown_protocol::{Reply, ReportFormat, Request};

use crate::browser::Outcome;
use crate::scenario::scenario;
use crate::support::{corpus, files_below, read};

/// Formats with the button that downloads each, and the ending of its file.
const FORMATS: [(ReportFormat, &str, &str); 4] = [
    (ReportFormat::Json, "Download .json", "json"),
    (ReportFormat::Markdown, "Download .md", "md"),
    (ReportFormat::Html, "Download .html", "html"),
    (ReportFormat::Runs, "Export runs", "rundown.jsonl"),
];

#[tokio::test]
async fn the_page_writes_what_the_library_writes_of_trl_runs() -> Outcome {
    let Some(folder) = corpus("tiny-grpo") else { return Ok(()) };
    check_orders("same-report", &folder).await
}

#[tokio::test]
async fn the_page_writes_what_the_library_writes_of_other_systems() -> Outcome {
    let Some(folder) = corpus("systems") else { return Ok(()) };
    check_orders("same-report-systems", &folder).await
}

#[tokio::test]
async fn the_page_writes_what_the_library_writes_of_wandb_files() -> Outcome {
    let Some(folder) = corpus("wandb-files") else { return Ok(()) };
    check_orders("same-report-wandb", &folder).await
}

/// Drops what lies in a folder, entry by entry in three orders, and compares what is downloaded.
async fn check_orders(name: &str, folder: &Path) -> Outcome {
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        entries.push(entry?.path());
    }
    entries.sort();
    let mut session = of_library(folder, &entries)?;
    let list = session.run_list();
    let expected = written_by_library(&mut session)?;
    let reversed: Vec<PathBuf> = entries.iter().rev().cloned().collect();
    let mut turned = entries.clone();
    turned.rotate_left(entries.len() / 2);
    scenario(name, async |page| {
        for (order, entries) in [entries, reversed, turned].iter().enumerate() {
            page.drop_on(".drop-zone", entries).await?;
            page.wait_for_runs(list.runs.len()).await?;
            page.wait_until("all is read", "!document.querySelector('.progress')", "").await?;
            page.wait_for_runs(list.runs.len()).await?;
            page.view("report").await?;
            page.wait_for("article.report").await?;
            page.click_words(".scope label", &format!("All {} runs", list.runs.len())).await?;
            page.settle().await?;
            if order == 0 {
                page.screenshots("report-project").await?;
            }
            for (hides_names, of_library) in [true, false].into_iter().zip(&expected) {
                // Markdown and HTML are words for what JSON holds: they cannot depend on the order of the files.
                let is_data = |format: &ReportFormat| matches!(format, ReportFormat::Json | ReportFormat::Runs);
                let expected =
                    FORMATS.into_iter().zip(of_library).filter(|((format, ..), _)| order == 0 || is_data(format));
                for ((format, button, ending), expected) in expected {
                    page.click_words("button", button).await?;
                    let name = if list.project.is_empty() { "runs" } else { &list.project };
                    let text = page.take_download(&format!("rundown-{name}.{ending}")).await?;
                    check_same(&format!("{format:?} in order {order}, names hidden: {hides_names}"), expected, &text)?;
                }
                page.wait_for("#hide-names").await?.click().await?;
            }
            page.click_words("button", "Close all runs").await?;
            page.wait_for("#open-sample").await?;
        }
        Ok(())
    })
    .await
}

/// What the library makes of the same files.
fn of_library(folder: &Path, entries: &[PathBuf]) -> Outcome<Session> {
    let mut assembler = RunAssembler::default();
    for file in entries.iter().flat_map(|entry| files_below(entry)) {
        let path = file.strip_prefix(folder)?.display().to_string();
        assembler.add(read(&path, &std::fs::read(&file)?, 1 << 20));
    }
    let mut session = Session::default();
    session.add(assembler, 0, 0);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    Ok(session)
}

/// What it writes in each format, with names hidden and shown.
fn written_by_library(session: &mut Session) -> Outcome<[Vec<String>; 2]> {
    let mut written = [Vec::new(), Vec::new()];
    for (hides_names, texts) in [true, false].into_iter().zip(&mut written) {
        for (format, _, _) in FORMATS {
            match session.answer(&Request::Report { runs: Vec::new(), format, hides_names }).reply {
                Ok(Reply::Report(text)) => texts.push(text),
                _ => return Err(format!("the library writes no {format:?}").into()),
            }
        }
    }
    Ok(written)
}

/// Names the first line that differs: the whole would fill screens.
fn check_same(what: &str, library: &str, page: &str) -> Outcome {
    if library == page {
        return Ok(());
    }
    let differ = library.lines().zip(page.lines()).enumerate().find(|(_, (library, page))| library != page);
    let where_it_is = match differ {
        Some((line, (library, page))) => {
            let at = library.bytes().zip(page.bytes()).position(|(one, other)| one != other).unwrap_or_default();
            let near = |text: &str| text.chars().skip(at.saturating_sub(80)).take(200).collect::<String>();
            format!("line {}:\n  library: …{}\n  page:    …{}", line + 1, near(library), near(page))
        }
        None => format!("one ends early: the library wrote {} bytes, the page {}", library.len(), page.len()),
    };
    Err(format!("{what}: the files differ, {where_it_is}").into())
}
