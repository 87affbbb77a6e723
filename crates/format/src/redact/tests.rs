//! What is redacted and what stays, kind by kind.

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
    gone(&format!("sum\"local-{HEX_40}"), HEX_40);
    gone("key wandb_v1_AbC-dEf_0123456789xyz here", "AbC-dEf_0123456789xyz");
    // Without a digit, and in short pieces.
    gone("key wandb_v1_A-a_a_AA-_a--AA---a_AaaAA here", "AaaAA");
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
        "md5 0123456789abcdef0123456789abcdef, id 9c3a4c2f8e7d4b6f9a1b2c3d4e5f6071",
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
    assert_eq!(redact_around_id(other, id), other, "an id or a checksum");
    let named = format!("api key {id} and {other}");
    assert_eq!(redact_around_id(&named, id), format!("api key {id} and {REDACTED}"));
    assert_eq!(redact_around_id(HEX_40, HEX_40), REDACTED);
    assert_eq!(redact_around_id("sk-abcdefghijklmnopqrstuvwxyz", "sk-abcdefghijklmnopqrstuvwxyz"), REDACTED);
}

proptest! {
    #[test]
    fn a_planted_token_never_survives(
        // Of these letters no word is made that marks hex digits as a hash, as "sum" does.
        before in "([n-z]{1,8}[ =:,\"'_-]{1,2}){0,5}", secret in token(), after in "([ \n,.;\"'&)/][a-z ]{0,12})?",
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

#[test]
fn texts_made_to_be_redacted_twice() {
    for text in [
        "://Secret@q/uR1bmUuYWkiLCJhcGlf3444444444444444444-7@",
        "password=(redacted)hunter2",
        "https://a:(redacted)b@c@d",
        "token=token=(redacted)",
        "-----BEGIN PRIVATE KEY-----(redacted)-----END PRIVATE KEY-----",
        "Bearer Bearer Bearer abcdefgh12345678",
        "(redacted)(redacted",
    ] {
        let once = redact(text).into_owned();
        assert_eq!(redact(&once), once, "{text}");
    }
}

#[test]
fn the_name_of_a_setting_tells_what_its_hex_digits_are() {
    for (key, stays) in [("git.commit", true), ("model_revision", true), ("seed_text", false), ("wandb.login", false)] {
        assert_eq!(redact_setting(key, HEX_40) == HEX_40, stays, "{key}");
    }
    assert_eq!(redact_setting("cohere", "eKXciRjLGk6jPnhRmFUSUGvtrspkalpRa128mSWI"), REDACTED);
    assert_eq!(redact_setting("api_key", "${API_KEY}"), "${API_KEY}");
}

#[test]
fn long_lines_take_no_long_time() {
    // Each would take minutes if the time grew with the square of the length.
    for part in ["token=", "x=y=", "://a@", "cookie:", "curl -u ", "key=\"", "A1b2", "(redacted)", "password='", "hf_"]
    {
        let text = part.repeat(100_000 / part.len());
        assert!(!redact(&text).is_empty());
    }
}
