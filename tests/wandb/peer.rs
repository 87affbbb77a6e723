//! The real W&B client and ours read the same server: the same runs, rows, values, settings and files. And the two
//! scripts that users are given are run for real.
//!
//! The client's Python is named by `RUNDOWN_PEER_PYTHON`, or made by `tools/peer.sh`. Skips, with a notice, without it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rundown_http::{ApiKey, HttpSession};
use rundown_ingest::json::Json;
use rundown_run::{Config, ConfigValue, Run};
use rundown_wandb::{
    Download, FetchOptions, ListColumns, Reference, RunSelection, WandbClient, exporter_script, proxy_script,
};
use serde_json::Value;

use crate::fake_wandb::{FakeWandb, Switches, value};
use crate::native::Native;
use crate::served::{block_on, folders, place};
use crate::support::{ingest_folder, named};

pub const KEY: &str = "0123456789abcdef0123456789abcdef01234567";

/// Step and value of each point of each metric; a NaN is a word, so that it equals itself.
type Points = BTreeMap<String, Vec<(String, String)>>;

/// A server with the runs of the corpus, which knows one key.
pub fn server() -> Option<FakeWandb> {
    let server = FakeWandb::start(0, &folders()?);
    server.reset(Switches { key: Some(KEY.to_owned()), private: true, ..Switches::default() });
    Some(server)
}

/// A Python with the real client, made once for all tests here.
pub fn peer() -> Option<PathBuf> {
    static PEER: OnceLock<Option<PathBuf>> = OnceLock::new();
    PEER.get_or_init(find_peer).clone()
}

fn find_peer() -> Option<PathBuf> {
    if let Some(python) = std::env::var_os("RUNDOWN_PEER_PYTHON") {
        return Some(python.into());
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/peer.sh");
    let made = Command::new("sh").arg(script).stderr(Stdio::null()).output().ok()?;
    let path = String::from_utf8(made.stdout).ok()?.trim().to_owned();
    if !made.status.success() || path.is_empty() {
        eprintln!("skipped: no Python with the W&B client (tools/peer.sh makes one)");
        return None;
    }
    Some(path.into())
}

/// The real client's Python with its key and without the user's settings.
pub fn python(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env("WANDB_API_KEY", KEY).env("WANDB_SILENT", "true").env("WANDB_ERROR_REPORTING", "false");
    command.env("WANDB_DIR", std::env::temp_dir()).env_remove("WANDB_BASE_URL");
    command
}

fn fetch(base_url: &str, id: &str) -> Run {
    let transport = Native::default();
    let client = WandbClient::new(HttpSession::new(&transport, 7), base_url, ApiKey::new(KEY));
    block_on(async {
        let mut download = Download::begin(&client, place(id), FetchOptions::default(), |_| true).await.unwrap();
        download.complete(&client).await.unwrap();
        download.run()
    })
}

fn points_of(run: &Run) -> Points {
    let point = |(row, value): (u32, f64)| (run.row_steps[row as usize].to_string(), value.to_string());
    run.columns.iter().map(|(key, column)| (key.clone(), column.points().map(point).collect())).collect()
}

/// The same from rows of the real client.
fn points_in(rows: &Value) -> Points {
    let mut points = Points::new();
    for row in rows.as_array().unwrap() {
        let step = row["_step"].as_f64().unwrap().to_string();
        for (key, value) in row.as_object().unwrap() {
            let number = match value {
                Value::Number(number) => number.as_f64(),
                Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
                Value::String(word) if word == "NaN" => Some(f64::NAN),
                Value::String(word) if word == "Infinity" => Some(f64::INFINITY),
                Value::String(word) if word == "-Infinity" => Some(f64::NEG_INFINITY),
                _ => None,
            };
            if let Some(number) = number.filter(|_| !key.starts_with('_')) {
                points.entry(key.clone()).or_default().push((step.clone(), number.to_string()));
            }
        }
    }
    points
}

/// Numbers, flags and texts of a nested object by dotted key.
fn leaves(value: &Value, prefix: &str, found: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(members) if members.contains_key("_type") => {}
        Value::Object(members) => {
            for (key, value) in members {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                leaves(value, &name, found);
            }
        }
        Value::Number(number) => _ = found.insert(prefix.to_owned(), number.as_f64().unwrap().to_string()),
        Value::Bool(flag) => _ = found.insert(prefix.to_owned(), flag.to_string()),
        Value::String(text) => _ = found.insert(prefix.to_owned(), text.clone()),
        _ => {}
    }
}

fn flat(config: &Config) -> BTreeMap<String, String> {
    let plain = config.iter().filter_map(|(key, value)| match value {
        ConfigValue::Number(number) if number.is_infinite() => {
            Some((key, if *number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }))
        }
        ConfigValue::Number(number) => Some((key, number.to_string())),
        ConfigValue::Bool(flag) => Some((key, flag.to_string())),
        // An integer that an f64 would round is a text here, and rounded there.
        ConfigValue::Text(text) if text.len() > 15 && text.parse::<f64>().is_ok() => {
            Some((key, text.parse::<f64>().unwrap().to_string()))
        }
        ConfigValue::Text(text) if text.starts_with('{') => None,
        ConfigValue::Text(text) => Some((key, text.clone())),
        ConfigValue::Null | ConfigValue::List(_) => None,
    });
    plain.map(|(key, text)| (key.to_owned(), text)).collect()
}

