//! Secrets out of everything that leaves in a report: config, log lines, titles.
//!
//! A report is made to be sent to other people, and configs and logs hold keys more often than anybody thinks. What
//! looks like a secret goes, even where it may be something else (a commit hash has the shape of a W&B key): a lost
//! word costs less than a leaked key. Ordinary words, metric keys and short hex stay.

mod block;
mod named;
mod tokens;
mod urls;

use std::borrow::Cow;
use std::ops::Range;

pub use block::KeyBlock;

/// What stands in place of a secret.
pub const REDACTED: &str = "(redacted)";

/// Hex digits of a UUID.
const UUID_DIGITS: usize = 32;

/// The same text without its secrets: keys of W&B (40 hex digits, `wandb_v1_…`, `local-…`), Hugging Face, OpenAI,
/// GitHub, AWS and others by their prefix; bearer tokens; passwords in URLs; private keys in PEM; and whatever is
/// assigned to a name such as `api_key`, `token`, `secret` or `password`.
///
/// Text without a secret comes back borrowed. Redacting twice changes nothing more. Linear in the length.
pub fn redact(text: &str) -> Cow<'_, str> {
    without_secrets(text, None)
}

/// As [`redact`], for a text that names a run: `id`, the run's own, stays where it has the 32 hex digits of a UUID, as
/// MLflow's ids have. A W&B key has 40 and goes, even where a file gives one as its run's id; so does whatever stands
/// as the value of a password.
pub fn redact_around_id<'t>(text: &'t str, id: &str) -> Cow<'t, str> {
    let is_uuid = id.len() == UUID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    without_secrets(text, is_uuid.then_some(id))
}

fn without_secrets<'t>(text: &'t str, known: Option<&str>) -> Cow<'t, str> {
    let mut secrets = Vec::new();
    tokens::find(text, &mut secrets);
    if known.is_some() {
        secrets.retain(|secret: &Range<usize>| text.get(secret.clone()) != known);
    }
    named::find(text, &mut secrets);
    urls::find(text, &mut secrets);
    if secrets.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, secrets)) }
}

/// The value of a setting without its secrets: all of it goes when the key names a secret.
///
/// The last part of the key decides: one that ends in `key`, `token`, `secret` or `password` and is not known as
/// harmless (`pad_token`, `prompt_key`).
pub fn redact_setting(key: &str, value: &str) -> String {
    let is_secret = named::is_secret(key) && !value.is_empty();
    if is_secret { REDACTED.to_owned() } else { redact(value).into_owned() }
}

/// True for a number that the key of its setting makes a secret: any behind a password's key, behind another secret's
/// only a number of seven digits or more, because smaller ones are counts and ids (`eos_token`).
pub fn is_secret_number(key: &str, value: f64) -> bool {
    named::is_secret(key) && (named::is_password(key) || value.abs() >= 1e6)
}

fn without(text: &str, mut secrets: Vec<Range<usize>>) -> String {
    secrets.sort_by_key(|secret| (secret.start, secret.end));
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    for secret in secrets {
        if secret.end <= done {
            continue;
        }
        if secret.start >= done {
            kept.push_str(text.get(done..secret.start).unwrap_or_default());
            kept.push_str(REDACTED);
        }
        // A secret that begins within the one before it only makes that one longer.
        done = secret.end;
    }
    kept.push_str(text.get(done..).unwrap_or_default());
    kept
}

