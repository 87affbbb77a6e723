//! Runs of a project chosen by a query, on a server that understands filters: who decides what, and that nothing which
//! the query means is left out.

use rundown_compare::RunSummary;
use rundown_diagnose::{Rulebook, diagnose};
use rundown_http::{ApiKey, HttpSession};
use rundown_query::Query;
use rundown_run::Run;
use rundown_wandb::{FilteredRuns, Order, RunFilter, RunSelection, WandbClient};
use serde_json::{Value, json};

use crate::fake_wandb::{FakeWandb, Switches};
use crate::native::Native;
use crate::served::block_on;
use crate::support::{corpus, ingest_folder};

const RUNS: [&str; 6] = ["amber-01", "amber-07", "amber-10", "amber-17", "sweep-01", "sweep-05"];
const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

/// A server with some runs, and the same runs of their files.
fn server() -> Option<(FakeWandb, Vec<Run>)> {
    let tiny = corpus("tiny-grpo")?;
    let folders: Vec<_> = RUNS.iter().map(|run| tiny.join(run)).collect();
    let server = FakeWandb::start(0, &folders);
    server.reset(Switches { key: Some(KEY.to_owned()), private: true, ..Switches::default() });
    let runs = folders.iter().flat_map(|folder| ingest_folder(folder).runs).collect();
    Some((server, runs))
}

fn choose(server: &FakeWandb, query: &str, selection: &RunSelection, limit: usize) -> FilteredRuns {
    let transport = Native::default();
    let client = WandbClient::new(HttpSession::new(&transport, 7), server.base_url(), ApiKey::new(KEY));
    let filter = RunFilter::parse(query).unwrap();
    let runs = filter.runs(&client, ("corpus", "tiny-grpo"), selection, limit);
    block_on(runs).unwrap()
}

/// Names of the chosen runs, sorted.
fn names(server: &FakeWandb, query: &str) -> Vec<String> {
    let mut names: Vec<String> =
        choose(server, query, &RunSelection::default(), 50).runs.into_iter().map(|run| run.name).collect();
    names.sort();
    names
}

/// The `filters` of the last request.
fn filters(server: &FakeWandb) -> Value {
    let log = server.state().log();
    let body: Value = serde_json::from_str(&log.last().unwrap().body).unwrap();
    serde_json::from_str(body["variables"]["filters"].as_str().unwrap()).unwrap()
}

#[test]
fn what_the_server_can_filter_it_is_asked_to() {
    let Some((server, runs)) = server() else { return };
    assert_eq!(names(&server, "").len(), runs.len());
    assert_eq!(filters(&server), json!({}));
    assert_eq!(names(&server, "name ~ /^amber/"), ["amber-01", "amber-07", "amber-10", "amber-17"]);
    assert_eq!(filters(&server)["$and"][0]["$or"][0], json!({"display_name": {"$regex": "^amber"}}));
    assert_eq!(names(&server, "state == failed"), ["amber-10"]);
    assert_eq!(filters(&server), json!({"$and": [{"state": {"$in": ["failed"]}}]}));
    let group = RunSelection { group: Some("none has it".to_owned()), ..RunSelection::default() };
    assert_eq!(choose(&server, "state == failed", &group, 50), FilteredRuns::default());
    assert_eq!(filters(&server)["$and"][0], json!({"group": "none has it"}));
}

#[test]
fn runs_come_in_the_order_asked_for_and_no_more_than_wanted() {
    let Some((server, _)) = server() else { return };
    let order = RunSelection { order: Order::Highest("_step".to_owned()), ..RunSelection::default() };
    let chosen = choose(&server, "name ~ /^amber/ verdict != ugly", &order, 1);
    let amber = server.state().runs.iter().filter(|run| run.display_name.starts_with("amber"));
    let longest = amber.max_by_key(|run| run.summary["_step"].as_i64()).unwrap();
    assert_eq!((chosen.runs.len(), chosen.runs[0].id.as_str()), (1, longest.id.as_str()));
}

/// The list of the server, finished with what the runs show, is what the query selects of the runs.
#[test]
fn the_list_leaves_out_no_run_that_the_query_means() {
    let Some((server, runs)) = server() else { return };
    let entries: Vec<RunSummary> = runs
        .iter()
        .enumerate()
        .map(|(number, run)| RunSummary::of(number as u32, (run, &diagnose(run, &Rulebook::default()))))
        .collect();
    let (mut chosen, mut left_out) = (0, 0);
    for query in [
        "state == finished",
        "state != finished",
        "amber -17",
        "config.learning_rate >= 1e-4",
        "learning_rate < 1e-4 or name ~ /7$/",
        "config.learning_rate == null",
        "config.seed in [1, 2, 3] and not state == failed",
        "summary.train/reward > 0.3",
        "train/kl < 0.1 verdict != ugly",
        "verdict == ugly and name ~ /^sweep/",
        "finding contains reward_hacking or state == failed",
        "steps > 100 created > 2020-01-01",
        "tags contains sweep or group == sweep",
        "config.no_such == 1",
        "notes == null",
    ] {
        let listed = names(&server, query);
        let parsed = Query::parse(query).unwrap();
        let meant: Vec<&str> =
            entries.iter().filter(|entry| parsed.matches(*entry)).map(|entry| entry.name.as_str()).collect();
        let is_open = !parsed.keys_after_loading().is_empty();
        for entry in &entries {
            let (is_listed, is_meant) = (listed.contains(&entry.name), meant.contains(&entry.name.as_str()));
            assert!(is_listed || !is_meant, "{query} hides {}", entry.name);
            assert!(is_meant || is_open || !is_listed, "{query} lists {}", entry.name);
            chosen += usize::from(is_listed);
            left_out += usize::from(!is_listed);
        }
    }
    assert!(chosen > 20 && left_out > 20, "{chosen} listed, {left_out} left out: the queries tell nothing apart");
}
