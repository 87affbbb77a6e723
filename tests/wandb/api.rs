//! Our client against the W&B server of `tests/fake_wandb`: the same runs as the `.wandb` files give, through every
//! form of history, whole, in part, and as they grow.

use rundown_run::{FileFormat, Run, RunState, RunWarning, Thinning};
use rundown_wandb::{Download, FetchOptions, Follower, ListColumns, Order, RunSelection};

use crate::fake_wandb::Switches;
use crate::native::Native;
use crate::served::{ALL, block_on, client, fetch, from_file, place, served, server};
use crate::wandb_file::WandbFile;

/// Everything but how it came and how it ended, which file and server say in their own words.
fn assert_same(ours: &Run, file: &Run) {
    let bits = |values: &[f64]| {
        values.iter().map(|value| if value.is_nan() { u64::MAX } else { value.to_bits() }).collect::<Vec<_>>()
    };
    let place = &file.id;
    assert_eq!((&ours.id, &ours.name, &ours.group, &ours.tags), (&file.id, &file.name, &file.group, &file.tags));
    assert_eq!(bits(&ours.row_steps), bits(&file.row_steps), "{place}: steps");
    assert_eq!(bits(&ours.row_times), bits(&file.row_times), "{place}: times");
    let keys = |run: &Run| run.columns.keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(ours), keys(file), "{place}: metrics");
    for (key, column) in &file.columns {
        assert_eq!(ours.columns[key].rows(), column.rows(), "{place}: rows of {key}");
        assert_eq!(bits(ours.columns[key].values()), bits(column.values()), "{place}: values of {key}");
    }
    let flat = |config: &rundown_run::Config| config.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
    assert_eq!(flat(&ours.config), flat(&file.config), "{place}: config");
    assert_eq!(flat(&ours.summary), flat(&file.summary), "{place}: summary");
    assert_eq!(ours.metric_rules, file.metric_rules, "{place}: rules");
    assert_eq!(ours.histograms, file.histograms, "{place}: histograms");
    assert_eq!(ours.tables, file.tables, "{place}: tables");
    assert_eq!(ours.axis.key, file.axis.key, "{place}: axis");
    assert_eq!(bits(&ours.axis.steps), bits(&file.axis.steps), "{place}: axis steps");
    assert_eq!(ours.system_times.len(), file.system_times.len(), "{place}: system rows");
    assert_eq!(ours.system.keys().collect::<Vec<_>>(), file.system.keys().collect::<Vec<_>>());
}

#[test]
fn a_run_from_the_api_is_the_run_of_its_file() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    for stored in &server.state().runs {
        let download = block_on(fetch(&client, &stored.id, ALL)).unwrap();
        let run = download.run();
        assert_same(&run, &from_file(&stored.id));
        assert_eq!((run.files[0].format, run.warnings.len()), (FileFormat::WandbApi, 0));
        eprintln!("{}: {:?}", stored.display_name, download.progress());
    }
}

#[test]
fn older_servers_give_the_same_rows_page_by_page() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let id = &server.state().runs[0].id;
    let exact = block_on(fetch(&client, id, FetchOptions::default())).unwrap().run();
    for missing in [&["historyKeys"][..], &["sampledHistory"], &["events", "logLines"], &["parquetHistory"]] {
        server.state().switches().missing_fields = missing.iter().map(ToString::to_string).collect();
        let options = FetchOptions { system: true, console_lines: 10, parquet: true };
        let run = block_on(fetch(&client, id, options)).unwrap().run();
        assert_eq!(run.columns, exact.columns, "{missing:?}");
        assert_eq!(run.row_steps, exact.row_steps, "{missing:?}");
    }
}

#[test]
fn a_server_that_caps_samples_is_asked_in_ranges() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let id = &server.state().runs[0].id;
    let exact = block_on(fetch(&client, id, FetchOptions::default())).unwrap().run();
    server.state().switches().most_samples = Some(100);
    let capped = block_on(fetch(&client, id, FetchOptions::default())).unwrap().run();
    assert_eq!(capped.columns, exact.columns);
    assert_eq!(capped.row_times, exact.row_times);
}

