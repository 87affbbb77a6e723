//! Artifacts of a run: our client lists what the real one does, and our reader finds in a run file what the real client
//! wrote into it.

use std::path::Path;
use std::process::Command;

use rundown_http::{ApiKey, HttpSession};
use rundown_wandb::{Extras, WandbClient};
use serde_json::{Value, json};

use crate::native::Native;
use crate::peer::{KEY, peer, python, server};
use crate::served::{block_on, place};
use crate::support::ingest_folder;

fn script(program: &Path, name: &str) -> Command {
    let mut command = python(program);
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle").join(name));
    command
}

#[test]
fn our_client_lists_the_artifacts_that_the_real_one_lists() {
    let (Some(server), Some(program)) = (server(), peer()) else { return };
    let id = server.state().runs[0].id.clone();
    let mut command = script(&program, "list_wandb_artifacts.py");
    let output = command.args([server.base_url(), KEY, &format!("corpus/tiny-grpo/{id}")]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let transport = Native::default();
    let client = WandbClient::new(HttpSession::new(&transport, 7), server.base_url(), ApiKey::new(KEY));
    let mut extras = Extras::new(place(&id));
    block_on(extras.complete(&client, |_| {})).unwrap();
    let artifacts = extras.part().run.artifacts.into_iter().filter(|artifact| artifact.kind != "file");
    let ours: Vec<Value> =
        artifacts.map(|a| json!([a.name, a.kind, a.version, a.aliases, a.bytes.map(|bytes| bytes as u64)])).collect();
    assert!(!ours.is_empty());
    assert_eq!(ours, theirs);
}

#[test]
fn a_run_file_of_the_real_client_lists_its_artifacts() {
    let Some(program) = peer() else { return };
    let folder = std::env::temp_dir().join(format!("rundown-artifacts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let output =
        script(&program, "log_wandb_artifacts.py").arg(&folder).env("WANDB_DATA_DIR", &folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut ingested = ingest_folder(&folder);
    std::fs::remove_dir_all(&folder).unwrap();
    let run = ingested.runs.iter_mut().find(|run| run.id == "abc12345").unwrap();
    let [artifact] = &mut run.artifacts[..] else { panic!("{:?}", run.artifacts) };
    // The client writes them in any order.
    artifact.aliases.sort_unstable();
    assert_eq!((artifact.name.as_str(), artifact.kind.as_str()), ("eval-replays-abc12345", "replays"));
    assert_eq!(
        (&artifact.aliases[..], artifact.bytes),
        (&["latest".to_owned(), "step-1".to_owned()][..], Some(1_300.0))
    );
    assert_eq!(run.tables.len(), 1, "the table is a table");
}
