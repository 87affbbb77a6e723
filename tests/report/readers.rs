//! Every report is read back by a reader of its format, and no planted secret is in any of them: Markdown by a CommonMark
//! parser, JSON by serde, HTML by a parser of XML.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use rundown_report::Format;
use rundown_run::{ConfigValue, Log, Run, RunState, RunWarning};

use crate::every_report::{FORMATS, reports};

/// Secrets of every kind that is known by its own form.
const SECRETS: [&str; 5] = [
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "0123456789abcdef0123456789abcdef01234567",
];
/// A secret that only the name of its setting tells.
const NAMED: &str = "correct horse battery";

/// A run whose texts try to break out, with secrets wherever a text may stand. Runs differ in learning rate and secret.
fn planted(number: usize) -> Run {
    let secret = |place: usize| SECRETS[(number + place) % SECRETS.len()];
    let mut run = Run {
        id: format!("run{number}"),
        name: format!("<b>a|b</b> `x` {} {number}", secret(0)),
        project: Some(format!("p|{}", SECRETS[0])),
        group: Some(format!("group {}", secret(1))),
        job_type: Some(format!("job {}", secret(2))),
        sweep: Some(format!("sweep {}", secret(3))),
        notes: Some(format!("# note\nuse {}", secret(4))),
        tags: vec![format!("tag {}", secret(0)), "<script>alert(1)</script>".to_owned()],
        started_at: Some(1_795_183_500.0 + number as f64),
        ..Run::default()
    };
    run.ending.state = RunState::Crashed;
    run.ending.evidence = vec![format!("RuntimeError: login with {} failed", secret(1))];
    for step in 1..=120_u32 {
        let row = run.push_row(f64::from(step), f64::NAN);
        let share = f64::from(step) / 120.0;
        let noise = f64::from(step * (7 + number as u32) % 13) / 130.0;
        run.push_value("train/reward", row, share + noise);
        run.push_value("eval/accuracy", row, (0.6 - 0.05 * number as f64) * share + noise);
        run.push_value("train/kl", row, if step > 60 { 5.0 * share } else { 0.01 });
        run.push_value(&format!("metric {}", secret(2)), row, share);
        run.push_value("elo/adapter_v1", row, 1000.0 + 50.0 * share + noise);
        run.push_value("elo/base_model", row, 1000.0 - 20.0 * share);
        run.push_value(&format!("elo/{}_bot", secret(3)), row, 900.0);
        run.push_value(&format!("rewards/{}_mean", secret(4)), row, share);
        run.push_value("benchmark/rollout_time_s", row, 20.0 + noise);
    }
    run.config.insert("learning_rate", ConfigValue::Number([1e-5, 1e-4, 1e-3][number % 3]));
    run.config.insert("seed", ConfigValue::Number(number as f64));
    run.config.insert("hub_token", ConfigValue::Text(format!("{NAMED} {number}")));
    run.config.insert("model_name_or_path", ConfigValue::Text(format!("https://me:{}@host/{number}", secret(4))));
    run.config.insert("reward_model", ConfigValue::Text(format!("{} {number}", secret(0))));
    run.config.insert(
        "command",
        ConfigValue::List(vec![ConfigValue::Text("--token".into()), ConfigValue::Text(secret(1).to_owned())]),
    );
    run.summary.insert(format!("final/{}_mean", secret(2)), ConfigValue::Number(0.5));
    run.warnings.push(RunWarning::Text { text: format!("a line said {}", secret(3)), step: None });
    run.log = Log::default();
    run.choose_axis();
    run
}

fn runs(count: usize) -> Vec<Run> {
    (0..count).map(planted).collect()
}

#[test]
fn no_planted_secret_is_in_any_report() {
    for count in [1, 5, 13] {
        let runs = runs(count);
        for format in FORMATS {
            for report in reports(&runs, format) {
                for secret in SECRETS.iter().chain([&NAMED]) {
                    let place = report.find(secret).map(|at| {
                        let from = report.floor_char_boundary(at.saturating_sub(120));
                        report.get(from..).unwrap_or_default().chars().take(200).collect::<String>()
                    });
                    assert_eq!(place, None, "{secret} in {format:?} of {count} runs");
                }
            }
        }
    }
}

#[test]
fn markdown_is_what_it_looks_like() {
    for count in [1, 5, 13] {
        for report in reports(&runs(count), Format::Markdown) {
            let (mut cells, mut columns, mut tables) = (0, 0, 0);
            let (mut titles, mut level) = (0, 0);
            for event in Parser::new_ext(&report, Options::ENABLE_TABLES) {
                match event {
                    Event::Html(html) | Event::InlineHtml(html) => panic!("HTML: {html}"),
                    Event::Start(Tag::Link { dest_url, .. }) => panic!("a link: {dest_url}"),
                    Event::Start(Tag::Heading { level: found, .. }) => {
                        let found = found as usize;
                        titles += usize::from(found == 1);
                        assert!(found <= level + 1, "no level is left out");
                        level = found;
                    }
                    Event::Start(Tag::Table(alignments)) => (columns, tables) = (alignments.len(), tables + 1),
                    Event::Start(Tag::TableRow | Tag::TableHead) => cells = 0,
                    Event::Start(Tag::TableCell) => cells += 1,
                    Event::End(TagEnd::TableRow | TagEnd::TableHead) => assert_eq!(cells, columns),
                    _ => {}
                }
            }
            assert_eq!(titles, 1);
            assert!(tables > 0 || count == 1, "{report}");
            let rows = report.lines().filter(|line| line.starts_with('|'));
            assert!(rows.clone().all(|line| line.ends_with('|')));
        }
    }
}