#[test]
fn a_server_that_samples_every_answer_is_said_to() {
    let server = served("thinned1", &small_file("thinned1"));
    let transport = Native::default();
    let client = client(&server, &transport);
    server.state().switches().most_samples = Some(1);
    let run = block_on(fetch(&client, "thinned1", FetchOptions::default())).unwrap().run();
    assert_eq!(run.sampling_of("train/reward"), Some(Thinning::Rows));
    assert!(run.warnings.contains(&RunWarning::RowsOfStepMissing), "{:?}", run.warnings);
    let requests = server.state().log().len();
    assert!(requests < 400, "{requests}");
}

/// A run of two metrics, long enough to be judged.
fn small_file(id: &str) -> Vec<u8> {
    let mut file = WandbFile::new(id, "thinned");
    for step in 0..150_u64 {
        let noise = ((step * 7) % 11) as f64 / 100.0;
        file.row(step, &[("train/reward", 0.2 + step as f64 / 300.0 + noise), ("train/kl", 0.01 + noise / 10.0)]);
    }
    file.finish(0)
}

#[test]
fn only_what_is_wanted_comes_and_the_rest_on_demand() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let run = server.state().runs.iter().find(|run| run.display_name == "amber-01").unwrap();
    let file = from_file(&run.id);
    let begin = Download::begin(&client, place(&run.id), FetchOptions::default(), |key| key == "train/reward");
    let mut download = block_on(begin).unwrap();
    block_on(download.complete(&client)).unwrap();
    let few = download.run();
    assert_eq!(few.columns.keys().collect::<Vec<_>>(), ["train/global_step", "train/reward"]);
    assert_eq!(few.columns["train/reward"], file.columns["train/reward"]);
    assert_eq!((few.axis.key.as_str(), few.row_steps.len()), ("train/global_step", file.row_steps.len()));
    let bytes = download.progress().bytes;
    assert!(download.is_done() && !download.is_whole());
    download.want_also(|key| key == "train/loss" || key == "train/reward");
    assert_eq!(download.run().unfetched, few.unfetched);
    server.state().log().clear();
    block_on(download.complete(&client)).unwrap();
    assert_eq!(server.state().log().len(), 1);
    assert_eq!(download.run().columns["train/loss"], file.columns["train/loss"]);
    assert!(download.progress().bytes > bytes);
}

#[test]
fn a_very_long_run_keeps_its_spikes() {
    const ROWS: u64 = 210_000;
    let mut file = WandbFile::new("longrun1", "long");
    for step in 0..ROWS {
        let spike = if step == 123_456 { 1_000.0 } else { 0.0 };
        file.row(step * 3, &[("loss", (step % 100) as f64 + spike)]);
    }
    let server = served("longrun1", &file.finish(0));
    let transport = Native::default();
    let client = client(&server, &transport);
    let options = FetchOptions { parquet: true, ..FetchOptions::default() };
    let sampled = block_on(fetch(&client, "longrun1", options)).unwrap();
    let run = sampled.run();
    assert_eq!(run.bands["loss"].high.values().iter().copied().fold(0.0, f64::max), 1_056.0);
    assert!(run.columns["loss"].len() <= 2_000 && matches!(run.warnings[0], RunWarning::Bucketed { .. }));
    assert_eq!((run.sampling_of("loss"), run.sampling_of("other")), (Some(Thinning::Buckets), None));
    let drawn = run.series_with_extremes("loss").unwrap();
    assert!(drawn.values.contains(&1_056.0) && drawn.len() > 5_000);
    let requests = server.state().log().len();
    server.state().switches().export = true;
    let exported = block_on(fetch(&client, "longrun1", options)).unwrap();
    let whole = exported.run();
    assert!(server.state().log().iter().any(|seen| seen.line.contains("/storage/")));
    assert!(server.state().log().iter().all(|seen| !seen.line.contains("/storage/") || seen.authorization.is_none()));
    server.state().switches().missing_fields = vec!["bucketedHistory".into(), "parquetHistory".into()];
    server.state().log().clear();
    let run = block_on(fetch(&client, "longrun1", options)).unwrap().run();
    assert_eq!((run.columns["loss"].len() as u64, run.warnings.len(), &run.sampling[..]), (ROWS, 0, &[][..]));
    assert_eq!((&whole.columns, &whole.row_steps, &whole.row_times), (&run.columns, &run.row_steps, &run.row_times));
    let exact = server.state().log().len();
    assert!((10..100).contains(&exact), "{exact}");
    eprintln!("{requests} requests for buckets, {exact} for {ROWS} rows");
}

