//! Queries against a server of canned answers; `tests/wandb_query.rs` asks one that understands filters.

use serde_json::{Value, json};

use super::*;
use crate::http::HttpSession;
use crate::http::fake::{Fake, answer, block_on};

fn says(query: &str) -> String {
    Choice::read(query).unwrap().says(&Selection::default())
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
fn choose(query: &str, limit: usize, pages: &[String]) -> (Vec<String>, bool, Vec<Value>) {
    let fake = Fake::new(pages.iter().map(|page| answer(200, page)));
    let client = Client::new(HttpSession::new(&fake, 1), "https://api.example", None);
    let choice = Choice::read(query).unwrap();
    let chosen = block_on(choice.runs(&client, ("e", "p"), &Selection::default(), limit)).unwrap();
    let bodies = fake.asked().into_iter().map(|asked| serde_json::from_slice::<Value>(&asked.body).unwrap());
    let ids = chosen.runs.into_iter().map(|run| run.id).collect();
    (ids, chosen.is_cut, bodies.map(|body| body["variables"].clone()).collect())
}

#[test]
fn it_says_who_decides_what() {
    assert_eq!(says(""), "All runs of the project are listed.");
    assert_eq!(says("state == finished and tags contains a"), "W&B filtered by state, tags.");
    assert_eq!(
        says("words"),
        "This page filtered by the words \"words\", and looked at every run of the project for it."
    );
    let whole = says("state == finished config.lr > 1e-4 config.actor.lr != 1 verdict != ugly");
    assert_eq!(
        whole,
        "W&B filtered by state. W&B narrowed by config.lr, and this page finished it. This page filtered by \
         config.actor.lr. Only the runs themselves show verdict: the filter of the run list asks for it once they are \
         loaded."
    );
    assert!(
        says("verdict == good")
            .starts_with("All runs of the project are listed. Only the runs themselves show verdict")
    );
    assert!(Choice::read("verdict == good").unwrap().is_open() && !Choice::read("state == failed").unwrap().is_open());
    let group = Selection { group: Some("g".into()), ..Selection::default() };
    assert_eq!(Choice::read("state == failed").unwrap().says(&group), "W&B filtered by group, state.");
}

#[test]
fn a_wrong_query_is_pointed_at() {
    assert_eq!(Choice::read("state ==").unwrap_err().at, 8);
    assert!(Choice::read("verdict == fine").is_err());
}

#[test]
fn pages_are_asked_for_until_there_are_enough() {
    let first = page(&[run("a", json!({"lr": 1})), run("b", json!({"lr": 5}))], Some("2"));
    let second = page(&[run("c", json!({"lr": 7})), run("d", json!({"lr": 8}))], Some("4"));
    let (ids, is_cut, asked) = choose("config.lr > 2 verdict != ugly", 2, &[first, second]);
    assert_eq!((ids, is_cut), (vec!["b".to_owned(), "c".to_owned()], false));
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
    let (ids, _, asked) = choose("config.lr > 2", 50, &[narrow, whole, next]);
    assert_eq!(ids, ["a", "b"]);
    let keys: Vec<bool> = asked.iter().map(|asked| asked.get("configKeys").is_some()).collect();
    assert_eq!(keys, [true, false, false]);
    assert_eq!(asked[1]["cursor"], Value::Null, "the first page is asked for again");
}

#[test]
fn a_server_without_end_is_left() {
    let full: Vec<Value> = (0..50).map(|index| run(&index.to_string(), json!({}))).collect();
    let pages: Vec<String> = (0..200).map(|index| page(&full, Some(&index.to_string()))).collect();
    let (ids, is_cut, asked) = choose("nothing", 50, &pages);
    assert_eq!((ids.len(), is_cut, asked.len()), (0, true, 100));
    let empty: Vec<String> = (0..500).map(|index| page(&[], Some(&index.to_string()))).collect();
    let (_, is_cut, asked) = choose("nothing", 50, &empty);
    assert_eq!((is_cut, asked.len()), (true, MOST_PAGES));
    let same: Vec<String> = (0..9).map(|_| page(&full, Some("1"))).collect();
    let (_, is_cut, asked) = choose("nothing", 50, &same);
    assert_eq!((is_cut, asked.len()), (false, 2));
}
