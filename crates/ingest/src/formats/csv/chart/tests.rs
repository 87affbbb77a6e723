//! Names of the columns of charts, and the runs and metrics in them.

use super::*;

fn runs_and_keys(columns: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
    let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let chart = ChartTable::new(&names, b',')?;
    let runs = chart.runs.iter().map(|run| run.run.name.clone()).collect();
    Some((runs, chart.lines.iter().map(|line| line.metric.clone()).collect()))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn run_and_metric_come_apart_where_all_columns_agree() {
    let columns = ["Step", "a - b - x - y", "a - b - x - y__MIN", "c - x - y", "c - x - y__MIN"];
    assert_eq!(runs_and_keys(&columns), Some((texts(&["a - b", "c"]), texts(&["x - y", "x - y"]))));
}

#[test]
fn one_run_with_several_metrics_is_one_run() {
    let columns = ["Step", "a - x", "a - x__MIN", "a - x__MAX", "a - y", "a - y__MIN", "a - _step", "a - _step__MIN"];
    assert_eq!(runs_and_keys(&columns), Some((texts(&["a"]), texts(&["x", "y", "_step"]))));
    let columns = ["Step", "a - b - x", "a - b - x__MIN", "a - b - y - z", "a - b - y - z__MAX"];
    assert_eq!(runs_and_keys(&columns), Some((texts(&["a - b"]), texts(&["x", "y - z"]))));
}

#[test]
fn runs_and_metrics_make_a_grid() {
    let columns = ["Step", "e - 1 - loss", "e - 1 - kl", "e - 2 - loss", "e - 2 - kl"];
    assert_eq!(runs_and_keys(&columns), Some((texts(&["e - 1", "e - 2"]), texts(&["loss", "kl", "loss", "kl"]))));
}

#[test]
fn runs_of_one_name_stay_apart() {
    let columns = ["Step", "a - x", "a - x__MIN", "a - x", "a - x__MIN"];
    assert_eq!(runs_and_keys(&columns), Some((texts(&["a", "a (2)"]), texts(&["x", "x"]))));
}

#[test]
fn exports_without_a_band_are_known_by_their_axis() {
    assert_eq!(runs_and_keys(&["Step", "a - x"]), Some((texts(&["a"]), texts(&["x"]))));
    assert!(runs_and_keys(&["Relative Time (Process)", "a - x", "b - x"]).is_some());
    assert_eq!(runs_and_keys(&["country", "a - x"]), None);
}

#[test]
fn any_other_table_is_none() {
    assert_eq!(runs_and_keys(&["Step", "loss"]), None);
    assert_eq!(runs_and_keys(&["Step", "a__MIN", "b"]), None);
    assert_eq!(runs_and_keys(&["Step"]), None);
}
