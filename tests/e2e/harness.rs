//! Proof of the tools that the scenarios rely on, on small sites made here: that each check can fail, that the
//! page's policy binds its worker, and that files arrive as they do from a user's hand.

use std::path::{Path, PathBuf};

use crate::browser::Outcome;
use crate::page::{Page, dist};

/// A site on which everything is wrong.
const WRONG_PAGE: &str = r#"<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self'; connect-src *">
<link rel="icon" href="page.js">
<h1>Wrong</h1>
<p id="inline">refused</p>
<script>document.getElementById("inline").textContent = "ran"</script>
<script src="page.js"></script>
"#;

const WRONG_SCRIPT: &str = r#"
console.error("error of the page");
fetch("missing.json");
const leaks = [fetch("http://page.example/leak").catch(() => {})];
const worker = new Worker("worker.js");
leaks.push(new Promise((done) => worker.addEventListener("message", done)));
Promise.all(leaks).then(() => document.querySelector("h1").classList.add("done"));
"#;

const WRONG_WORKER: &str = r#"
console.error("error of the worker");
fetch("http://worker.example/leak").catch(() => {}).then(() => postMessage("asked"));
"#;

/// Starts a worker as the page does, from a `blob:` URL, and lets it try what the policy forbids.
const STRICT_SCRIPT: &str = r#"
const worker_text = `
  const refused = new Set();
  addEventListener("securitypolicyviolation", (event) => {
    refused.add(event.effectiveDirective);
    postMessage([...refused].sort().join(" "));
  });
  const attempts = [
    () => importScripts("data:text/javascript,"),
    () => fetch("http://worker.example/leak").catch(() => {}),
  ];
  for (const attempt of attempts) {
    try { attempt(); } catch { /* it is refused one way or another */ }
  }
`;
const policy = trustedTypes.createPolicy("rundown", { createScriptURL: (url) => url });
const url = URL.createObjectURL(new Blob([worker_text], { type: "text/javascript" }));
const worker = new Worker(policy.createScriptURL(url));
worker.onmessage = (event) => { document.querySelector("pre").textContent = event.data; };
"#;

/// Lists the files that it gets, and hands out one.
const FILES_PAGE: &str = r#"<!doctype html>
<meta charset="utf-8">
<link rel="icon" href="page.js">
<input type="file" multiple>
<input type="file" webkitdirectory>
<main>Drop here</main>
<a download="made-here.txt">Save</a>
<ul></ul>
<script src="page.js"></script>
"#;

const FILES_SCRIPT: &str = r#"
const list = (text) => document.querySelector("ul").appendChild(document.createElement("li")).textContent = text;
for (const input of document.querySelectorAll("input")) {
  input.addEventListener("change", () => {
    for (const file of input.files) list(`chosen ${file.webkitRelativePath || file.name} ${file.size}`);
  });
}
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  for (const item of event.dataTransfer.items) walk(item.webkitGetAsEntry());
});
function walk(entry) {
  if (entry.isDirectory) entry.createReader().readEntries((entries) => entries.forEach(walk));
  else entry.file((file) => list(`dropped ${entry.fullPath} ${file.size}`));
}
document.querySelector("a").href = URL.createObjectURL(new Blob(["made here"]));
"#;

#[tokio::test]
async fn everything_wrong_is_noticed() -> Outcome {
    let site =
        folder("wrong-site", &[("index.html", WRONG_PAGE), ("page.js", WRONG_SCRIPT), ("worker.js", WRONG_WORKER)])?;
    let mut page = Page::open("wrong", site, "").await?;
    page.wait_for("h1.done").await?;
    let complaints = page.complaints().await?.join("\n");
    for expected in [
        "error of the page",
        "error of the worker",
        "Content Security Policy",
        "HTTP 404: /missing.json",
        "another host: http://page.example/leak",
        "another host: GET http://worker.example/leak",
    ] {
        assert!(complaints.contains(expected), "nobody noticed “{expected}”; noticed were:\n{complaints}");
    }
    Ok(())
}

#[tokio::test]
async fn the_policy_of_the_page_binds_a_worker_from_a_blob() -> Outcome {
    let built = std::fs::read_to_string(dist().join("index.html"))?;
    let policy = built.lines().find(|line| line.contains("Content-Security-Policy")).ok_or("dist has no policy")?;
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\">{policy}<link rel=\"icon\" href=\"page.js\">\
         <pre></pre><script src=\"page.js\"></script>"
    );
    let mut page =
        Page::open("strict", folder("strict-site", &[("index.html", &html), ("page.js", STRICT_SCRIPT)])?, "").await?;
    page.wait_for_text("pre", "connect-src require-trusted-types-for").await?;
    let complaints = page.complaints().await?.join("\n");
    assert!(!complaints.contains("another host"), "the worker got out:\n{complaints}");
    Ok(())
}

#[tokio::test]
async fn files_and_folders_arrive_and_downloads_are_kept() -> Outcome {
    let run = folder("files/amber-01", &[("config.yaml", "seed: 1"), ("output.log", "step 1\n")])?;
    let site = folder("files-site", &[("index.html", FILES_PAGE), ("page.js", FILES_SCRIPT)])?;
    let page = Page::open("files", site, "").await?;

    page.choose_files(&[run.join("config.yaml"), run.join("output.log")]).await?;
    page.wait_for_text("li", "chosen config.yaml 7").await?;
    page.wait_for_text("li", "chosen output.log 7").await?;

    page.choose_folder(&run).await?;
    page.wait_for_text("li", "chosen amber-01/config.yaml 7").await?;

    page.drop_on("main", &[run.clone(), run.join("output.log")]).await?;
    page.wait_for_text("li", "dropped /amber-01/output.log 7").await?;
    page.wait_for_text("li", "dropped /output.log 7").await?;

    page.wait_for("a").await?.click().await?;
    assert_eq!(page.downloaded("made-here.txt").await?, b"made here");
    Ok(())
}

/// Makes a folder of small files for a test.
fn folder(name: &str, files: &[(&str, &str)]) -> Outcome<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder)?;
    for (file, text) in files {
        std::fs::write(folder.join(file), text)?;
    }
    Ok(folder)
}
