//! Real TRL runs of a tiny model, each with a cause that was chosen.

use super::support::{broken, corpus, judged, labels, line, read_run};

#[test]
fn tiny_runs_are_judged_as_labelled() {
    let Some(folder) = corpus("tiny-grpo") else { return };
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, label) in labels(&folder) {
        let diagnosis = judged(&read_run(&folder.join(&name)));
        table.push_str(&line(&name, &diagnosis));
        table.push('\n');
        wrong.extend(broken(&label, &diagnosis).into_iter().map(|what| format!("{name}: {what}")));
    }
    eprintln!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
