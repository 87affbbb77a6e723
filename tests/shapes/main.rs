//! Every finding under another framework's names, in another kind of file and in another shape than in the truth table,
//! and a healthy twin of each run that does not have it.
//!
//! A case is a healthy run (`frameworks`) and what its fault does to single metrics. Both files are written, read and
//! diagnosed as a user's are. `cargo test --test shapes -- --nocapture`; one code alone by `RUNDOWN_SHAPES_CODE=kl_drift`.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod case;
mod curve;
mod exploration;
mod file;
mod frameworks;
mod integrity;
mod league;
mod lengths;
mod optimiser;
mod pipeline;
mod policy;
mod progress;
#[path = "../truth/random.rs"]
#[allow(dead_code, reason = "shared with the truth table")]
mod random;
mod reward;
mod second_optimiser;
mod second_pipeline;
mod second_policy;
mod second_reward;
#[path = "../support/mod.rs"]
mod support;
mod systems;
#[path = "../support/wandb_file.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod wandb_file;

use case::Case;
use rundown_diagnose::Code;

fn cases() -> Vec<Case> {
    let topics = [
        policy::cases(),
        exploration::cases(),
        reward::cases(),
        progress::cases(),
        optimiser::cases(),
        lengths::cases(),
        pipeline::cases(),
        systems::cases(),
        league::cases(),
        integrity::cases(),
        second_policy::cases(),
        second_reward::cases(),
        second_optimiser::cases(),
        second_pipeline::cases(),
    ];
    topics.into_iter().flatten().collect()
}

fn wanted() -> Vec<Case> {
    let wanted = std::env::var("RUNDOWN_SHAPES_CODE").ok();
    let is_wanted = |case: &Case| wanted.as_ref().is_none_or(|code| case.code.as_str() == code);
    cases().into_iter().filter(is_wanted).collect()
}

fn assert_none(wrong: impl Fn(&Case) -> Vec<String>) {
    let wrong: Vec<String> = wanted()
        .iter()
        .flat_map(|case| wrong(case).into_iter().map(|what| format!("{}: {what}", case.code.as_str())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_code_has_a_case() {
    let cases = cases();
    let missing = Code::ALL.iter().filter(|code| !cases.iter().any(|case| case.code == **code));
    let missing: Vec<&str> = missing.map(|code| code.as_str()).collect();
    assert!(missing.is_empty(), "no case: {missing:?}");
}

#[test]
fn every_fault_is_found_with_its_severity_and_onset() {
    assert_none(Case::wrong_with_fault);
}

#[test]
fn no_healthy_twin_has_the_finding() {
    assert_none(Case::wrong_with_twin);
}
