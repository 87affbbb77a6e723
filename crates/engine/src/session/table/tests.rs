//! Tables of a few runs with known numbers.

use super::*;
use rundown_ingest::RunAssembler;

/// The runs of these files, diagnosed.
fn session_of(files: &[(String, String)]) -> Session {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    for (name, text) in files {
        let mut file = session.open_file(&rundown_ingest::Budget::default(), name, text.len() as u64, None);
        file.push(text.as_bytes());
        assembler.add(file.finish());
    }
    session.add(assembler, files.len() as u32, 1);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    session
}

/// Three runs: two learning rates, an accuracy that ends at `last`, ten minutes long each.
fn session() -> Session {
    let file = |(name, rate, last): (&str, &str, f64)| {
        let rows: Vec<String> = (0..=20)
            .map(|step| {
                let value = if step == 7 { 0.95 } else { last * f64::from(step) / 20.0 };
                let time = 1_700_000_000 + 30 * step;
                format!("{{\"step\": {step}, \"_timestamp\": {time}, \"eval/accuracy\": {value}, \"kl\": {last}}}")
            })
            .collect();
        let config =
            format!("{{\"lr\": {rate}, \"model\": \"a/b\", \"out\": \"/tmp/{name}\", \"my_password\": 12345}}");
        let text = format!("{{\"name\": \"{name}\", \"config\": {config}, \"history\": [{}]}}", rows.join(", "));
        (format!("{name}.json"), text)
    };
    session_of(&[("low", "1e-6", 0.4), ("high", "1e-4", 0.9), ("again", "1e-4", 0.7)].map(file))
}

fn number_of(session: &Session, name: &str) -> u32 {
    session.runs.iter().find(|loaded| loaded.run.run().name == name).unwrap().number
}

fn texts(table: &RunTable) -> Vec<Vec<String>> {
    table.rows.iter().map(|row| row.cells.iter().map(Cell::plain).collect()).collect()
}

fn metric(aggregate: Aggregate) -> ColumnId {
    ColumnId::Metric { key: "eval/accuracy".to_owned(), aggregate }
}

#[test]
fn columns_are_chosen_where_none_is_asked_for() {
    let mut session = session();
    let table = session.table(&TableRequest::default());
    let titles: Vec<&str> = table.columns.iter().map(|column| column.title.as_str()).collect();
    let (level, best) = ("eval/accuracy, mean at the end", "eval/accuracy, best");
    assert_eq!(titles, ["Run", "Rank", "Verdict", level, best, "lr", "Last step", "Duration", "Main findings"]);
    let rows = texts(&table);
    assert_eq!(rows.len(), 3);
    let high = rows.iter().find(|row| row[0] == "high").unwrap();
    assert!(high[3].starts_with("0.810 ±"), "the level with its interval: {}", high[3]);
    assert_eq!((high[4].as_str(), high[5].as_str(), high[7].as_str()), ("0.95", "1e-4", "10"));
    let [outcome, rate, duration] = [3, 5, 7].map(|place| &table.columns[place]);
    assert_eq!((outcome.direction, outcome.is_log, outcome.is_numeric), (Some(true), false, true));
    assert_eq!((rate.is_log, rate.is_numeric, duration.unit.as_str()), (true, true, "min"));
    assert_eq!(session.table(&TableRequest { runs: vec![99], ..TableRequest::default() }).rows, []);
}

