//! Tables and charts that are saved are without names of people and machines, unless the user wants them.

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::scenario::scenario;

const ROWS: &[u8] = b"{\"step\": 1, \"reward\": 0.25, \"loss\": 3}\n{\"step\": 2, \"reward\": 0.5, \"loss\": 2}\n";

#[tokio::test]
async fn saved_tables_and_charts_hide_names() -> Outcome {
    let rows = [b"{\"config\": {\"username\": \"alice.smith\"}}\n".as_slice(), ROWS].concat();
    let files = folder_of("sharing", &[("alice.smith-1.jsonl", &rows), ("alice.smith-2.jsonl", &rows)])?;
    scenario("sharing", async |page| {
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        for hides_names in [true, false] {
            let names = if hides_names { ["(user)-1", "(user)-2"] } else { ["alice.smith-1", "alice.smith-2"] };
            page.view("compare").await?;
            page.click_words("button", "Save as CSV").await?;
            check(&page.take_download("runs.csv").await?, &names, hides_names);
            page.view("metrics").await?;
            for format in ["CSV", "SVG"] {
                page.wait_for("figure[data-key='reward'] .chart-menu .popup-button").await?.click().await?;
                page.click_words("[role=menuitem]", format).await?;
                check(&page.take_download(&format!("reward.{}", format.to_lowercase())).await?, &names, hides_names);
            }
            page.view("report").await?;
            page.wait_for("#hide-names").await?.click().await?;
        }
        Ok(())
    })
    .await
}

fn check(text: &str, names: &[&str], hides_names: bool) {
    assert!(names.iter().all(|name| text.contains(name)), "{text:.400}");
    assert_eq!(!text.contains("alice"), hides_names, "{text:.400}");
}
