//! The fits behind the comparisons agree with choix and scipy.

use rundown_compare::RunSummary;
use rundown_diagnose::{Rulebook, diagnose};
use rundown_run::{LoggedCell, LoggedTable, Run, TableFile};
use rundown_stats::fit_offset_power;
use serde_json::Value;

/// Games that a run logs as a table, against the ratings of choix (`golden/fits.py`).
#[test]
fn ratings_from_a_logged_table() {
    let golden: Value = serde_json::from_str(include_str!("../golden/stats.json")).unwrap();
    for league in golden["fits"]["leagues"].as_array().unwrap() {
        let anchor = league["anchor"].as_u64().unwrap();
        let name = |place: u64| if place == anchor { "base_model".to_owned() } else { format!("player {place}") };
        let rows = league["pairings"].as_array().unwrap().iter().map(|pairing| {
            let text = |key: &str| LoggedCell::Text(name(pairing[key].as_u64().unwrap()));
            let number = |key: &str| LoggedCell::Number(pairing[key].as_f64().unwrap());
            vec![text("a"), text("b"), number("score"), number("games")]
        });
        let columns = ["player", "opponent", "wins", "games"].map(str::to_owned).to_vec();
        let content = LoggedTable { columns, rows: rows.collect(), dropped: 0 };
        let file =
            TableFile { key: "games".to_owned(), row: 0, path: String::new(), rows: None, content: Some(content) };
        let run = Run { tables: vec![file], ..Run::default() };
        let summary = RunSummary::of(0, (&run, &diagnose(&run, &Rulebook::default())));
        let fit = summary.league.unwrap().fit.unwrap();
        assert_eq!(fit.anchor, "base_model");
        let players = league["players"].as_u64().unwrap();
        assert_eq!(fit.players.len() as u64, players);
        for place in 0..players {
            let player = fit.players.iter().find(|player| player.name == name(place)).unwrap();
            let expected = |key: &str| league[key][place as usize].as_f64().unwrap();
            assert!((player.elo - expected("elo")).abs() < 1e-5, "{player:?}");
            assert!((player.error.unwrap() - expected("error")).abs() < 1e-5, "{player:?}");
        }
        assert!((fit.p - league["p"].as_f64().unwrap()).abs() < 1e-6);
    }
}

/// `golden/make_offset.py`: the exponent by scipy's curve_fit, its interval from the profile by brentq.
#[test]
fn power_laws_with_an_offset() {
    let golden: Vec<Value> = serde_json::from_str(include_str!("../golden/offset.json")).unwrap();
    assert_eq!(golden.len(), 3);
    for expected in &golden {
        let numbers =
            |key: &str| -> Vec<f64> { expected[key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect() };
        let fit = fit_offset_power(&numbers("x"), &numbers("y")).unwrap();
        for (what, got) in [("exponent", fit.exponent), ("low", fit.low), ("high", fit.high)] {
            let expected = expected[what].as_f64().unwrap();
            assert!((got / expected - 1.0).abs() < 1e-3, "{what}: {got} instead of {expected}");
        }
    }
}