#[test]
fn axes_have_two_values_and_those_of_most_runs_come_first() {
    let file = |place: u32| {
        let own = ["\"alpha\": 0", "\"alpha\": 1", "\"beta\": 0.04"].get(place as usize);
        let own = own.map(|own| format!(", {own}")).unwrap_or_default();
        let rare = if place < 2 { format!(", \"a_rare\": {place}") } else { String::new() };
        let config = format!("{{\"lr\": 1e-{}, \"model\": \"m\"{own}}}", place + 4);
        let row = format!("{{\"step\": 1, \"eval/accuracy\": 0.{place}, \"b_same\": 2{rare}}}");
        let text = format!("{{\"name\": \"r{place}\", \"config\": {config}, \"history\": [{row}]}}");
        (format!("r{place}.json"), text)
    };
    let mut session = session_of(&(0..5).map(file).collect::<Vec<_>>());
    let available = session.table(&TableRequest::default()).available;
    let keys = |is_axis: bool| -> Vec<&str> {
        let of_kind = available.iter().filter(|column| column.is_axis == is_axis);
        of_kind
            .filter_map(|column| match &column.column {
                ColumnId::Setting(key) | ColumnId::Metric { key, .. } => Some(key.as_str()),
                _ => None,
            })
            .collect()
    };
    assert_eq!(keys(true), ["lr", "alpha", "eval/accuracy", "a_rare"]);
    assert_eq!(keys(false), ["beta", "model", "b_same", "step"]);
}

#[test]
fn a_run_of_another_framework_has_the_value_of_its_own_key() {
    let file = |(name, key): (&str, &str)| {
        let line = |step: u32| format!("{{\"step\": {step}, \"{key}\": {}}}\n", f64::from(step) / 40.0);
        (format!("{name}.jsonl"), (0..=40).map(line).collect())
    };
    let keys = [("trl-a", "train/reward"), ("trl-b", "train/reward"), ("verl", "critic/rewards/mean")];
    let mut session = session_of(&keys.map(file));
    let list = session.run_list();
    assert_eq!(list.measure, "train/reward");
    let verl = number_of(&session, "verl");
    let row = list.runs.iter().find(|row| row.run == verl).unwrap();
    assert_eq!((row.value, row.value_key.as_str()), (Some(0.9125), "critic/rewards/mean"));
    let reward = |aggregate| ColumnId::Metric { key: "train/reward".to_owned(), aggregate };
    let columns = vec![ColumnId::Name, reward(Aggregate::Mean), reward(Aggregate::Last)];
    let table = session.table(&TableRequest { columns, ..TableRequest::default() });
    for row in &table.rows {
        assert_eq!((row.cells[1].value, row.cells[2].value), (Some(0.9125), Some(1.0)));
        let own = ["", "critic/rewards/mean", "critic/rewards/mean"];
        assert_eq!(row.own_keys, if row.run == verl { &own[..] } else { &[] });
    }
}

#[test]
fn what_tables_share_is_made_anew_without_a_removed_run() {
    let mut session = session();
    let request = TableRequest { columns: vec![ColumnId::Name, ColumnId::Rank], ..TableRequest::default() };
    let before = texts(&session.table(&request));
    assert_eq!(texts(&session.table(&request)), before, "as kept");
    let best = session.runs.iter().find(|loaded| loaded.run.run().name == before[0][0]).unwrap().number;
    session.remove(&[best]);
    let left: Vec<Vec<String>> = before[1..]
        .iter()
        .map(|row| row[0].clone())
        .zip(1..)
        .map(|(name, rank): (_, u32)| vec![name, rank.to_string()])
        .collect();
    assert_eq!(texts(&session.table(&request)), left);
}

#[test]
fn each_aggregate_is_its_own_number() {
    let mut session = session();
    let high = number_of(&session, "high");
    let aggregates =
        [Aggregate::Last, Aggregate::Best, Aggregate::Mean, Aggregate::First, Aggregate::Min, Aggregate::Max];
    let request = TableRequest { runs: vec![high], columns: aggregates.map(metric).into(), ..TableRequest::default() };
    let table = session.table(&request);
    let values: Vec<f64> = table.rows[0].cells.iter().map(|cell| cell.value.unwrap()).collect();
    // The level at the end is the mean of the last five of 21 points: steps 16 to 20.
    let expected = [0.9, 0.95, 0.9 * 18.0 / 20.0, 0.0, 0.0, 0.95];
    assert!(values.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-12), "{values:?}");
    assert_eq!(table.columns[1].title, "eval/accuracy, best");
}

