//! The statistics agree with numpy, scipy, pyMannKendall and ruptures.
//!
//! Two sets of expected values: `golden/stats.json`, made by `golden/make_stats.py` from synthetic curves that it
//! also holds, and the corpus's own `golden_stats.json` for series of public training logs, which is skipped where
//! the corpus is absent.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;

use rundown::run::Series;
use rundown::stats::*;
use serde_json::Value;

mod support;

use support::{corpus, ingest};

fn golden() -> Value {
    serde_json::from_str(include_str!("golden/stats.json")).expect("golden/stats.json is JSON")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
}

fn places(value: &Value) -> Vec<usize> {
    value.as_array().expect("a list").iter().map(|number| number.as_u64().expect("an index") as usize).collect()
}

#[track_caller]
fn close(what: &str, got: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what}: nothing expected"));
    let error = (got - expected).abs();
    assert!(error <= 1e-9 * expected.abs().max(1e-3), "{what}: {got} instead of {expected}");
}

#[track_caller]
fn all_close(what: &str, got: &[f64], expected: &Value) {
    let expected = expected.as_array().expect("a list");
    assert_eq!(got.len(), expected.len(), "{what}");
    for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
        close(&format!("{what}[{index}]"), *got, expected);
    }
}

fn for_each_curve(check: impl Fn(&str, &[f64], &Value)) {
    let golden = golden();
    let curves = golden["curves"].as_object().expect("curves");
    assert!(curves.len() >= 8);
    for (name, expected) in curves {
        check(name, &numbers(&expected["y"]), expected);
    }
}

#[test]
fn location_and_spread() {
    for_each_curve(|name, y, expected| {
        close(name, mean(y).unwrap(), &expected["mean"]);
        close(name, std_dev(y).unwrap(), &expected["std_dev"]);
        close(name, median(y).unwrap(), &expected["median"]);
        close(name, quantile(y, 0.1).unwrap(), &expected["quantile_10"]);
        close(name, quantile(y, 0.87).unwrap(), &expected["quantile_87"]);
        close(name, mad(y).unwrap(), &expected["mad"]);
        close(name, mad_sigma(y).unwrap(), &expected["mad_sigma"]);
        close(name, difference_sigma(y).unwrap(), &expected["difference_sigma"]);
    });
}

#[test]
fn dependence_on_the_past() {
    for_each_curve(|name, y, expected| {
        close(name, autocorrelation(y, 1).unwrap(), &expected["autocorrelation_1"]);
        close(name, autocorrelation(y, 5).unwrap(), &expected["autocorrelation_5"]);
        close(name, lag1(y).unwrap(), &expected["lag1"]);
        close(name, effective_size(y), &expected["effective_size"]);
    });
}

#[test]
fn trends() {
    for_each_curve(|name, y, expected| {
        let test = mann_kendall(y).unwrap();
        let wanted = &expected["mann_kendall"];
        for (what, got) in [("s", test.s), ("variance", test.variance), ("z", test.z), ("p", test.p), ("tau", test.tau)]
        {
            close(&format!("{name} {what}"), got, &wanted[what]);
        }
        let corrected = mann_kendall_corrected(y).unwrap();
        let wanted = &expected["mann_kendall_corrected"];
        if wanted.is_null() {
            assert_eq!(corrected, test, "{name}: no significant autocorrelation, no correction");
        } else {
            close(name, corrected.variance, &wanted["variance"]);
            close(name, corrected.z, &wanted["z"]);
            close(name, corrected.p, &wanted["p"]);
        }
        let line = theil_sen(&numbers(&expected["x"]), y).unwrap();
        let wanted = &expected["theil_sen"];
        for (what, got) in
            [("slope", line.slope), ("intercept", line.intercept), ("low", line.low), ("high", line.high)]
        {
            close(&format!("{name} {what}"), got, &wanted[what]);
        }
    });
}

#[test]
fn changes_and_spikes() {
    for_each_curve(|name, y, expected| {
        let change = single_change(y, 5).unwrap();
        let wanted = &expected["single_change_5"];
        assert_eq!(change.index as u64, wanted["index"].as_u64().unwrap(), "{name}");
        close(name, change.before, &wanted["before"]);
        close(name, change.after, &wanted["after"]);
        let penalty = expected["penalty"].as_f64().unwrap();
        assert_eq!(pelt(y, penalty, 5), places(&expected["pelt_5"]), "{name}");
        assert_eq!(hampel(y, Hampel::default()), places(&expected["hampel"]), "{name}");
        if !expected["hampel_log"].is_null() {
            let any_ratio = Hampel { min_ratio: 1.0, ..Hampel::default() };
            assert_eq!(hampel_log(y, any_ratio), places(&expected["hampel_log"]), "{name}");
        }
    });
}

