//! Our client against the W&B server of `tests/fake_wandb`: the same runs as the `.wandb` files give, through every
//! form of history, every failure, and without the key ever showing.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::path::PathBuf;

use rundown::http::{ApiKey, CancelToken, HttpEvent, HttpSession};
use rundown::ingest::{FileOutcome, Problem, RunAssembler};
use rundown::run::{FileFormat, Run, RunState, RunWarning, Thinning};
use rundown::wandb::{
    ApiError, Download, Extras, FetchOptions, Follower, ListColumns, Order, RunRef, RunSelection, Strategy, Unfinished,
    WandbClient,
};
use serde_json::Value;

mod fake_wandb;
#[path = "fake_wandb/native.rs"]
mod native;
mod support;
#[path = "support/wandb_file.rs"]
mod wandb_file;

use fake_wandb::{FakeWandb, Switches};
use native::Native;
use support::corpus;
use wandb_file::WandbFile;

const KEY: &str = "local-0123456789abcdef0123456789abcdef01234567";
const ALL: FetchOptions = FetchOptions { system: true, console_lines: 2_000, parquet: false };

/// Folders that are served: a table a step, a log file, one of a sweep, every kind of value.
fn folders() -> Option<Vec<PathBuf>> {
    let tiny = corpus("tiny-grpo")?;
    let mut folders: Vec<PathBuf> = ["amber-17", "amber-01", "sweep-01"].iter().map(|run| tiny.join(run)).collect();
    folders.push(corpus("wandb-files")?.join("kinds.wandb"));
    Some(folders)
}

/// A server with its own runs, or `None` without a corpus.
fn server() -> Option<FakeWandb> {
    let server = FakeWandb::start(0, &folders()?);
    server.reset(Switches { key: Some(KEY.to_owned()), ..Switches::default() });
    Some(server)
}

fn client<'t>(server: &FakeWandb, transport: &'t Native) -> WandbClient<&'t Native> {
    WandbClient::new(HttpSession::new(transport, 7), server.base_url(), ApiKey::new(KEY))
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn place(id: &str) -> RunRef {
    RunRef { entity: "corpus".into(), project: "tiny-grpo".into(), id: id.into() }
}

async fn fetch(client: &WandbClient<&Native>, id: &str, options: FetchOptions) -> Result<Download, ApiError> {
    let mut download = Download::begin(client, place(id), options, |_| true).await?;
    download.complete(client).await?;
    Ok(download)
}

/// The same run from its file, alone.
fn from_file(id: &str) -> Run {
    let files = folders().unwrap().into_iter().flat_map(|folder| support::files_below(&folder));
    let runs = files.filter(|file| file.extension().is_some_and(|extension| extension == "wandb")).map(|file| {
        let ingested = support::ingest([("a/run-x.wandb", &std::fs::read(file).unwrap()[..])]);
        let _: Vec<Problem> = ingested.problems;
        ingested.runs.into_iter().next().unwrap()
    });
    runs.into_iter().find(|run| run.id == id).unwrap()
}

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
    let flat = |config: &rundown::run::Config| config.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>();
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
        assert_eq!(download.strategy(), Strategy::Exact);
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
fn pauses_failures_and_cuts_are_got_over() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let id = &server.state().runs[0].id;
    let exact = block_on(fetch(&client, id, FetchOptions::default())).unwrap().run();
    for switches in [
        Switches { rate_limited: 3, retry_after: Some("7".into()), ..Switches::default() },
        Switches { bad_gateway: 2, ..Switches::default() },
        Switches { truncated: 2, ..Switches::default() },
    ] {
        let before = transport.slept();
        server.reset(switches.clone());
        let run = block_on(fetch(&client, id, FetchOptions::default())).unwrap().run();
        assert_eq!(run.columns, exact.columns, "{switches:?}");
        let slept = transport.slept() - before;
        assert!(slept >= 4_000, "{switches:?}: {slept}");
        if switches.rate_limited > 0 {
            assert!((21_000..=26_250).contains(&slept), "{slept}");
        }
    }
}

/// What was asked and answered: each spec of a history, each other query with its variables, each file.
fn answered(server: &FakeWandb) -> Vec<String> {
    let mut asked = Vec::new();
    for seen in server.state().log().iter().filter(|seen| seen.status == 200) {
        let body: Value = serde_json::from_str(&seen.body).unwrap_or_default();
        match body["variables"]["specs"].as_array() {
            Some(specs) => asked.extend(specs.iter().map(|spec| spec.as_str().unwrap().to_owned())),
            None if body.is_null() => asked.push(seen.line.clone()),
            None => asked.push(format!("{} {}", body["operationName"], body["variables"])),
        }
    }
    asked.sort();
    asked
}

