//! Queries against canned responses; `tests/wandb/query.rs` asks a fake server that understands filters.

use serde_json::{Value, json};

use super::*;
use rundown_http::HttpSession;
use rundown_http::fake::{Fake, answer, block_on};

fn description(query: &str) -> String {
    RunFilter::parse(query).unwrap().description(&RunSelection::default())
}

fn run(id: &str, config: Value) -> Value {
    let wrapped: serde_json::Map<String, Value> =
        config.as_object().unwrap().iter().map(|(key, value)| (key.clone(), json!({ "value": value }))).collect();
    json!({ "node": { "name": id, "state": "finished", "config": Value::Object(wrapped).to_string() } })
}

fn page(runs: &[Value], next: Option<&str>) -> String {
    let info = json!({ "endCursor": next, "hasNextPage": next.is_some() });
    json!({ "data": { "project": { "runCount": 9, "runs": { "edges": runs, "pageInfo": info } } } }).to_string()
}

/// Ids that a query chooses of these pages, whether there may be more, and the variables of each request.
fn filter_runs(query: &str, limit: usize, pages: &[String]) -> (Vec<String>, bool, Vec<Value>) {
    let fake = Fake::new(pages.iter().map(|page| answer(200, page)));
    let client = WandbClient::new(HttpSession::new(&fake, 1), "https://api.example", None);
    let filter = RunFilter::parse(query).unwrap();
    let filtered = block_on(filter.runs(&client, ("e", "p"), &RunSelection::default(), limit)).unwrap();
    let bodies = fake.asked().into_iter().map(|asked| serde_json::from_slice::<Value>(&asked.body).unwrap());
    let ids = filtered.runs.into_iter().map(|run| run.id).collect();
    (ids, filtered.is_truncated, bodies.map(|body| body["variables"].clone()).collect())
}

#[test]
fn the_description_says_where_each_key_is_filtered() {
    assert_eq!(description(""), "All runs of the project are listed.");
    assert_eq!(description("state == finished and tags contains a"), "Filtered by W&B (state, tags).");
    assert_eq!(
        description("config.learning_rate > 1e-4 and name ~ /^a/"),
        "Filtered by W&B (learning_rate, name) and in this page."
    );
    assert_eq!(
        description("words"),
        "Filtered in this page (the words \"words\"): every run of the project was checked."
    );
    assert_eq!(
        description("state == finished config.lr > 1e-4 config.actor.lr != 1 verdict != ugly"),
        "Filtered by W&B (state, lr) and in this page (actor.lr). The run list filters by verdict once the runs are \
         loaded."
    );
    assert_eq!(
        description("verdict == good"),
        "All runs of the project are listed. The run list filters by verdict once the runs are loaded."
    );
    let needs_loading = |query: &str| RunFilter::parse(query).unwrap().needs_loading();
    assert!(needs_loading("verdict == good") && !needs_loading("state == failed"));
    let group = RunSelection { group: Some("g".into()), ..RunSelection::default() };
    assert_eq!(RunFilter::parse("state == failed").unwrap().description(&group), "Filtered by W&B (group, state).");
}

#[test]
fn a_wrong_query_is_pointed_at() {
    assert_eq!(RunFilter::parse("state ==").unwrap_err().at, 8);
    assert!(RunFilter::parse("verdict == fine").is_err());
}

#[test]
fn pages_are_asked_for_until_there_are_enough() {
    let first = page(&[run("a", json!({"lr": 1})), run("b", json!({"lr": 5}))], Some("2"));
    let second = page(&[run("c", json!({"lr": 7})), run("d", json!({"lr": 8}))], Some("4"));
    let (ids, is_truncated, asked) = filter_runs("config.lr > 2 verdict != ugly", 2, &[first, second]);
    assert_eq!((ids, is_truncated), (vec!["b".to_owned(), "c".to_owned()], false));
    assert_eq!(asked.len(), 2);
    assert_eq!((&asked[0]["cursor"], &asked[1]["cursor"]), (&Value::Null, &json!("2")));
    assert_eq!(asked[0]["configKeys"], json!(["lr"]));
    assert_eq!(asked[0]["summaryKeys"], json!(["-"]));
    let filters: Value = serde_json::from_str(asked[0]["filters"].as_str().unwrap()).unwrap();
    assert_eq!(filters["$and"][0]["$or"][1], json!({"config.lr.value": {"$gt": 2}}));
}

#[test]
fn the_end_of_a_longer_key_is_looked_for_in_whole_configs() {
    let narrow = page(&[run("a", json!({"lr": 5})), run("b", json!({}))], Some("2"));
    let whole = page(&[run("a", json!({"lr": 5})), run("b", json!({"actor": {"optim": {"lr": 7}}}))], Some("2"));
    let next = page(&[run("c", json!({"actor": {"optim": {"lr": 1}}})), run("d", json!({}))], None);
    let (ids, _, asked) = filter_runs("config.lr > 2", 50, &[narrow, whole, next]);
    assert_eq!(ids, ["a", "b"]);
    let keys: Vec<bool> = asked.iter().map(|asked| asked.get("configKeys").is_some()).collect();
    assert_eq!(keys, [true, false, false]);
    assert_eq!(asked[1]["cursor"], Value::Null, "the first page is asked for again");
}

#[test]
fn a_server_without_end_is_left() {
    let full: Vec<Value> = (0..50).map(|index| run(&index.to_string(), json!({}))).collect();
    let pages: Vec<String> = (0..200).map(|index| page(&full, Some(&index.to_string()))).collect();
    let (ids, is_truncated, asked) = filter_runs("nothing", 50, &pages);
    assert_eq!((ids.len(), is_truncated, asked.len()), (0, true, 100));
    let empty: Vec<String> = (0..500).map(|index| page(&[], Some(&index.to_string()))).collect();
    let (_, is_truncated, asked) = filter_runs("nothing", 50, &empty);
    assert_eq!((is_truncated, asked.len()), (true, MAX_PAGES));
    let same = Fake::new((0..9).map(|_| answer(200, &page(&full, Some("1")))));
    let client = WandbClient::new(HttpSession::new(&same, 1), "https://api.example", None);
    let filter = RunFilter::parse("nothing").unwrap();
    let filtered = block_on(filter.runs(&client, ("e", "p"), &RunSelection::default(), 50));
    assert_eq!(filtered, Err(ApiError::EndlessList { operation: "Runs" }));
    assert_eq!(same.asked().len(), 2);
}