#[test]
fn smoothing() {
    for_each_curve(|name, y, expected| {
        let x = numbers(&expected["x"]);
        all_close(&format!("{name} twema"), &time_weighted_ema(&x, y, 0.7), &expected["twema_70"]);
        all_close(&format!("{name} ema"), &ema(y, 0.7), &expected["ema_70"]);
        all_close(&format!("{name} gaussian"), &gaussian(y, 2.0), &expected["gaussian_2"]);
    });
}

#[test]
fn correlations() {
    for_each_curve(|name, y, expected| {
        let partner = numbers(&expected["partner"]);
        all_close(name, &ranks(y), &expected["ranks"]);
        close(name, pearson(y, &partner).unwrap(), &expected["pearson"]);
        close(name, spearman(y, &partner).unwrap(), &expected["spearman"]);
    });
}

#[test]
fn shares_and_tails() {
    let golden = golden();
    for expected in golden["wilson"].as_array().unwrap() {
        let (successes, n) = (expected["successes"].as_f64().unwrap(), expected["n"].as_f64().unwrap());
        let (low, high) = wilson(successes, n, 1.959_963_984_540_054).unwrap();
        close("low", low, &expected["low"]);
        close("high", high, &expected["high"]);
    }
    for pair in golden["normal_sf"].as_array().unwrap() {
        let (z, expected) = (pair[0].as_f64().unwrap(), pair[1].as_f64().unwrap());
        assert!((normal_sf(z) / expected - 1.0).abs() < 1e-12, "{z}");
    }
}

/// The corpus's golden values: Mann-Kendall, Theil-Sen, change point, MAD, lag-1 of series in public logs.
#[test]
fn series_of_public_logs() {
    let Some(folder) = corpus("public-logs") else { return };
    let text = std::fs::read_to_string(folder.join("golden_stats.json")).unwrap();
    let golden: BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
    assert!(!golden.is_empty());
    for (name, expected) in &golden {
        let (file, key) = name.split_once(" :: ").unwrap();
        let bytes = std::fs::read(folder.join(file)).unwrap();
        let run = ingest([(file, &bytes[..])]).runs.remove(0);
        let Series { steps, values: y, .. } = run.series(&key.replace(" / ", "/")).unwrap().finite();
        // The oracle counts the dictionaries that the Trainer prints: they hold no step.
        let is_printed = file.starts_with("trl-") && file.ends_with(".log");
        let x = if is_printed { (0..y.len()).map(|line| line as f64).collect() } else { steps };
        check_public(name, &x, &y, expected);
    }
}

fn check_public(name: &str, x: &[f64], y: &[f64], expected: &Value) {
    assert_eq!(y.len() as u64, expected["n"].as_u64().unwrap(), "{name}");
    close(name, mean(y).unwrap(), &expected["mean"]);
    close(name, median(y).unwrap(), &expected["median"]);
    close(name, mad(y).unwrap(), &expected["mad"]);
    close(name, lag1(y).unwrap(), &expected["lag1"]);
    let fifth = y.len() / 5;
    close(name, mean(&y[..fifth]).unwrap(), &expected["mean_first20"]);
    close(name, mean(&y[y.len() - fifth..]).unwrap(), &expected["mean_last20"]);
    let test = mann_kendall(y).unwrap();
    close(name, test.s, &expected["mk"]["S"]);
    close(name, test.variance, &expected["mk"]["var"]);
    close(name, test.z, &expected["mk"]["z"]);
    close(name, test.tau, &expected["mk"]["tau"]);
    // The oracle takes 1 - cdf, which has no digits left for a small p.
    assert!((test.p - expected["mk"]["p"].as_f64().unwrap()).abs() < 1e-12, "{name}");
    let line = theil_sen(x, y).unwrap();
    close(name, line.slope, &expected["theil_sen"]["slope"]);
    close(name, line.intercept, &expected["theil_sen"]["intercept"]);
    close(name, line.low, &expected["theil_sen"]["lo"]);
    close(name, line.high, &expected["theil_sen"]["hi"]);
    if expected["cp"].is_null() {
        return;
    }
    let change = single_change(y, 5).unwrap();
    assert_eq!(change.index as u64, expected["cp"]["index"].as_u64().unwrap(), "{name}");
    close(name, change.before, &expected["cp"]["before"]);
    close(name, change.after, &expected["cp"]["after"]);
    close(name, change.sse, &expected["cp"]["sse"]);
    close(name, change.sse0, &expected["cp"]["sse0"]);
}