/// A client whose user stops it after so many answers.
fn stopping<'t>(server: &FakeWandb, transport: &'t Native, answers: u32) -> WandbClient<&'t Native> {
    let cancel = CancelToken::default();
    let (stop, left) = (cancel.clone(), std::cell::Cell::new(answers));
    let session = HttpSession::new(transport, 7).with_cancel(cancel).with_listener(move |event| {
        if matches!(event, HttpEvent::Received { .. }) {
            left.set(left.get().saturating_sub(1));
            if left.get() == 0 {
                stop.cancel();
            }
        }
    });
    WandbClient::new(session, server.base_url(), ApiKey::new(KEY))
}

/// Everything is 429 after so many answers, and the server asks for a day of patience.
fn limited(answers: u32) -> Switches {
    Switches { limited_after: Some(answers), retry_after: Some("86400".into()), ..Switches::default() }
}

#[test]
fn after_an_interruption_only_what_is_missing_is_asked_for() {
    let mut file = WandbFile::new("manykeys", "many");
    for step in 0..30_u64 {
        let keys: Vec<String> = (0..200).map(|key| format!("train/{key}")).collect();
        let values: Vec<(&str, f64)> = keys.iter().map(|key| (key.as_str(), step as f64 / 3.0)).collect();
        file.row(step, &values);
    }
    let server = served("manykeys", &file.finish(0));
    let transport = Native::default();
    let client = client(&server, &transport);
    let whole = block_on(fetch(&client, "manykeys", ALL)).unwrap();
    assert!(whole.is_whole());
    let needed = answered(&server);
    // The run, a spec for each metric and one for times, metrics of the machine, the console.
    assert_eq!(needed.len(), 1 + 201 + 2);
    let narrow = |key: &str| !key.ends_with('7');
    for (switches, stops_after, error) in [
        (limited(3), u32::MAX, ApiError::RateLimited),
        (Switches::default(), 3, ApiError::Cancelled),
        (Switches::default(), 2, ApiError::Cancelled),
    ] {
        server.reset(switches);
        let first = stopping(&server, &transport, stops_after);
        let mut download = block_on(Download::begin(&first, place("manykeys"), ALL, narrow)).unwrap();
        assert_eq!(block_on(download.complete(&first)), Err(error.clone()));
        let half = download.run();
        assert!(half.warnings[0].message().contains("not complete") && (20..200).contains(&half.unfetched));
        assert!((20..180).contains(&half.columns.len()), "{}", half.columns.len());
        // As the page keeps it until the user asks for the rest.
        let mut kept = Unfinished::default();
        kept.keep(place("manykeys"), download.progress().values, download);
        let mut download: Download = kept.take(&place("manykeys")).unwrap();
        *server.state().switches() = Switches::default();
        download.want_also(|_| true);
        block_on(download.complete(&client)).unwrap();
        assert!(download.is_whole());
        let run = download.run();
        assert_eq!((&run.columns, &run.row_times), (&whole.run().columns, &whole.run().row_times));
        assert_eq!((run.unfetched, run.warnings.len()), (0, 0));
        assert_eq!(answered(&server), needed, "{error}");
    }
}

