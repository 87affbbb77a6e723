//! How many secrets the redaction finds, and what it hides that is no secret: gitleaks' own samples, secrets known by the words
//! around them, and harmless texts of the field (`tests/golden/secrets`).

use std::collections::BTreeMap;

use rundown_format::redact;

/// One of gitleaks' samples.
struct Sample {
    rule: String,
    kind: String,
    text: String,
    secret: String,
}

fn samples() -> Vec<Sample> {
    let lines = include_str!("../golden/secrets/samples.txt").lines();
    lines
        .map(|line| {
            let line: String = line.chars().rev().collect();
            let (rule, kind, text, secret) = serde_json::from_str(&line).expect("four texts");
            Sample { rule, kind, text, secret }
        })
        .collect()
}

/// Texts with the part that must go.
fn contexts() -> Vec<(String, String)> {
    let lines = include_str!("../golden/secrets/contexts.txt").lines().filter(|line| line.contains('⟶'));
    lines
        .map(|line| {
            let line = line.replace('~', "").replace("\\\\n", "\u{1}").replace("\\n", "\n").replace('\u{1}', "\\n");
            let (text, secret) = line.rsplit_once(" ⟶ ").expect("an arrow");
            (text.to_owned(), secret.to_owned())
        })
        .collect()
}

fn harmless() -> Vec<&'static str> {
    let lines = include_str!("../golden/secrets/harmless.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with("# ")).collect()
}

/// The password of `user:password`, or all of another secret.
fn password(secret: &str) -> &str {
    secret.split_once(':').filter(|_| secret.len() < 80).map_or(secret, |(_, word)| word)
}

/// True when neither half of the secret is left; of `user:password` the user may.
fn is_gone(text: &str, secret: &str) -> bool {
    let clean = redact(text);
    assert_eq!(redact(&clean), clean, "redacting twice");
    let secret = password(secret);
    let (first, second) = secret.split_at(secret.floor_char_boundary(secret.len() / 2));
    !clean.contains(first) && !clean.contains(second)
}

/// Of each rule of gitleaks the first sample that redaction finds: the first half of its secret, and the text with it.
pub fn one_of_each_rule() -> Vec<(String, String)> {
    let mut rules = BTreeMap::new();
    for sample in samples() {
        let is_telling = password(&sample.secret).len() >= 12;
        if is_telling && sample.text.contains(&sample.secret) && is_gone(&sample.text, &sample.secret) {
            let word = password(&sample.secret);
            let (half, _) = word.split_at(word.floor_char_boundary(word.len() / 2));
            rules.entry(sample.rule).or_insert_with(|| (half.to_owned(), sample.text));
        }
    }
    rules.into_values().collect()
}

/// Samples and finds by kind of service.
fn found() -> BTreeMap<String, (usize, usize)> {
    let mut kinds: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for sample in samples() {
        let count = kinds.entry(sample.kind).or_default();
        count.0 += 1;
        if is_gone(&sample.text, &sample.secret) {
            count.1 += 1;
        } else {
            println!("not found: {} in {:?}", sample.rule, sample.text);
        }
    }
    kinds
}

#[test]
fn secrets_of_every_kind_of_service_are_found() {
    let kinds = found();
    assert_eq!(kinds.keys().collect::<Vec<_>>(), ["ai", "chat", "cloud", "other"]);
    for (kind, (samples, found)) in kinds {
        assert!(samples >= 25 && found * 100 >= samples * 97, "{kind}: {found} of {samples}");
    }
}

#[test]
fn a_key_with_a_prefix_is_found_without_a_name() {
    // Of the rules that need no name in the text, nearly all; the others have no shape of their own.
    let mut rules: BTreeMap<String, bool> = BTreeMap::new();
    for sample in samples() {
        let gone = is_gone(&format!("the server said {} to us", sample.secret), &sample.secret);
        *rules.entry(sample.rule).or_insert(true) &= gone;
    }
    let found = rules.values().filter(|gone| **gone).count();
    assert!(found >= 120, "{found} of {}", rules.len());
}

#[test]
fn the_words_around_a_secret_tell_it() {
    let contexts = contexts();
    assert!(contexts.len() >= 50);
    for (text, secret) in contexts {
        for text in [text.clone(), format!("[2025-01-01 12:00:00] {text}"), format!("step 1\n{text}\nstep 2")] {
            let clean = redact(&text);
            assert!(text.contains(&secret) && !clean.contains(&secret), "{clean}");
            assert_eq!(redact(&clean), clean, "redacting twice");
        }
    }
}

#[test]
fn harmless_texts_stay() {
    let texts = harmless();
    assert!(texts.len() >= 200);
    let changed: Vec<&str> = texts.into_iter().filter(|text| redact(text) != *text).collect();
    assert_eq!(changed, Vec::<&str>::new());
}

#[test]
#[ignore = "prints rows of docs/hardening.md"]
fn rows() {
    for (kind, (samples, found)) in found() {
        println!(r#"{{"table": "secrets", "kind": "{kind}", "samples": {samples}, "found": {found}}}"#);
    }
    let contexts = contexts();
    let gone = contexts.iter().filter(|(text, secret)| !redact(text).contains(secret)).count();
    println!(r#"{{"table": "secrets", "kind": "by context", "samples": {}, "found": {gone}}}"#, contexts.len());
    let texts = harmless();
    let changed = texts.iter().filter(|text| redact(text) != **text).count();
    println!(r#"{{"table": "secrets", "kind": "harmless", "samples": {}, "found": {changed}}}"#, texts.len());
}
