//! Downloads that do not go through at once: failures are got over, and after a stop only what is missing is asked for.

use std::cell::Cell;

use rundown_http::{ApiKey, CancelToken, HttpRequest, HttpSession, Incoming, Transport, TransportError};
use rundown_ingest::{FileOutcome, RunAssembler};
use rundown_run::RunWarning;
use rundown_wandb::{ApiError, Download, Extras, FetchOptions, Unfinished, WandbClient};
use serde_json::Value;

use crate::fake_wandb::{FakeWandb, Switches};
use crate::native::Native;
use crate::served::{ALL, KEY, block_on, client, fetch, place, served, server};
use crate::support::{corpus, ingest_folder};
use crate::wandb_file::WandbFile;

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

/// A transport whose user stops it after so many answers.
struct Stopping<'t> {
    transport: &'t Native,
    cancel: CancelToken,
    left: Cell<u32>,
}

impl Transport for Stopping<'_> {
    async fn send(&self, request: &HttpRequest, incoming: &Incoming) -> Result<(), TransportError> {
        let answer = self.transport.send(request, incoming).await;
        self.left.set(self.left.get().saturating_sub(1));
        if self.left.get() == 0 {
            self.cancel.cancel();
        }
        answer
    }

    async fn sleep(&self, milliseconds: u32) {
        self.transport.sleep(milliseconds).await;
    }
}

/// A client whose user stops it after so many answers.
fn stopping<'t>(server: &FakeWandb, transport: &'t Native, answers: u32) -> WandbClient<Stopping<'t>> {
    let cancel = CancelToken::default();
    let transport = Stopping { transport, cancel: cancel.clone(), left: Cell::new(answers) };
    let session = HttpSession::new(transport, 7).with_cancel(cancel);
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
        (limited(3), u32::MAX, ApiError::LongWait { seconds: 86_400 }),
        (Switches::default(), 3, ApiError::Cancelled),
        (Switches::default(), 2, ApiError::Cancelled),
    ] {
        server.reset(switches);
        let first = stopping(&server, &transport, stops_after);
        let mut download = block_on(Download::begin(&first, place("manykeys"), ALL, narrow)).unwrap();
        assert_eq!(block_on(download.complete(&first)), Err(error.clone()));
        let half = download.run();
        assert!(half.warnings[0].message().contains("not complete") && (20..200).contains(&half.unfetched));
        assert!((10..180).contains(&half.columns.len()), "{}", half.columns.len());
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
        let mut asked = answered(&server);
        // Requests that were under way are dropped at once, and asked for again; the server may have answered them.
        if error == ApiError::Cancelled {
            asked.dedup();
        }
        assert_eq!(asked, needed, "{error}");
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
    assert_eq!(block_on(extras.complete(&client, |_| {})), Err(ApiError::LongWait { seconds: 86_400 }));
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
    let of_disk = ingest_folder(&tiny.join("amber-18"));
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
