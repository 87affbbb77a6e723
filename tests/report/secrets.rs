//! Secrets as they really lie about: in log lines, tracebacks, lines of the environment, tags, names of metrics, and
//! settings that a comparison quotes. None of them, nor its beginning, is in any report.

use rundown_diagnose::Diagnosis;
use rundown_ingest::{RunAssembler, open};
use rundown_report::{Secrets, run_export};
use rundown_run::{ConfigValue, ErrorText, LabelMean, Log, LogLine, Run, RunState, Stream};

use crate::every_report::{FORMATS, diagnosed, reports};
use crate::recall::one_of_each_rule;

/// A part of a secret that must not be seen, and the line that holds it. Other values in each run, as each has its own.
pub fn lines(number: usize) -> Vec<(String, String)> {
    let n = number % 10;
    let of = |part: String, line: &str| {
        let line = line.replace("{}", &part);
        (part, line)
    };
    vec![
        of(format!("{n}c0ffee01234567"), "WANDB_API_KEY={}89abcdef0123456789abcdef01234567"),
        of(format!("Qw{n}ErTyUiOpAsD"), "export HF_TOKEN=hf_{}fGhJkLzXcVbNm"),
        of(format!("pr0j{n}AbCdEfGh"), "openai.AuthenticationError: Incorrect API key provided: sk-{}IjKlMnOpQrStUv."),
        of(format!("b34r{n}erToKeN12"), "Authorization: Bearer {}3456789abcdef"),
        of(format!("dXNlcjpwYXNz{n}"), "headers = {'authorization': 'Basic {}=='}"),
        of(format!("pa55w0rd{n}XyZ"), "HTTPError: 401 Client Error for url: https://me:{}@registry.example/simple"),
        of(format!("IOSF0DNN7EX{n}"), "aws_access_key_id = AKIA{}AMPLEA"),
        of(format!("wJa{n}rXUtnFEMI"), "AWS_SECRET_ACCESS_KEY={}/K7MDENG/bPxRfiCYEXAMPLEKEY"),
        of(format!("hunter{n}hunter"), "login(user='me', password='{}two')"),
        of(format!("q1w2e3r4{n}t5"), "GET /v1/data?api_key={}y6u7i8 HTTP/1.1"),
        of(format!("g1thub{n}AbCdE"), "git clone https://ghp_{}FgHiJkLmNoPqRsTuVwXyZ01@github.com/x/y.git"),
        of(format!("MIIEpAIB{n}AKC"), "-----BEGIN RSA PRIVATE KEY-----\n{}AQEA\n-----END RSA PRIVATE KEY-----"),
    ]
}

pub fn planted(number: usize) -> Run {
    planted_with(number, &lines(number))
}