#[test]
fn a_running_run_is_followed_row_by_row() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let run = &server.state().runs[0];
    let (id, all) = (run.id.clone(), run.rows.len());
    server.state().switches().visible_rows = Some(all / 2);
    let mut follower = Follower::new(block_on(fetch(&client, &id, FetchOptions::default())).unwrap());
    assert_eq!(follower.download().run().ending.state, RunState::Running);
    assert_eq!(follower.download().run().row_steps.len(), all / 2);
    assert!(!block_on(follower.poll(&client)).unwrap());
    server.state().log().clear();
    assert!(!block_on(follower.poll(&client)).unwrap());
    assert_eq!(server.state().log().len(), 1, "a poll of a quiet run is one request");
    server.state().switches().visible_rows = Some(all / 2 + 100);
    assert!(block_on(follower.poll(&client)).unwrap());
    let run = follower.download().run();
    assert_eq!((run.row_steps.len(), run.ending.state), (all / 2 + 100, RunState::Running));
    // A failure in the middle loses nothing: the next poll goes on.
    *server.state().switches() = Switches { bad_gateway: 7, ..Switches::default() };
    assert!(block_on(follower.poll(&client)).is_err());
    server.reset(Switches::default());
    assert!(block_on(follower.poll(&client)).unwrap());
    assert_ne!(follower.download().run().ending.state, RunState::Running);
    assert_eq!(follower.download().run().columns, from_file(&id).columns);
}

#[test]
fn runs_are_listed_as_they_were_chosen() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let projects = block_on(client.list_projects("corpus", None)).unwrap().entries;
    assert_eq!((projects[0].entity.as_str(), projects[0].name.as_str()), ("corpus", "tiny-grpo"));
    let columns = ListColumns {
        config: vec!["learning_rate".to_owned()],
        summary: vec!["_step".to_owned()],
        whole_config: false,
    };
    let list = |selection: &RunSelection, columns: &ListColumns| {
        block_on(client.list_runs("corpus", "tiny-grpo", selection, columns, None)).unwrap()
    };
    let all = list(&RunSelection::default(), &columns);
    assert_eq!((all.entries.len(), all.next), (4, None));
    assert!(all.entries.windows(2).all(|pair| pair[0].created_at >= pair[1].created_at));
    assert!(all.entries.iter().all(|run| run.config.len() <= 1 && run.summary.len() <= 1));
    let whole = list(&RunSelection::default(), &ListColumns { whole_config: true, ..columns.clone() });
    assert!(whole.entries.iter().any(|run| run.config.len() > 10));
    assert!(whole.entries.iter().all(|run| run.summary.len() <= 1));
    let best = list(&RunSelection { order: Order::Highest("_step".into()), ..RunSelection::default() }, &columns);
    let longest = server.state().runs.iter().max_by_key(|run| run.summary["_step"].as_i64()).unwrap();
    assert_eq!(best.entries[0].id, longest.id);
    let named = RunSelection { ids_or_names: vec!["amber-01".into()], ..RunSelection::default() };
    assert_eq!(list(&named, &columns).entries[0].name, "amber-01");
}
