//! Simulated systems: the twelve checks must not call their faults by the wrong name.

use super::support::{broken, corpus, judged, labels, line, read_run};

#[test]
fn systems_are_not_accused_of_what_they_did_not_do() {
    let Some(folder) = corpus("systems") else { return };
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, label) in labels(&folder) {
        if !folder.join(&name).is_dir() {
            continue;
        }
        let diagnosis = judged(&read_run(&folder.join(&name)));
        table.push_str(&line(&name, &diagnosis));
        table.push('\n');
        wrong.extend(broken(&label, &diagnosis).into_iter().map(|what| format!("{name}: {what}")));
    }
    eprintln!("{table}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