/// The longest start of `text` whose characters all satisfy `wanted`.
fn run_of(text: &str, wanted: impl Fn(char) -> bool) -> &str {
    let end = text.find(|character| !wanted(character)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// True when `text` ends in a letter or digit: a token that begins here is the rest of a word.
fn ends_within_word(text: &str) -> bool {
    text.ends_with(|character: char| character.is_ascii_alphanumeric())
}

/// True for text with a digit and a letter: a name alone seldom has both.
fn is_mixed(text: &str) -> bool {
    text.contains(|character: char| character.is_ascii_digit())
        && text.contains(|character: char| character.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn gone(text: &str, secret: &str) {
        assert!(text.contains(secret), "the test is wrong: {text}");
        let clean = redact(text);
        assert!(!clean.contains(secret) && clean.contains(REDACTED), "{clean}");
        assert_eq!(redact(&clean), clean, "redacting twice");
    }

    #[track_caller]
    fn stays(text: &str) {
        assert_eq!(redact(text), text);
        assert!(matches!(redact(text), Cow::Borrowed(_)));
    }

    const HEX_40: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn wandb_keys() {
        gone(&format!("wandb: using {HEX_40}."), HEX_40);
        gone(&format!("local-{HEX_40}"), HEX_40);
        gone("key wandb_v1_AbC-dEf_0123456789xyz here", "AbC-dEf_0123456789xyz");
        gone(&format!("https://user:{HEX_40}@api.wandb.ai/files"), HEX_40);
    }

    #[test]
    fn keys_of_other_services() {
        for secret in [
            "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
            "sk-proj-abc123DEF456ghi789",
            "sk-abcdefghijklmnopqrstuvwxyz",
            "ghp_0123456789abcdefghijABCDEFGHIJ012345",
            "github_pat_11ABCDEFG0123456789_abcdefghij",
            "AKIAIOSFODNN7EXAMPLE",
            "glpat-AbCdEfGhIjKlMnOpQrSt",
            "xaat-12345678-1234-1234-1234-123456789012",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        ] {
            gone(&format!("export T={secret}; run"), secret);
            gone(secret, secret);
            gone(&format!("\"{secret}\","), secret);
        }
        let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        gone(&format!("aws_secret_access_key = {aws}"), aws);
        gone(&format!("the secret is {aws}"), aws);
    }

    #[test]
    fn what_is_assigned_to_a_telling_name() {
        gone("password=hunter2", "hunter2");
        gone("{\"api_key\": \"abc\", \"lr\": 1}", "abc");
        gone("{\\\"auth_token\\\": \\\"s3cret\\\"}", "s3cret");
        gone("WANDB_API_KEY=dummy python train.py", "dummy");
        gone("--hub-token my-secret-value --lr 1e-5", "my-secret-value");
        gone("['--api_key', 'shortone']", "shortone");
        gone("apiKey: 'q1w2e3'", "q1w2e3");
        gone("client_secret => 'two words'", "two words");
        gone("GET /x?token=a1b2c3d4e5f6a7b8c9&x=1", "a1b2c3d4e5f6a7b8c9");
        assert_eq!(redact("password: p1, lr: 2"), "password: (redacted), lr: 2");
    }

    #[test]
    fn headers_urls_and_pem() {
        gone("Authorization: Bearer abcDEF123456", "abcDEF123456");
        gone("curl -H 'authorization: Basic dXNlcjpwYXNz'", "dXNlcjpwYXNz");
        gone("headers = {'authorization': 'Basic dXNlcjpwYXNz=='}", "dXNlcjpwYXNz");
        gone("{\\\"Authorization\\\": \\\"Token abc123\\\"}", "abc123");
        gone("postgres://user:p%40ss@host/db", "p%40ss");
        gone("redis://:only@host:6379", "only");
        gone("https://abcdefghijklmnop1234@github.com/x/y.git", "abcdefghijklmnop1234");
        gone("-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----", "MIIabc");
    }

    #[test]
    fn ordinary_text_stays() {
        for text in [
            "train/rewards/format_reward/mean rose from 0.21 to 0.98",
            "val-core/DigitalLearningGmbH/MATH-lighteval/reward/mean@1",
            "num_tokens: 123456, eos_token: </s>, pad_token='<pad>', token: 5",
            "data.prompt_key=prompt data.reward_fn_key=data_source",
            "KeyError: 'reward'; missing key: train/reward_mean",
            "risk-averse task-specific desk-bound-and-hyphenated-model-name-2024-01-01",
            "the bearer of bad news; Bearer tokens",
            "see https://github.com/huggingface/trl/blob/main/trl/trainer/grpo_trainer.py",
            "http://localhost:8080/path git@github.com:x/y.git user@host",
            "hf_dataset hf_transformers sk-learn scikit-learn",
            "Qwen/Qwen2.5-0.5B-Instruct lr=1e-5 beta=0.04",
            "crc32 deadbeef, md5 of half: 0123456789abcdef0123456789abcde",
            "run 123e4567-e89b-12d3-a456-426614174000",
            "0.1000000000000000055511151231257827",
            "password: ",
            "",
        ] {
            stays(text);
        }
    }

    #[test]
    fn settings() {
        for (key, value, expected) in [
            ("wandb.api_key", "abc", REDACTED),
            ("hub_token", "abc", REDACTED),
            ("hub_token", "", ""),
            ("pad_token", "<pad>", "<pad>"),
            ("data.prompt_key", "prompt", "prompt"),
            ("notes", "my hf_abcdefghijklmnopqrst0123", "my (redacted)"),
        ] {
            assert_eq!(redact_setting(key, value), expected);
        }
        assert!(is_secret_number("my_password", 1234.0) && is_secret_number("hub_token", 1e9));
        assert!(!is_secret_number("hub_token", 3.0) && !is_secret_number("learning_rate", 1e9));
    }

    fn token() -> impl Strategy<Value = String> {
        prop_oneof![
            "[0-9a-f]{40}",
            "wandb_v1_[A-Za-z0-9_-]{24,80}[A-Za-z0-9]",
            "local-[0-9a-f]{40}",
            "hf_[A-Za-z0-9]{34}",
            "sk-[A-Za-z0-9]{20,48}",
            "ghp_[A-Za-z0-9]{36}",
            "github_pat_[A-Za-z0-9_]{30,80}[A-Za-z0-9]",
            "AKIA[A-Z0-9]{16}",
        ]
    }

    #[test]
    fn the_id_of_a_run_stays_and_keys_beside_it_go() {
        let id = "9c3a4c2f8e7d4b6f9a1b2c3d4e5f6071";
        let text = format!("mlruns/1/{id}/metrics of {HEX_40}, password={id}");
        assert_eq!(redact_around_id(&text, id), format!("mlruns/1/{id}/metrics of {REDACTED}, password={REDACTED}"));
        let other = "0c3a4c2f8e7d4b6f9a1b2c3d4e5f6071";
        assert_eq!(redact_around_id(other, id), REDACTED);
        assert_eq!(redact_around_id(id, ""), REDACTED);
        assert_eq!(redact_around_id(HEX_40, HEX_40), REDACTED);
        assert_eq!(redact_around_id("sk-abcdefghijklmnopqrstuvwxyz", "sk-abcdefghijklmnopqrstuvwxyz"), REDACTED);
    }

    proptest! {
        #[test]
        fn a_planted_token_never_survives(
            before in "([a-z]{1,8}[ =:/,\"'_-]{1,2}){0,5}", secret in token(), after in "([ \n,.;\"'&)/][a-z ]{0,12})?",
        ) {
            let clean = redact(&format!("{before}{secret}{after}")).into_owned();
            prop_assert!(!clean.contains(&secret), "{}", clean);
            // No long piece of it either.
            let tail: String = secret.chars().skip(secret.len() - 12).collect();
            prop_assert!(!clean.contains(&tail), "{}", clean);
        }

        #[test]
        fn a_password_never_survives(name in "(api_key|password|HF_TOKEN|client-secret)", value in "[A-Za-z0-9!$^*+./]{6,30}") {
            for text in [format!("{name}={value}"), format!("{name}: {value} x"), format!("\"{name}\": \"{value}\"")] {
                let clean = redact(&text).into_owned();
                prop_assert!(!clean.contains(&value), "{}", clean);
            }
            let text = format!("https://me:{}@host/x", value.replace('/', "%2F"));
            prop_assert!(!redact(&text).contains(&value.replace('/', "%2F")));
        }

        #[test]
        fn never_panics_and_twice_is_once(text in "\\PC{0,80}") {
            let once = redact(&text).into_owned();
            prop_assert_eq!(redact(&once).into_owned(), once);
        }

        #[test]
        fn words_and_numbers_stay(text in "([a-z]{1,12}[ ,./_]){0,12}[0-9]{1,6}\\.[0-9]{1,9}") {
            prop_assert_eq!(redact(&text).into_owned(), text);
        }

        #[test]
        fn short_hex_stays(text in "[0-9a-f]{1,31}") {
            prop_assert_eq!(redact(&text).into_owned(), text);
        }
    }
}