/// Neither has a curve in the summary; the first is logged in percent and read as a share.
#[test]
fn a_chosen_metric_without_a_curve_has_its_mean_as_it_was_logged() {
    let line = |step: u32| format!("{{\"step\": {step}, \"actor/pg_clipfrac\": {0}, \"my_number\": {0}}}\n", 30 + step);
    let mut session = session_of(&[("a.jsonl".to_owned(), (0..20).map(line).collect())]);
    for (key, unit) in [("actor/pg_clipfrac", "%"), ("my_number", "")] {
        let metric = |aggregate| ColumnId::Metric { key: key.to_owned(), aggregate };
        let columns = vec![metric(Aggregate::Last), metric(Aggregate::Mean), metric(Aggregate::Best)];
        let chosen = vec![("metric".to_owned(), key.to_owned())];
        let table = session.table(&TableRequest { columns, chosen, ..TableRequest::default() });
        assert!(table.columns.iter().all(|column| column.unit == unit), "{:?}", table.columns);
        let values: Vec<f64> = table.rows[0].cells.iter().map(|cell| cell.value.unwrap()).collect();
        assert_eq!(values, [49.0, 47.0, 49.0], "{key}");
    }
}

#[test]
fn a_baseline_is_subtracted() {
    let mut session = session();
    let [low, high] = ["low", "high"].map(|name| number_of(&session, name));
    let columns = vec![
        ColumnId::Rank,
        ColumnId::LastStep,
        ColumnId::State,
        ColumnId::ToBaseline { key: "eval/accuracy".to_owned(), aggregate: Aggregate::Last },
    ];
    let request = TableRequest { runs: vec![low, high], columns, baseline: Some(high), ..TableRequest::default() };
    let table = session.table(&request);
    assert_eq!(table.rows.iter().map(|row| row.run).collect::<Vec<_>>(), [low, high], "in the order asked for");
    let rows = texts(&table);
    assert_eq!((rows[0][1].as_str(), rows[0][3].as_str(), rows[1][3].as_str()), ("20", "-0.5", "0"));
    assert_eq!(table.columns[3].title, "Δ eval/accuracy vs high");
    let ranks: Vec<f64> = table.rows.iter().map(|row| row.cells[0].value.unwrap()).collect();
    assert!(ranks == [2.0, 1.0] || ranks == [1.0, 2.0], "{ranks:?}");
    let other = session.table(&TableRequest { baseline: Some(low), ..request.clone() });
    assert_eq!(texts(&other)[1][3], "+0.5");
    let none = session.table(&TableRequest { baseline: None, ..request });
    assert!(none.rows.iter().all(|row| row.cells[3] == Cell::default()));
}

#[test]
fn what_could_be_added_is_listed_and_secrets_stay_inside() {
    let mut session = session();
    let table = session.table(&TableRequest::default());
    let place = |column: &ColumnId| table.available.iter().position(|known| known.column == *column).unwrap();
    let setting = |key: &str| ColumnId::Setting(key.to_owned());
    assert!(place(&ColumnId::Duration) < place(&setting("lr")));
    assert!(place(&setting("lr")) < place(&setting("my_password")));
    assert!(place(&setting("out")) < place(&metric(Aggregate::Last)));
    let accuracy = &table.available[place(&metric(Aggregate::Last))];
    assert_eq!((accuracy.direction, accuracy.is_numeric), (Some(true), true));
    let secret = session.table(&TableRequest { columns: vec![setting("my_password")], ..TableRequest::default() });
    assert!(secret.rows.iter().all(|row| row.cells[0].value.is_none() && !format!("{row:?}").contains("12345")));
    assert!(!secret.columns[0].is_numeric);
}

