//! Heat maps over the steps in the Metrics view: logged histograms, and the criteria of a rubric.

use std::fmt::Write as _;

use crate::browser::Outcome;
use crate::made::folder_of;
use crate::scenario::scenario;

/// A run whose scores move from the lowest to the highest of eight bins.
fn run() -> String {
    let mut text = String::new();
    for step in 0..80usize {
        let count = |bin: usize| 40 / (1 + (bin * 10).abs_diff(step));
        let counts: Vec<String> = (0..8).map(|bin| count(bin).to_string()).collect();
        let _ = writeln!(
            text,
            r#"{{"step": {step}, "reward": {}, "rewards/a_hist": {{"_type": "histogram", "values": [{}], "bins": [0,1,2,3,4,5,6,7,8]}}}}"#,
            step as f64 / 80.0,
            counts.join(",")
        );
    }
    text
}

#[tokio::test]
async fn histograms_are_drawn_as_a_heat_map_over_the_steps() -> Outcome {
    let file = run();
    let files = folder_of("histograms", &[("scores.jsonl", file.as_bytes())])?;
    scenario("histograms", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(1).await?;
        page.view("metrics").await?;
        page.wait_for("[data-key='rewards/a_hist'] canvas").await?;
        let colours = "(() => { const canvas = document.querySelector(\"[data-key='rewards/a_hist'] canvas\"); \
                       if (!canvas.width) return 0; \
                       const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; \
                       const seen = new Set(); for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) \
                       seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]); return seen.size; })() >= 5";
        page.wait_until("the shares have colours", colours, "").await?;
        page.settle().await?;
        page.screenshots("histograms").await
    })
    .await
}

#[tokio::test]
async fn a_heat_map_names_the_open_run_and_comes_back_enlarged_with_a_link() -> Outcome {
    const CHART: &str = "[data-key='rewards/a_hist']";
    let long = run();
    let short: String = long.split_inclusive('\n').take(60).collect();
    let files =
        folder_of("histograms-of-two", &[("first.jsonl", long.as_bytes()), ("second.jsonl", short.as_bytes())])?;
    scenario("histograms-of-two", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(2).await?;
        page.view("metrics").await?;
        for name in ["first", "second", "first"] {
            page.open_run(name).await?;
            page.wait_for_text(&format!("{CHART} .chart-unit"), name).await?;
        }
        page.wait_for(&format!("{CHART} .chart-enlarge")).await?.click().await?;
        page.wait_for(".metrics-enlarged .chart-scale").await?;
        page.reload().await?;
        page.choose_files(&files).await?;
        page.wait_for(".metrics-enlarged .chart-scale").await?;
        Ok(())
    })
    .await
}

/// Three criteria of a rubric that are learned one after the other.
fn rubric() -> String {
    let mut text = String::new();
    for step in 0..60 {
        let score = |from: i32| f64::from((step - from).clamp(0, 20)) / 20.0;
        let (a, b, c) = (score(0), score(20), score(40));
        let _ = writeln!(
            text,
            r#"{{"step": {step}, "reward": {}, "rubric/clear": {a}, "rubric/correct": {b}, "rubric/short": {c}}}"#,
            (a + b + c) / 3.0
        );
    }
    text
}

#[tokio::test]
async fn the_criteria_of_a_rubric_are_rows_of_a_heat_map() -> Outcome {
    let file = rubric();
    let files = folder_of("rubric", &[("scores.jsonl", file.as_bytes())])?;
    scenario("rubric", async |page| {
        page.wait_for("#open-sample").await?;
        page.choose_files(&files).await?;
        page.wait_for_runs(1).await?;
        page.view("metrics").await?;
        page.wait_for("[data-key='rubric'] canvas").await?;
        page.drawn_picture_of("[data-key='rubric']").await?;
        page.wait_for_text("[data-key='rubric'] .chart-scale", "value").await?;
        let said = "document.querySelector(\"[data-key='rubric'] .chart-frame\").ariaLabel.includes('3 rows')";
        page.wait_until("it is said in words", said, "").await?;
        page.screenshots("rubric").await?;
        page.click_words(".metrics-heat", "Heat map").await?;
        page.wait_until("only lines are left", "!document.querySelector(\"[data-key='rubric']\")", "").await
    })
    .await
}
