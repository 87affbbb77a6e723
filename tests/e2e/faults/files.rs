//! Files that change or go while they wait to be read, and a clock that jumps while a folder is followed.

use std::path::PathBuf;

use super::restart::large_file;
use crate::browser::Outcome;
use crate::device::{CHOOSE_FOLDER, watch, write};
use crate::made::{TABLE, folder_of};
use crate::scenario::{scenario, scenario_after};

/// Files of which one takes seconds to read, and three small ones in a folder of their own, which is read after it.
fn waiting(name: &str) -> Outcome<Vec<PathBuf>> {
    let large = large_file(120 << 20);
    let files = [("run-large.wandb", large.as_slice()), ("ant.csv", TABLE), ("bee.csv", TABLE), ("cat.csv", TABLE)];
    folder_of(name, &files)
}

#[tokio::test]
async fn a_file_that_goes_or_changes_before_it_is_read_costs_itself() -> Outcome {
    let files = waiting("changing")?;
    scenario("changing", async |page| {
        let (gone, changed) = (&files[1], &files[2]);
        page.choose_files(&files[..1]).await?;
        page.wait_for_text(".progress", "run-large.wandb").await?;
        page.choose_files(&files[1..]).await?;
        std::fs::remove_file(gone)?;
        std::fs::write(changed, b"step,loss\n9,9\n")?;
        page.wait_until("all is read", "!document.querySelector('.progress')", "").await?;
        page.wait_for_runs(2).await?;
        page.wait_for("#problems").await?.click().await?;
        page.wait_for_text("dialog[open] .problems", "bee.csv").await?;
        page.screenshot("changed-files").await?;
        let told: Vec<String> = page
            .script("return [...document.querySelectorAll('dialog[open] .problems li')].map(line => line.textContent)")
            .await?;
        for name in ["ant.csv", "bee.csv"] {
            let of_file: Vec<_> = told.iter().filter(|line| line.contains(name)).collect();
            assert!(
                matches!(of_file[..], [line] if line.contains("it was changed, moved or locked")),
                "{name}, of {told:?}"
            );
        }
        assert_eq!(told.len(), 2, "{told:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_file_that_is_cut_while_it_is_read_keeps_what_came() -> Outcome {
    let files = waiting("cut")?;
    scenario("cut-while-read", async |page| {
        page.choose_files(&files[..1]).await?;
        page.wait_for_text(".progress", "run-large.wandb").await?;
        std::fs::write(&files[0], b"")?;
        page.wait_until("all is read", "!document.querySelector('.progress')", "").await?;
        page.wait_for_runs(1).await?;
        page.wait_for("#problems").await?.click().await?;
        page.wait_for_text("dialog[open] .problems", "it was changed, moved or locked").await?;
        Ok(())
    })
    .await
}

/// Notes which files of a dropped folder the page opens, and lets the browser refuse one. Chromium has no name for the class of
/// entries: it is that of the first entry, which is asked for before the page asks.
const OPENED: &str = "window.opened = [];
    addEventListener('drop', (event) => {
        event.dataTransfer.items[0].webkitGetAsEntry().createReader().readEntries(([entry]) => {
            const kind = Object.getPrototypeOf(entry);
            const open = kind.file;
            kind.file = function (found, failed) {
                window.opened.push(this.name);
                if (this.name === 'ant.csv') failed(new DOMException('', 'NotFoundError'));
                else open.call(this, found, failed);
            };
        });
    }, true);";

#[tokio::test]
async fn of_a_dropped_folder_only_what_is_needed_is_opened() -> Outcome {
    let picture: &[u8] = b"\x89PNG\r\n\x1a\n";
    let files = [("ant.csv", TABLE), ("bee.csv", TABLE), ("plot.png", picture)];
    let folder = folder_of("opened", &files)?[0].parent().ok_or("no folder")?.to_owned();
    scenario_after("opened-files", OPENED, async |page| {
        page.drop_on(".drop-zone", std::slice::from_ref(&folder)).await?;
        page.wait_for_runs(1).await?;
        page.wait_for_text(".list-foot", "1 file read, 2 not used").await?;
        let mut opened: Vec<String> = page.script("return window.opened").await?;
        opened.sort();
        assert_eq!(opened, ["ant.csv", "bee.csv"]);
        page.wait_for("#problems").await?.click().await?;
        page.wait_for_text("dialog[open] .problems", "ant.csv").await?;
        page.wait_for_text("dialog[open] .problems", "could not read").await?;
        Ok(())
    })
    .await
}

/// A clock that can be set, files included.
const CLOCK: &str = "{ const real = Date.now; window.jump = 0; Date.now = () => real() + window.jump; }
    { const real = Object.getOwnPropertyDescriptor(File.prototype, 'lastModified').get;
      Object.defineProperty(File.prototype, 'lastModified', { get() { return real.call(this) + window.jump; } }); }";

#[tokio::test]
async fn a_folder_is_followed_though_the_clock_jumps() -> Outcome {
    scenario_after("clock", &format!("{CHOOSE_FOLDER}{CLOCK}"), async |page| {
        write(page, "first.csv", "step,loss\\n1,3\\n2,2\\n").await?;
        watch(page).await?;
        page.wait_for_runs(1).await?;
        for (jump, file) in [(86_400_000, "second"), (-3 * 86_400_000_i64, "third"), (0, "fourth")] {
            page.script::<()>(&format!("window.jump = {jump}")).await?;
            write(page, &format!("{file}.csv"), "step,loss\\n1,3\\n2,2\\n3,1\\n").await?;
            page.wait_until(
                "the file is read",
                "document.querySelector('#runs').textContent.includes(arguments[0])",
                file,
            )
            .await?;
        }
        page.wait_for_runs(4).await?;
        write(page, "first.csv", "step,loss\\n1,3\\n2,2\\n3,1\\n4,1\\n5,1\\n").await?;
        page.open_run("first").await?;
        page.view("run").await?;
        page.wait_for_text(".facts", "5").await?;
        page.wait_for(".watching").await?.click().await?;
        Ok(())
    })
    .await
}
