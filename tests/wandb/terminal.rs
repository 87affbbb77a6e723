//! `diagnose` of the terminal fetches runs by the key of the environment, and writes the key nowhere.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Command, Output};

use crate::example::example;
use crate::fake_wandb::{FakeWandb, Switches};
use crate::peer::{KEY, server};

fn diagnose(server: &FakeWandb, key: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(example());
    command.args(arguments).env("WANDB_BASE_URL", server.base_url()).env("WANDB_API_KEY", key);
    command.env_remove("AXIOM_TOKEN").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn runs_of_a_server_are_diagnosed() {
    let Some(server) = server() else { return };
    let id = server.state().runs[0].id.clone();
    // The address of a page: the base URL says which server has the API.
    for source in [format!("wandb:corpus/tiny-grpo/{id}"), format!("https://wandb.ai/corpus/tiny-grpo/runs/{id}")] {
        let output = diagnose(&server, KEY, &["--format", "json", &source]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report.pointer("/runs/0/id").and_then(|id| id.as_str()), Some(id.as_str()));
        assert!(!(text(&output.stdout) + &text(&output.stderr)).contains(KEY));
    }
    let chosen = &server.state().runs[1];
    let query = format!("id in [{id}, {}]", chosen.id);
    let output = diagnose(&server, KEY, &["--format=json", "--where", &query, "wandb:corpus/tiny-grpo"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report.pointer("/runs").and_then(|runs| runs.as_array()).map(Vec::len), Some(2));
    let fetched = text(&output.stderr).lines().filter(|line| line.starts_with("fetching ")).count();
    assert_eq!(fetched, 2, "the server sends no other runs");
}

#[test]
fn what_keeps_runs_from_coming_is_said_without_the_key() {
    let Some(server) = server() else { return };
    let wrong = "fedcba9876543210fedcba9876543210fedcba98";
    let output = diagnose(&server, wrong, &["wandb:corpus/tiny-grpo"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("corpus/tiny-grpo") && !said.contains(wrong), "{said}");
    let output = diagnose(&server, "", &["axiom:pipeline"]);
    assert!(text(&output.stderr).contains("set AXIOM_TOKEN"), "{}", text(&output.stderr));
    server.reset(Switches { bad_gateway: 100, key: Some(KEY.to_owned()), ..Switches::default() });
    let output = diagnose(&server, KEY, &["https://wandb.ai/corpus"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stderr).contains(KEY));
}

/// Answers one request with these events, and gives its head.
fn axiom(answer: &str) -> (String, std::thread::JoinHandle<String>) {
    let length = answer.len();
    serve(format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{answer}"))
}

/// Answers one request with these bytes, and gives its head.
fn serve(answer: String) -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let (mut head, mut line) = (String::new(), String::new());
        while reader.read_line(&mut line).unwrap() > 2 {
            head.push_str(&std::mem::take(&mut line).to_lowercase());
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        // Who is told too much may hang up.
        let _ = stream.write_all(answer.as_bytes());
        head
    });
    (address, served)
}

#[test]
fn events_of_axiom_are_diagnosed() {
    let (address, served) = axiom(
        r#"{"tables": [{"fields": [{"name": "_time", "type": "datetime"}, {"name": "event", "type": "string"},
            {"name": "run_name", "type": "string"}, {"name": "step", "type": "integer"}, {"name": "loss", "type": "float"}],
            "columns": [["2026-11-21T00:00:01Z", "2026-11-21T00:00:02Z"], ["training_step", "training_step"],
            ["amber", "amber"], [1, 2], [0.5, 0.4]]}]}"#,
    );
    let mut command = Command::new(example());
    command
        .args(["--format", "json", "axiom:pipeline"])
        .env("AXIOM_URL", address)
        .env("AXIOM_TOKEN", "xaat-secret-0123");
    let output = command.output().unwrap();
    let head = served.join().unwrap();
    assert!(head.contains("authorization: bearer xaat-secret-0123"), "{head}");
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("amber") && !said.contains("xaat-secret"), "{said}");
}

#[test]
fn a_server_that_misbehaves_is_named_with_what_it_did() {
    let empty = "content-length: 0\r\nconnection: close\r\n\r\n";
    let events = "axiom:pipeline";
    for (answer, source, words) in [
        (
            format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: https://evil.example/graphql\r\n{empty}"),
            "wandb:corpus/tiny-grpo",
            "answered with a redirect to evil.example. It was not followed: nothing was sent there.",
        ),
        (
            format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: https://evil.example/\r\n{empty}"),
            events,
            "answered with a redirect to evil.example",
        ),
        (
            format!("HTTP/1.1 429 Too Many Requests\r\nretry-after: 999999\r\n{empty}"),
            "wandb:corpus/tiny-grpo",
            "asks to wait 277.8 h",
        ),
        ("HTTP/1.1 200 OK\r\ncontent-length: 64000001\r\n\r\n".to_owned(), events, "sent more than 64 MB"),
        (
            format!("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}", " ".repeat(65_000_000)),
            events,
            "sent more than 64 MB",
        ),
    ] {
        let (address, served) = serve(answer);
        let mut command = Command::new(example());
        command.arg(source).env("WANDB_BASE_URL", &address).env("AXIOM_URL", &address);
        let output = command.env("WANDB_API_KEY", KEY).env("AXIOM_TOKEN", "xaat-secret-0123").output().unwrap();
        served.join().unwrap();
        let said = text(&output.stderr);
        let host = address.trim_start_matches("http://");
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words) && said.contains(&format!("asking {host}")), "{said}");
        assert!(!said.contains("asking evil.example") && !said.contains(KEY), "{said}");
    }
}