#[test]
fn html_is_well_formed_and_asks_for_nothing() {
    for count in [1, 5, 13] {
        for report in reports(&runs(count), Format::Html) {
            let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
            let document = roxmltree::Document::parse_with_options(&report, options).expect("well-formed");
            let of = |name: &str| document.descendants().filter(|node| node.tag_name().name() == name).count();
            assert_eq!((of("h1"), of("script"), of("img"), of("iframe"), of("link")), (1, 0, 0, 0, 0));
            assert!(of("h2") > 0 && (of("svg") > 0 || count == 13 || of("li") > 0));
            for node in document.descendants().filter(roxmltree::Node::is_element) {
                for attribute in node.attributes() {
                    let (name, value) = (attribute.name(), attribute.value());
                    assert!(!name.starts_with("on") && name != "src" && name != "style", "{name}");
                    assert!(name != "href" || value.starts_with('#'), "{value}");
                }
            }
            let rows = document.descendants().filter(|node| node.tag_name().name() == "tr");
            for row in rows {
                let table = row.ancestors().find(|node| node.tag_name().name() == "table").expect("a table");
                let head = table.descendants().find(|node| node.tag_name().name() == "tr").expect("a head");
                let cells = |row: roxmltree::Node<'_, '_>| row.children().filter(roxmltree::Node::is_element).count();
                assert_eq!(cells(row), cells(head));
            }
        }
    }
}

/// What HTML says of a run is what Markdown says of it: all headings, and all cells of its tables.
#[test]
fn html_says_what_markdown_says() {
    let runs = runs(1);
    let [markdown, _] = reports(&runs, Format::Markdown);
    let [html, _] = reports(&runs, Format::Html);
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(&html, options).expect("well-formed");
    let text = |node: roxmltree::Node<'_, '_>| {
        node.descendants().filter(roxmltree::Node::is_text).filter_map(|node| node.text()).collect::<String>()
    };
    let mut said: Vec<String> = document
        .descendants()
        .filter(|node| matches!(node.tag_name().name(), "h1" | "h2" | "h3" | "h4" | "th" | "td" | "li" | "p"))
        .map(|node| text(node).split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    said.sort();
    let mut missing = Vec::new();
    let (mut words, mut is_in) = (String::new(), false);
    for event in Parser::new_ext(&markdown, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Heading { .. } | Tag::TableCell | Tag::Item) => (words, is_in) = (String::new(), true),
            Event::Text(text) | Event::Code(text) if is_in => words.push_str(&text),
            Event::End(TagEnd::Heading(_) | TagEnd::TableCell | TagEnd::Item) => {
                let wanted = words.split_whitespace().collect::<Vec<_>>().join(" ");
                is_in = false;
                // An item of a numbered list begins with its number there.
                let is_said = said.binary_search(&wanted).is_ok() || said.iter().any(|text| text.ends_with(&wanted));
                if !is_said {
                    missing.push(wanted);
                }
            }
            _ => {}
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// Equal but for the digits that a report leaves out.
fn alike(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-4 * a.abs()
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => a == b,
    }
}

#[test]
fn json_keeps_what_comparing_needs() {
    let runs = runs(13);
    let [of_runs, of_reports] = reports(&runs, Format::Json);
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let (of_runs, of_reports) = (read(&of_runs), read(&of_reports));
    for part in ["leaderboard", "pareto", "groups"] {
        let path = format!("/comparison/{part}");
        let (of_runs, of_reports) = (of_runs.pointer(&path).unwrap(), of_reports.pointer(&path).unwrap());
        assert!(alike(of_runs, of_reports), "{part}: {of_runs} is {of_reports}");
    }
    assert_eq!(of_runs.pointer("/comparison/leaderboard").and_then(|rows| rows.as_array()).map(Vec::len), Some(13));
    let signals = of_runs.pointer("/comparison/signals/settings").and_then(|settings| settings.as_array()).unwrap();
    assert!(signals.iter().any(|signal| signal["key"] == "learning_rate"));
    let advised = of_runs.pointer("/comparison/recommendations").and_then(|found| found.as_array()).unwrap();
    assert!((1..=6).contains(&advised.len()));
    assert!(of_runs.pointer("/runs/0/league/agents/0/name").is_some());
    assert!(of_runs.pointer("/runs/0/pipeline/rollouts/p95").is_some());
}
