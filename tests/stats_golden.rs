//! The statistics agree with numpy, scipy, pyMannKendall, ruptures, statsmodels, choix, scikit-learn and rliable.
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

use rundown_run::Series;
use rundown_stats::*;
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
        close(name, mad_sigma(y).unwrap(), &expected["mad_sigma"]);
        close(name, difference_sigma(y).unwrap(), &expected["difference_sigma"]);
    });
}

#[test]
fn dependence_on_the_past() {
    for_each_curve(|name, y, expected| {
        close(name, lag1(y).unwrap(), &expected["lag1"]);
        close(name, effective_size(y), &expected["effective_size"]);
    });
}

#[test]
fn trends() {
    for_each_curve(|name, y, expected| {
        let z = mann_kendall(y).unwrap();
        close(name, z, &expected["mann_kendall"]["z"]);
        let corrected = mann_kendall_corrected(y).unwrap();
        let wanted = &expected["mann_kendall_corrected"];
        if wanted.is_null() {
            assert_eq!(corrected, z, "{name}: no significant autocorrelation, no correction");
        } else {
            close(name, corrected, &wanted["z"]);
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
fn changes_of_level() {
    for_each_curve(|name, y, expected| {
        let change = single_change(y, 5).unwrap();
        let wanted = &expected["single_change_5"];
        assert_eq!(change.index as u64, wanted["index"].as_u64().unwrap(), "{name}");
        close(name, change.before, &wanted["before"]);
        close(name, change.after, &wanted["after"]);
    });
}

#[test]
fn smoothing() {
    for_each_curve(|name, y, expected| {
        let x = numbers(&expected["x"]);
        all_close(&format!("{name} twema"), &time_weighted_ema(&x, y, 0.7), &expected["twema_70"]);
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
fn sizes_of_differences() {
    for_each_curve(|name, y, expected| {
        let (before, after) = y.split_at(y.len() / 2);
        let found = dominance(before, after).unwrap();
        let wanted = &expected["dominance"];
        close(name, found.superiority, &wanted["superiority"]);
        close(name, found.p, &wanted["p"]);
    });
}

#[test]
fn many_tests_at_once() {
    for family in golden()["families"].as_array().unwrap() {
        let p = numbers(&family["p"]);
        all_close("holm", &holm(&p), &family["holm"]);
        all_close("benjamini_hochberg", &benjamini_hochberg(&p), &family["benjamini_hochberg"]);
    }
}

#[test]
fn intervals_of_shares() {
    for expected in golden()["wilson"].as_array().unwrap() {
        let (successes, n) = (expected["successes"].as_f64().unwrap(), expected["n"].as_f64().unwrap());
        let (low, high) = wilson(successes, n, 1.959_963_984_540_054).unwrap();
        close("low", low, &expected["low"]);
        close("high", high, &expected["high"]);
    }
}

/// Expected fits, which an iteration found on both sides: to a hundred-thousandth.
#[track_caller]
fn near(what: &str, got: f64, expected: &Value, tolerance: f64) {
    let expected = expected.as_f64().unwrap_or_else(|| panic!("{what}: nothing expected"));
    assert!((got - expected).abs() <= tolerance * expected.abs().max(1e-3), "{what}: {got} instead of {expected}");
}

#[test]
fn power_laws() {
    for expected in golden()["fits"]["power_laws"].as_array().unwrap() {
        let law = fit_power_law(&numbers(&expected["x"]), &numbers(&expected["y"])).unwrap();
        let got = [law.exponent, law.low, law.high, law.factor, law.r2, law.decades];
        for (what, got) in ["exponent", "low", "high", "factor", "r2", "decades"].into_iter().zip(got) {
            close(what, got, &expected[what]);
        }
        if expected["curvature_p"].is_null() {
            assert!(!law.is_straight(), "{law:?}");
        } else {
            close("curvature_p", law.curvature_p, &expected["curvature_p"]);
        }
    }
}

#[test]
fn curved_fits() {
    let fits = &golden()["fits"];
    for expected in fits["sigmoids"].as_array().unwrap() {
        let fit = fit_sigmoid(&numbers(&expected["x"]), &numbers(&expected["y"]), None).unwrap();
        close("start", fit.start, &expected["start"]);
        near("asymptote", fit.asymptote, &expected["asymptote"], 1e-5);
        near("aicc", fit.aicc, &expected["aicc"], 1e-5);
        near("half width", (fit.high - fit.low) / 2.0, &expected["half_width"], 1e-4);
    }
    for expected in fits["saturating_powers"].as_array().unwrap() {
        let fit = fit_saturating_power(&numbers(&expected["x"]), &numbers(&expected["y"])).unwrap();
        near("asymptote", fit.asymptote, &expected["asymptote"], 1e-5);
        near("aicc", fit.aicc, &expected["aicc"], 1e-5);
        near("half width", (fit.high - fit.low) / 2.0, &expected["half_width"], 1e-4);
    }
}

/// `golden/make_crossings.py`: scipy's covariance, brentq instead of the inverted formulas, differences as gradients.
#[test]
fn places_where_curves_reach_a_value() {
    let crossings: Value = serde_json::from_str(include_str!("golden/crossings.json")).unwrap();
    let fits = &golden()["fits"];
    for kind in ["sigmoids", "saturating_powers"] {
        for expected in crossings[kind].as_array().unwrap() {
            let points = &fits[kind][expected["of"].as_u64().unwrap() as usize];
            let (x, y) = (numbers(&points["x"]), numbers(&points["y"]));
            let value = expected["value"].as_f64().unwrap();
            let found = match kind {
                "sigmoids" => fit_sigmoid(&x, &y, None).unwrap().crossing(value).unwrap(),
                _ => fit_saturating_power(&x, &y).unwrap().crossing(value).unwrap(),
            };
            near("x", found.x, &expected["x"], 1e-3);
            near("low", found.low, &expected["low"], 1e-3);
            near("high", found.high, &expected["high"], 1e-3);
        }
    }
}

#[test]
fn ratings() {
    for expected in golden()["fits"]["leagues"].as_array().unwrap() {
        let index = |value: &Value| value.as_u64().unwrap() as usize;
        let pairings = expected["pairings"].as_array().unwrap().iter().map(|pairing| Pairing {
            a: index(&pairing["a"]),
            b: index(&pairing["b"]),
            score: pairing["score"].as_f64().unwrap(),
            games: pairing["games"].as_f64().unwrap(),
        });
        let pairings: Vec<Pairing> = pairings.collect();
        let found = bradley_terry(index(&expected["players"]), &pairings, index(&expected["anchor"])).unwrap();
        let (elo, errors): (Vec<f64>, Vec<f64>) =
            found.players.iter().map(|player| (player.elo, player.error.unwrap())).unzip();
        for (place, (elo, error)) in elo.iter().zip(errors).enumerate() {
            near("elo", *elo, &expected["elo"][place], 1e-7);
            near("error", error, &expected["error"][place], 1e-7);
        }
        near("p", found.p, &expected["p"], 1e-6);
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
    // 1 / Phi^-1(3/4) makes the raw value a standard deviation.
    close(name, mad_sigma(y).unwrap() / 1.482_602_218_505_602, &expected["mad"]);
    close(name, lag1(y).unwrap(), &expected["lag1"]);
    let fifth = y.len() / 5;
    close(name, mean(&y[..fifth]).unwrap(), &expected["mean_first20"]);
    close(name, mean(&y[y.len() - fifth..]).unwrap(), &expected["mean_last20"]);
    close(name, mann_kendall(y).unwrap(), &expected["mk"]["z"]);
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
}

#[test]
fn effects_of_parameters() {
    let comparing = &golden()["comparing"];
    for expected in comparing["correlation_intervals"].as_array().unwrap() {
        let (x, y) = (numbers(&expected["x"]), numbers(&expected["y"]));
        let found = [
            ("pearson", pearson_interval(pearson(&x, &y).unwrap(), x.len())),
            ("spearman", spearman_interval(spearman(&x, &y).unwrap(), x.len())),
        ];
        for (what, interval) in found {
            let (low, high) = interval.unwrap();
            close(&format!("{what} low"), low, &expected[what]["low"]);
            close(&format!("{what} high"), high, &expected[what]["high"]);
        }
    }
    for expected in comparing["kruskal"].as_array().unwrap() {
        let found = kruskal_wallis(&numbers(&expected["values"]), &places(&expected["groups"])).unwrap();
        close("p", found.p, &expected["p"]);
    }
    for expected in comparing["bins"].as_array().unwrap() {
        let most = expected["most"].as_u64().unwrap() as usize;
        assert_eq!(quantile_bins(&numbers(&expected["x"]), most).unwrap().of, places(&expected["of"]));
    }
    for expected in comparing["medians"].as_array().unwrap() {
        let found = median_interval(&numbers(&expected["values"])).unwrap();
        for (what, got) in [("median", found.median), ("low", found.low), ("high", found.high)] {
            close(what, got, &expected[what]);
        }
    }
}

/// Two forests of other random numbers agree in order, and in size as far as their spread lets them.
#[test]
fn a_forest_agrees_with_another() {
    let expected = &golden()["comparing"]["forest"];
    let columns: Vec<Vec<f64>> = expected["x"].as_array().unwrap().iter().map(numbers).collect();
    let features: Vec<Feature<'_>> = columns.iter().map(|values| Feature { values, is_category: false }).collect();
    let found = forest(&features, &numbers(&expected["y"]), &mut SplitMix64::new(1)).unwrap();
    let r2 = expected["oob_r2"].as_f64().unwrap();
    assert!((found.oob_r2 - r2).abs() < 0.03, "{} against {r2}", found.oob_r2);
    let of = |importance: &Value| importance["mean"].as_f64().unwrap();
    let theirs: Vec<f64> = expected["importances"].as_array().unwrap().iter().map(of).collect();
    let ours: Vec<f64> = found.importances.iter().map(|importance| importance.mean).collect();
    for (place, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert!((ours - theirs).abs() < 0.02 + 0.25 * theirs, "feature {place}: {ours} against {theirs}");
    }
    let order = |values: &[f64]| {
        let mut order: Vec<usize> = (0..4).collect();
        order.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
        order
    };
    assert_eq!(order(&ours), order(&theirs), "{ours:?} {theirs:?}");
}

#[test]
fn aggregates_over_runs_and_tasks() {
    let golden = golden();
    let tasks = |value: &Value| -> Vec<Vec<f64>> { value.as_array().unwrap().iter().map(numbers).collect() };
    let groups = golden["aggregates"]["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 6);
    for group in groups {
        let scores = tasks(&group["tasks"]).concat();
        close("iqm", iqm(&scores).unwrap(), &group["iqm"]);
    }
    for pair in golden["aggregates"]["pairs"].as_array().unwrap() {
        let (x, y) = (tasks(&pair["x"]), tasks(&pair["y"]));
        let found = bootstrap_improvement(&x, &y, 200, &mut SplitMix64::new(1)).unwrap();
        close("improvement", found.estimate, &pair["improvement"]);
        close("p", dominance(&y[0], &x[0]).unwrap().p, &pair["mann_whitney_p"]);
    }
    let large = golden["aggregates"]["many"].as_array().unwrap();
    assert_eq!(large.len(), 3);
    for pair in large {
        let (x, y) = (numbers(&pair["x"]), numbers(&pair["y"]));
        let intervals =
            [("iqm", iqm_of_many(&x)), ("gain", gain_of_many(&x, &y)), ("improvement", improvement_of_many(&x, &y))];
        for (what, found) in intervals {
            let found = found.unwrap();
            close(what, found.low, &pair[what][0]);
            close(what, found.high, &pair[what][1]);
        }
    }
}