#[test]
fn our_client_gets_what_the_real_one_gets() {
    let (Some(server), Some(program)) = (server(), peer()) else { return };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle/dump_wandb_api.py");
    let output = python(&program).arg(script).args([server.base_url(), KEY, "corpus/tiny-grpo"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Not serde_json's reader, whose floats may be off by the last bit.
    let theirs = value(&Json::parse(&output.stdout).unwrap());
    let transport = Native::default();
    let client = WandbClient::new(HttpSession::new(&transport, 7), server.base_url(), ApiKey::new(KEY));
    let (all, columns) = (RunSelection::default(), ListColumns::default());
    let listed = client.list_runs("corpus", "tiny-grpo", &all, &columns, None);
    let mut listed = block_on(listed).unwrap().entries;
    listed.reverse();
    let their_runs = theirs["runs"].as_array().unwrap();
    let ids: Vec<&str> = their_runs.iter().map(|run| run["id"].as_str().unwrap()).collect();
    assert_eq!(listed.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ids);
    let mut compared = 0;
    for (theirs, info) in their_runs.iter().zip(&listed) {
        let run = fetch(server.base_url(), &info.id);
        let ours = points_of(&run);
        let expected = points_in(&theirs["rows"]);
        assert_eq!(ours.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{}", info.id);
        for (key, points) in &expected {
            assert_eq!(&ours[key], points, "{}: {key}", info.id);
            compared += points.len();
        }
        for (key, rows) in theirs["sampled"].as_object().unwrap() {
            assert_eq!(ours[key], points_in(rows)[key], "{}: history(keys=[{key}])", info.id);
        }
        assert_eq!(
            (run.name.as_str(), info.state.as_str()),
            (theirs["name"].as_str().unwrap(), theirs["state"].as_str().unwrap())
        );
        for (ours, theirs) in [(&run.config, &theirs["config"]), (&run.summary, &theirs["summary"])] {
            let mut expected = BTreeMap::new();
            leaves(theirs, "", &mut expected);
            expected.retain(|key, _| !key.starts_with("_wandb"));
            assert_eq!(flat(ours), expected, "{}", info.id);
        }
        let (files, _) = block_on(client.files(&place(&info.id), None)).unwrap();
        let mut files: Vec<Value> = files.iter().map(|file| serde_json::json!([file.name, file.bytes])).collect();
        files.sort_by_key(|file| file[0].as_str().unwrap().to_owned());
        assert_eq!(Value::Array(files), theirs["files"], "{}", info.id);
    }
    eprintln!("compared {compared} values of {} runs with wandb {}", ids.len(), theirs["version"]);
}

#[test]
fn the_exporter_writes_what_the_page_reads() {
    let (Some(server), Some(program)) = (server(), peer()) else { return };
    let folder = std::env::temp_dir().join(format!("rundown-exporter-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let reference = Reference::parse("corpus/tiny-grpo").unwrap().with_base_url(server.base_url());
    let script = exporter_script(&reference);
    assert!(!script.contains(KEY));
    let output = python(&program).arg("-c").arg(script).current_dir(&folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ingested = ingest_folder(&folder.join("rundown-export"));
    assert_eq!(ingested.runs.len(), server.state().runs.len(), "{:?}", ingested.problems);
    for stored in &server.state().runs {
        let read = named(&ingested.runs, &stored.display_name);
        let fetched = fetch(server.base_url(), &stored.id);
        assert_eq!(points_of(read), points_of(&fetched), "{}", stored.display_name);
        assert_eq!(flat(&read.config), flat(&fetched.config), "{}", stored.display_name);
        assert_eq!(flat(&read.summary), flat(&fetched.summary), "{}", stored.display_name);
        let facts = |run: &Run| {
            let optional =
                [&run.entity, &run.project, &run.group, &run.job_type, &run.sweep, &run.notes].map(Clone::clone);
            let ids = (run.id.clone(), run.tags.clone(), run.started_at.map(f64::to_bits), run.ending.state);
            let media: Vec<(String, usize)> =
                run.histograms.iter().map(|(key, list)| (key.clone(), list.len())).collect();
            (ids, optional, run.metric_rules.clone(), run.axis.key.clone(), run.row_times.len(), media)
        };
        assert_eq!(facts(read), facts(&fetched), "{}", stored.display_name);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_local_proxy_forwards_queries_and_files_and_nothing_else() {
    let Some(server) = server() else { return };
    let script = proxy_script(server.base_url(), "https://page.example");
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let started = Command::new("python3").arg("-c").arg(script).arg(port.to_string()).stdout(Stdio::piped()).spawn();
    let Ok(child) = started else {
        eprintln!("skipped: python3 does not run here");
        return;
    };
    let mut proxy = Proxy(child);
    let mut line = String::new();
    BufReader::new(proxy.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), format!("base URL: http://localhost:{port}"));
    let base_url = format!("http://127.0.0.1:{port}");
    let id = &server.state().runs[0].id;
    assert_eq!(points_of(&fetch(&base_url, id)), points_of(&fetch(server.base_url(), id)));
    let http = reqwest::Client::new();
    let (refused, foreign, preflight, missing) = block_on(async {
        let get = |path: &str| http.get(format!("{base_url}{path}"));
        let refused = get("/admin").send().await.unwrap().status();
        let foreign = get("/files/x").header("origin", "https://evil.example").send().await.unwrap();
        let ask = http.request(reqwest::Method::OPTIONS, format!("{base_url}/graphql"));
        let preflight = ask.header("origin", "https://page.example").send().await.unwrap();
        (refused, foreign, preflight, get("/files/a/b/c/d").send().await.unwrap().status())
    });
    assert_eq!((refused.as_u16(), foreign.status().as_u16(), missing.as_u16()), (403, 403, 403));
    assert!(foreign.headers().get("access-control-allow-origin").is_none());
    assert_eq!(preflight.headers()["access-control-allow-origin"], "https://page.example");
    assert!(server.state().log().iter().all(|seen| seen.line != "GET /admin"));
}

/// Ends the proxy when a test ends, however it does.
struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}
