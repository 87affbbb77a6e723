//! What tests of our client share: a fake server with real runs, and a client that reads from it.

use std::path::PathBuf;

use rundown_http::{ApiKey, HttpSession};
use rundown_run::Run;
use rundown_wandb::{ApiError, Download, FetchOptions, RunRef, WandbClient};

use crate::fake_wandb::{FakeWandb, Switches};
use crate::native::Native;
use crate::support::{corpus, files_below, ingest};

pub const KEY: &str = "local-0123456789abcdef0123456789abcdef01234567";
pub const ALL: FetchOptions = FetchOptions { system: true, console_lines: 2_000, parquet: false };

/// Folders that are served: a table a step, a log file, one of a sweep, every kind of value.
pub fn folders() -> Option<Vec<PathBuf>> {
    let tiny = corpus("tiny-grpo")?;
    let mut folders: Vec<PathBuf> = ["amber-17", "amber-01", "sweep-01"].iter().map(|run| tiny.join(run)).collect();
    folders.push(corpus("wandb-files")?.join("kinds.wandb"));
    Some(folders)
}

/// A server with its own runs, or `None` without a corpus.
pub fn server() -> Option<FakeWandb> {
    let server = FakeWandb::start(0, &folders()?);
    server.reset(Switches { key: Some(KEY.to_owned()), ..Switches::default() });
    Some(server)
}

/// A server of one file.
pub fn served(id: &str, file: &[u8]) -> FakeWandb {
    let folder = std::env::temp_dir().join(format!("rundown-{id}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("run-{id}.wandb")), file).unwrap();
    let server = FakeWandb::start(0, std::slice::from_ref(&folder));
    std::fs::remove_dir_all(&folder).unwrap();
    server
}

pub fn client<'t>(server: &FakeWandb, transport: &'t Native) -> WandbClient<&'t Native> {
    WandbClient::new(HttpSession::new(transport, 7), server.base_url(), ApiKey::new(KEY))
}

pub fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub fn place(id: &str) -> RunRef {
    RunRef { entity: "corpus".into(), project: "tiny-grpo".into(), id: id.into() }
}

pub async fn fetch(client: &WandbClient<&Native>, id: &str, options: FetchOptions) -> Result<Download, ApiError> {
    let mut download = Download::begin(client, place(id), options, |_| true).await?;
    download.complete(client).await?;
    Ok(download)
}

/// The same run from its file, alone.
pub fn from_file(id: &str) -> Run {
    let files = folders().unwrap().into_iter().flat_map(|folder| files_below(&folder));
    let mut runs = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "wandb"))
        .map(|file| ingest([("a/run-x.wandb", &std::fs::read(file).unwrap()[..])]).runs.remove(0));
    runs.find(|run| run.id == id).unwrap()
}