#[test]
fn what_lies_beside_a_run_comes_on_demand_and_once() {
    let Some(tiny) = corpus("tiny-grpo") else { return };
    // It logged more than a page of tables.
    let server = FakeWandb::start(0, &[tiny.join("amber-18")]);
    let transport = Native::default();
    let client = client(&server, &transport);
    let stored = &server.state().runs[0];
    let tables = stored.files.iter().filter(|(name, _)| name.ends_with(".table.json")).count();
    assert!(tables > 100 && tables < stored.files.len(), "{tables}");
    let download = block_on(fetch(&client, &stored.id, FetchOptions::default())).unwrap();
    assert!(download.run().unlisted && download.run().tables.iter().all(|table| table.content.is_none()));
    let joined = |extras: &Extras| {
        let mut assembler = RunAssembler::default();
        let parts = vec![download.part().0, extras.part()];
        assembler.add(FileOutcome { parts, ..FileOutcome::default() });
        assembler.assemble(Vec::new()).runs.remove(0)
    };

    server.reset(limited(7));
    let mut extras = Extras::new(place(&stored.id));
    assert_eq!(block_on(extras.complete(&client, |_| {})), Err(ApiError::RateLimited));
    let half = joined(&extras);
    let read = half.tables.iter().filter(|table| table.content.is_some()).count();
    assert!(half.unlisted && (1..tables).contains(&read) && half.artifacts.len() > 1, "{read}");
    *server.state().switches() = Switches::default();
    block_on(extras.complete(&client, |_| {})).unwrap();
    let mut asked = answered(&server);
    let (all, files) = (asked.len(), asked.iter().filter(|line| line.starts_with("GET /storage/")).count());
    asked.dedup();
    assert_eq!((asked.len(), files), (all, tables));

    let run = joined(&extras);
    let of_disk = support::ingest_folder(&tiny.join("amber-18"));
    let of_disk = of_disk.runs.iter().find(|run| run.id == stored.id).unwrap();
    assert_eq!(run.tables, of_disk.tables);
    assert!(!run.unlisted && run.warnings.is_empty() && run.row_steps.len() == of_disk.row_steps.len());
    let artifact = &run.artifacts[0];
    assert_eq!((&artifact.name, artifact.kind.as_str()), (&format!("run-{}-history:v0", stored.id), "wandb-history"));
    assert_eq!(
        (artifact.version.as_str(), artifact.bytes, &artifact.aliases[..]),
        ("v0", Some(1_234.0), &["latest".to_owned()][..])
    );
    assert!(artifact.created_at.is_some());
    for (name, path) in stored.files.iter().filter(|(name, _)| !name.ends_with(".table.json")) {
        let found = run.artifacts.iter().find(|artifact| artifact.name == *name).unwrap();
        assert_eq!((found.kind.as_str(), found.bytes), ("file", Some(std::fs::metadata(path).unwrap().len() as f64)));
    }
    assert_eq!(run.artifacts.len(), 1 + stored.files.len() - tables);

    // Asked again, it looks for what is new.
    server.reset(Switches { missing_fields: vec!["outputArtifacts".into()], ..Switches::default() });
    block_on(extras.complete(&client, |_| {})).unwrap();
    assert!(answered(&server).iter().all(|line| !line.starts_with("GET")));
    let again = joined(&extras);
    assert_eq!((again.artifacts.len(), again.tables), (run.artifacts.len(), run.tables));
    assert!(again.warnings[0] == RunWarning::FilesNotListed);
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

/// A server of one file.
fn served(id: &str, file: &[u8]) -> FakeWandb {
    let folder = std::env::temp_dir().join(format!("rundown-{id}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("run-{id}.wandb")), file).unwrap();
    let server = FakeWandb::start(0, std::slice::from_ref(&folder));
    std::fs::remove_dir_all(&folder).unwrap();
    server
}

#[test]
fn errors_say_what_to_do_and_never_hold_the_key() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let id = server.state().runs[0].id.clone();
    let with_key = |key: Option<&str>| {
        WandbClient::new(HttpSession::new(&transport, 7), server.base_url(), key.and_then(ApiKey::new))
    };
    let error = |client: &WandbClient<&Native>, place: RunRef| {
        block_on(Download::begin(client, place, FetchOptions::default(), |_| true)).err().unwrap()
    };
    let mut seen = vec![error(&with_key(Some("wrong-0123456789abcdef")), place(&id))];
    assert_eq!(seen[0], ApiError::WrongKey);
    seen.push(error(&client, place("nothing")));
    assert!(matches!(&seen[1], ApiError::NotFound { what, had_key: true } if what.contains("run ")));
    seen.push(error(&client, RunRef { project: "none".into(), ..place(&id) }));
    assert!(matches!(&seen[2], ApiError::NotFound { what, .. } if what.contains("project ")));
    server.state().switches().private = true;
    seen.push(error(&with_key(None), place(&id)));
    assert!(matches!(&seen[3], ApiError::NotFound { had_key: false, .. }));
    assert!(block_on(Download::begin(&client, place(&id), FetchOptions::default(), |_| true)).is_ok());
    server.reset(Switches { rate_limited: 100, ..Switches::default() });
    seen.push(error(&client, place(&id)));
    assert_eq!(seen[4], ApiError::RateLimited);
    server.reset(Switches { bad_gateway: 100, ..Switches::default() });
    seen.push(error(&client, place(&id)));
    assert_eq!(seen[5], ApiError::Server { status: 502 });
    server.reset(Switches::default());
    let nowhere = WandbClient::new(HttpSession::new(&transport, 7), "http://127.0.0.1:1", ApiKey::new(KEY));
    seen.push(error(&nowhere, place(&id)));
    assert!(matches!(&seen[6], ApiError::Blocked { .. }));
    for error in &seen {
        let text = format!("{error} {error:?} {}", error.remedy());
        assert!(!text.contains(KEY) && !text.contains("0123456789abcdef") && text.len() > 40, "{text}");
    }
}

#[test]
fn files_come_without_the_key_from_buckets_and_with_it_from_the_server() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let with_files = server.state().runs.iter().filter(|run| run.files.len() > 1).collect::<Vec<_>>();
    let run = with_files.iter().max_by_key(|run| run.files.len()).unwrap();
    let (files, more) = block_on(client.files(&place(&run.id), None)).unwrap();
    assert_eq!((files.len(), more), (run.files.len(), false));
    let (tables, _) = block_on(client.files(&place(&run.id), Some("media/table/%.table.json"))).unwrap();
    assert!(!tables.is_empty() && tables.iter().all(|file| file.name.ends_with(".table.json")));
    let bytes = block_on(client.read_file(&place(&run.id), &tables[0])).unwrap();
    let on_disk = &run.files.iter().find(|(name, _)| *name == tables[0].name).unwrap().1;
    assert_eq!(
        (bytes, tables[0].bytes),
        (std::fs::read(on_disk).unwrap(), Some(std::fs::metadata(on_disk).unwrap().len()))
    );
    for seen in server.state().log().iter() {
        let is_storage = seen.line.contains("/storage/");
        assert_eq!(seen.authorization.is_some(), !is_storage, "{seen:?}");
        assert!(!seen.line.contains(KEY) && !seen.body.contains(KEY));
    }
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
    assert!(!block_on(follower.look(&client)).unwrap().is_any());
    server.state().log().clear();
    assert!(!block_on(follower.look(&client)).unwrap().is_any());
    assert_eq!(server.state().log().len(), 1, "a look at a quiet run is one request");
    server.state().switches().visible_rows = Some(all / 2 + 100);
    let changes = block_on(follower.look(&client)).unwrap();
    assert_eq!((changes.new_rows, changes.state, changes.goes_on), (100, None, true));
    // A failure in the middle loses nothing: the next look goes on.
    *server.state().switches() = Switches { bad_gateway: 7, ..Switches::default() };
    assert!(block_on(follower.look(&client)).is_err());
    server.reset(Switches::default());
    let changes = block_on(follower.look(&client)).unwrap();
    assert_eq!(changes.new_rows, all - all / 2 - 100);
    assert_eq!(changes.state.map(|(before, _)| before), Some(RunState::Running));
    assert_eq!(follower.download().run().columns, from_file(&id).columns);
}

#[test]
fn runs_are_listed_as_they_were_chosen() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let projects = block_on(client.list_projects("corpus", None)).unwrap().entries;
    assert_eq!((projects[0].name.as_str(), projects[0].runs), ("tiny-grpo", Some(4)));
    assert_eq!(block_on(client.viewer()).unwrap().entities, ["corpus", "a-team"]);
    let columns = ListColumns {
        config: vec!["learning_rate".to_owned()],
        summary: vec!["_step".to_owned()],
        whole_config: false,
    };
    let list = |selection: &RunSelection, columns: &ListColumns| {
        block_on(client.list_runs("corpus", "tiny-grpo", selection, columns, None)).unwrap()
    };
    let all = list(&RunSelection::default(), &columns);
    assert_eq!((all.entries.len(), all.total, all.next), (4, Some(4), None));
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
    assert!(download.logged_keys().any(|(key, count)| key == "train/loss" && count > 0));
    let bytes = download.progress().bytes;
    assert!(download.is_done() && !download.is_whole());
    download.want_also(|key| key == "train/loss" || key == "train/reward");
    assert_eq!((download.progress().left, download.run().unfetched - few.unfetched), (1, 0));
    block_on(download.complete(&client)).unwrap();
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
    assert_eq!(sampled.strategy(), Strategy::Buckets);
    assert_eq!(run.bands["loss"].high.values().iter().copied().fold(0.0, f64::max), 1_056.0);
    assert!(run.columns["loss"].len() <= 2_000 && matches!(run.warnings[0], RunWarning::Bucketed { .. }));
    assert_eq!((run.sampling_of("loss"), run.sampling_of("other")), (Some(Thinning::Buckets), None));
    let drawn = run.series_with_extremes("loss").unwrap();
    assert!(drawn.values.contains(&1_056.0) && drawn.len() > 5_000);
    let requests = sampled.progress().done;
    server.state().switches().export = true;
    let exported = block_on(fetch(&client, "longrun1", options)).unwrap();
    assert_eq!(exported.strategy(), Strategy::Parquet);
    let whole = exported.run();
    assert!(server.state().log().iter().all(|seen| !seen.line.contains("/storage/") || seen.authorization.is_none()));
    server.state().switches().missing_fields = vec!["bucketedHistory".into(), "parquetHistory".into()];
    let exact = block_on(fetch(&client, "longrun1", options)).unwrap();
    assert_eq!(exact.strategy(), Strategy::Exact);
    let run = exact.run();
    assert_eq!((run.columns["loss"].len() as u64, run.warnings.len(), &run.sampling[..]), (ROWS, 0, &[][..]));
    assert_eq!((&whole.columns, &whole.row_steps, &whole.row_times), (&run.columns, &run.row_steps, &run.row_times));
    assert!((10..100).contains(&exact.progress().done), "{}", exact.progress().done);
    eprintln!("{requests} requests for buckets, {} for {ROWS} rows", exact.progress().done);
}