#[test]
fn the_chosen_metric_ranks_the_runs() {
    let mut session = session();
    let columns = vec![ColumnId::Rank, ColumnId::BestStep, ColumnId::StepsToTarget, ColumnId::Findings];
    let mut ranks = |chosen: &[(&str, &str)]| {
        let chosen = chosen.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let runs = ["low", "high"].map(|name| number_of(&session, name)).to_vec();
        let table = session.table(&TableRequest { runs, columns: columns.clone(), chosen, ..TableRequest::default() });
        table.rows.iter().map(|row| row.cells[0].value.unwrap()).collect::<Vec<_>>()
    };
    let key = "eval/accuracy";
    assert_eq!(ranks(&[("metric", key), ("direction of eval/accuracy", "up")]), [2.0, 1.0]);
    assert_eq!(ranks(&[("metric", key), ("direction of eval/accuracy", "down")]), [1.0, 2.0]);
    assert_eq!(ranks(&[("metric", "no such key")]), ranks(&[]));
}

#[test]
fn the_setting_that_decides_is_named_by_its_own_column() {
    let mut session = session();
    let table = session.table(&TableRequest { columns: vec![ColumnId::Deciding], ..TableRequest::default() });
    assert_eq!(table.columns[0].column, ColumnId::Setting("lr".to_owned()));
    assert!(table.rows.iter().all(|row| row.cells[0].value.is_some()));
    // One run differs from none in any setting.
    let runs = vec![number_of(&session, "high")];
    let table = session.table(&TableRequest { runs, columns: vec![ColumnId::Deciding], ..TableRequest::default() });
    assert_eq!(table.columns[0].column, ColumnId::Duration);
}

#[test]
fn numbers_that_lie_evenly_by_their_logarithm_have_a_logarithmic_axis() {
    let is_log = |values: &[f64]| columns::described(&ColumnId::Setting("lr".to_owned()), values).is_log;
    assert!(is_log(&[1e-6, 3e-6, 1e-5, 1e-5]) && is_log(&[1.0, 2.0, 4.0, 8.0]) && is_log(&[0.001, 1.0]));
    assert!(
        !is_log(&[4.0, 8.0, 16.0]) && !is_log(&[0.1, 0.4, 0.7, 1.0]) && !is_log(&[1.0, 10.0]) && !is_log(&[0.0, 1.0])
    );
    let uniform: Vec<f64> = (1..100).map(|place| f64::from(place) / 10.0).collect();
    assert!(!is_log(&uniform), "more than a decade, drawn evenly");
    let is_log = |values: &[f64]| columns::described(&metric(Aggregate::Last), values).is_log;
    assert!(!is_log(&[0.05, 0.15, 0.5]) && is_log(&[0.01, 0.1, 1.0]) && !is_log(&uniform));
}

#[test]
fn settings_that_differ_and_axes_are_found_for_the_runs_of_the_table() {
    let mut session = Session::default();
    let mut assembler = RunAssembler::default();
    let own = "\"beta\": 0.04, \"own\": 1,";
    for (name, rate, own) in [("a", "1e-6", own), ("b", "1e-5", ""), ("c", "1e-5", "\"epsilon\": 0.2,")] {
        let config = format!("{{{own} \"lr\": {rate}, \"model\": \"a/b\"}}");
        let text =
            format!("{{\"name\": \"{name}\", \"config\": {config}, \"history\": [{{\"step\": 1, \"kl\": {rate}}}]}}");
        let mut file =
            session.open_file(&rundown_ingest::Budget::default(), &format!("{name}.json"), text.len() as u64, None);
        file.push(text.as_bytes());
        assembler.add(file.finish());
    }
    session.add(assembler, 3, 1);
    while let Some(pending) = session.next_pending() {
        session.diagnose(pending.number);
    }
    let mut keys = |names: &[&str], column: ColumnId| {
        let runs = names.iter().map(|name| number_of(&session, name)).collect();
        let table = session.table(&TableRequest { runs, columns: vec![column], ..TableRequest::default() });
        table.columns.into_iter().map(|column| column.title).collect::<Vec<_>>()
    };
    assert_eq!(keys(&["a", "b"], ColumnId::Differing), ["lr", "beta"], "not what one run alone recorded");
    assert_eq!(keys(&["b", "c"], ColumnId::Differing), ["epsilon"]);
    assert_eq!(keys(&["a", "b", "c"], ColumnId::Axes), ["lr"]);
    assert_eq!(keys(&["b", "c"], ColumnId::Axes), [""; 0]);
}