/// A run with these lines wherever a file can put them.
pub fn planted_with(number: usize, lines: &[(String, String)]) -> Run {
    // Two values over all runs, so that it becomes a setting with an effect.
    let shared = &self::lines(number % 2)[9].1;
    let line = |place: usize| lines[place % lines.len()].1.as_str();
    let mut run = Run { id: format!("run{number}"), name: format!("try-{number} {}", line(number)), ..Run::default() };
    run.group = Some(line(3).to_owned());
    run.notes = Some(lines.iter().map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n"));
    run.tags = lines.iter().map(|(_, line)| line.clone()).collect();
    for step in 1..=60_u32 {
        let row = run.push_row(f64::from(step), f64::NAN);
        let noise = f64::from(step * (7 + number as u32) % 13) / 130.0;
        let share = f64::from(step) / 60.0 * (0.5 + 0.3 * (number % 2) as f64);
        run.push_value("train/reward", row, share + noise);
        run.push_value("axiom/error/event", row, f64::from(u8::from(step % 2 == 0)));
        run.push_value("axiom/inference/batch_size", row, 8.0);
        run.push_value("eval/accuracy", row, share + 0.1 * noise);
        for (place, (_, line)) in lines.iter().enumerate() {
            run.push_value(&format!("eval/vs_{line}/win_rate"), row, noise);
            run.push_value(&format!("rewards/{line}/mean"), row, share * place as f64);
            run.push_value(line, row, noise);
        }
    }
    let error = |line: &String| ErrorText { event: line.clone(), text: line.clone(), count: 7, ..ErrorText::default() };
    run.events.errors = lines.iter().map(|(_, line)| error(line)).collect();
    let key = "axiom/inference/batch_size".to_owned();
    let mean = |line: &String| LabelMean { name: line.clone(), key: key.clone(), count: 30, ..LabelMean::default() };
    run.events.means = lines.iter().map(|(_, line)| mean(line)).collect();
    run.config.insert("learning_rate", ConfigValue::Number([1e-5, 1e-4][number % 2]));
    run.config.insert("grader", ConfigValue::Text(shared.clone()));
    run.config.insert("opponents", ConfigValue::Text(format!("a long text before the address, for a cut: {shared}")));
    run.config
        .insert("env", ConfigValue::List(lines.iter().map(|(_, line)| ConfigValue::Text(line.clone())).collect()));
    for (place, (_, line)) in lines.iter().enumerate() {
        run.config.insert(format!("section_{place}.command"), ConfigValue::Text(line.clone()));
        run.config.insert(line.clone(), ConfigValue::Number(number as f64));
        run.summary.insert(line.clone(), ConfigValue::Number(number as f64));
    }
    run.ending.state = RunState::Crashed;
    run.ending.evidence = vec![line(number).to_owned()];
    let traceback = |text: &str| LogLine { stream: Stream::Error, text: text.to_owned() };
    run.log.push(traceback("Traceback (most recent call last):"));
    for (_, line) in lines {
        run.log.push(traceback(line));
        run.log.push(traceback(&format!("RuntimeError: worker 3 said {line}")));
    }
    run.log.push(traceback(&format!("requests.exceptions.HTTPError: {}", line(number))));
    run.choose_axis();
    run
}

#[track_caller]
fn nothing_leaks(runs: &[Run], parts: &[String], what: &str) {
    for format in FORMATS {
        for report in reports(runs, format) {
            holds_none(&report, parts, &format!("{format:?} of {what}"));
        }
    }
    let line = |(run, diagnosis): (&Run, Diagnosis)| run_export(run, &diagnosis.findings, Secrets::Redact).unwrap();
    let export: String = runs.iter().zip(diagnosed(runs)).map(line).collect();
    holds_none(&export, parts, &format!("the export of {what}"));
}

#[track_caller]
fn holds_none(report: &str, parts: &[String], what: &str) {
    assert!(report.len() > 100, "{what}: {report}");
    for part in parts {
        let place = report.find(part).map(|at| {
            let from = report.floor_char_boundary(at.saturating_sub(150));
            report.get(from..).unwrap_or_default().chars().take(220).collect::<String>()
        });
        assert_eq!(place, None, "{part} in {what}");
    }
}

#[test]
fn no_report_holds_what_lies_about() {
    for count in [1, 2, 12] {
        let runs: Vec<Run> = (0..count).map(planted).collect();
        let parts: Vec<String> = (0..count).flat_map(lines).map(|(part, _)| part).collect();
        nothing_leaks(&runs, &parts, &format!("{count} runs"));
    }
}

#[test]
fn no_report_holds_a_key_of_any_rule() {
    let lines = one_of_each_rule();
    assert!(lines.len() >= 180, "{}", lines.len());
    let parts: Vec<String> = lines.iter().map(|(part, _)| part.clone()).collect();
    nothing_leaks(&[planted_with(0, &lines)], &parts, "a run");
}

#[test]
fn each_kind_alone_ends_a_run() {
    for (part, line) in lines(3) {
        let mut run = planted(3);
        run.log = Log::default();
        run.log.push(LogLine { stream: Stream::Error, text: "Traceback (most recent call last):".to_owned() });
        run.log.push(LogLine { stream: Stream::Error, text: format!("ValueError: {line}") });
        nothing_leaks(&[run], &[part], &line);
    }
}

#[test]
fn a_console_log_with_secrets_is_read_and_they_are_left_out() {
    let mut log = String::new();
    for (_, line) in lines(5) {
        log.push_str(&format!("(TaskRunner pid=11) {line}\n{line}\n"));
    }
    for step in 1..=60 {
        let share = f64::from(step) / 60.0;
        log.push_str(&format!("step:{step} - critic/rewards/mean:{share} - actor/kl_loss:0.01 - actor/entropy:0.4\n"));
    }
    log.push_str("Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n");
    for (_, line) in lines(5) {
        log.push_str(&format!("RuntimeError: {line}\n"));
    }
    let mut assembler = RunAssembler::default();
    let mut reader = open("run/train.log", log.len() as u64);
    reader.push(log.as_bytes());
    assembler.add(reader.finish());
    let runs = assembler.assemble(Vec::new()).runs;
    assert_eq!(runs.len(), 1, "a log");
    let parts: Vec<String> = lines(5).into_iter().map(|(part, _)| part).collect();
    nothing_leaks(&runs, &parts, "a log");
}

#[test]
fn settings_in_source_and_commands_are_read_and_their_secrets_are_left_out() {
    let source = "KEY = 'hf_{}fGhJkLzXcVbNm'\\nargs = GRPOConfig(learning_rate=2e-6, hub_token=KEY, run_name='sk-{}IjKlMnOpQrStUv', \
                  password='{}')\\nGRPOTrainer(wandb_key='{}89abcdef0123456789abcdef01234567')";
    let parts = ["Qw3ErTyUiOpAsD", "pr0j3AbCdEfGh", "hunter3hunter", "3c0ffee01234567"].map(str::to_owned);
    let source = parts.iter().fold(source.to_owned(), |source, part| source.replacen("{}", part, 1));
    let rows: String =
        (1..=60).map(|step| format!("{{'loss': 0.5, 'reward': 0.{step:02}, 'epoch': 0.{step:02}}}\\n")).collect();
    let notebook =
        format!("{{\"cells\": [{{\"source\": \"{source}\"}}, {{\"outputs\": [{{\"text\": \"{rows}\"}}]}}]}}");
    let log = format!(
        "HF=1 python train.py \\\n>  --learning-rate 2e-6 \\\n>  --hf-token hf_{}fGhJkLzXcVbNm --password {}\n{}",
        parts[0],
        parts[2],
        rows.replace("\\n", "\n")
    );
    for (path, text) in [("run/train.ipynb", notebook), ("run/train.log", log)] {
        let mut assembler = RunAssembler::default();
        let mut reader = open(path, text.len() as u64);
        reader.push(text.as_bytes());
        assembler.add(reader.finish());
        let runs = assembler.assemble(Vec::new()).runs;
        assert_eq!(runs[0].config.number(&["learning_rate"]), Some(("learning_rate", 2e-6)), "{path}");
        assert!(runs[0].config.len() > 2, "{path}");
        nothing_leaks(&runs, &parts, path);
    }
}
