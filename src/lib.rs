//! Rundown says what happened in a GRPO or PPO training run.
//!
//! This file is the map. A module may use itself and what its row names; a row may name only modules of rows above.
//! [`tests/layers.rs`] reads this table and the paths in the sources, and fails on an arrow that points up and on files
//! of one folder that use each other in a circle. "wasm only" at the end of the second cell: built for the browser alone.
//!
//! | module | holds | may use |
//! |---|---|---|
//! | [`format`] | how numbers, units, durations, dates and counts are written; redaction of secrets | – |
//! | [`content`] | what a view or a report says, as blocks; figures as shapes | format |
//! | [`run`] | what a run *is*: columns, config, state, logs. No I/O | format |
//! | [`stats`] | pure functions over slices | format |
//! | [`vocabulary`] | concept ↔ metric key, units, direction, and why a key was bound | format, run, stats |
//! | [`schema`] | the JSON of reports as serde types, both ways | format, run |
//! | [`ingest`] | bytes → runs and problems; one file per format | format, run, stats, schema |
//! | [`query`] | the language that selects runs: parse, complete, evaluate over a trait | format, run |
//! | [`http`] | what clients of web APIs share: transport, retries, keys | format |
//! | [`wandb`], [`axiom`] | the W&B API: runs, filters, history, files, following; Axiom's: events of a time window | format, run, ingest, http, query |
//! | [`diagnose`] | one file per check; findings and verdicts | format, run, stats, vocabulary |
//! | [`compare`] | several runs side by side: outcomes, groups, reports read back | format, run, schema, stats, vocabulary, query, diagnose |
//! | [`settings`] | what a user may set, as TOML or JSON | format, diagnose, vocabulary |
//! | [`plot`] | scales, decimation, drawing on any plotters backend | format, content, run, stats |
//! | [`protocol`] | requests, answers, progress and faults between page and engine; serde, versioned | content |
//! | [`present`] | findings and comparisons → blocks: the Run view, the run list, views over all runs | all above |
//! | [`report`] | Markdown, HTML, SVG and JSON | all above |
//! | [`engine`] | the session: runs with their diagnoses, settings, caches; answers from memory | all above |
//! | `engine::worker` | its browser shell: file slices, fetch, messages; wasm only | all above |
//! | `app` | Leptos views and state; wasm only | format, content, run, plot, protocol |
//! | `main` | the page as a program; wasm only | app |
//! | `bin` | the engine as a program; wasm only | engine::worker |
//!
//! Everything that is not "wasm only" builds natively, knows nothing of the browser, and uses no clock, randomness or
//! global state: the same bytes give the same report.

pub mod axiom;
pub mod compare;
pub mod content;
pub mod diagnose;
pub mod engine;
pub mod format;
pub mod http;
pub mod ingest;
pub mod plot;
pub mod present;
pub mod protocol;
pub mod query;
pub mod report;
pub mod run;
pub mod schema;
pub mod settings;
pub mod stats;
pub mod vocabulary;
pub mod wandb;

#[cfg(target_arch = "wasm32")]
pub mod app;
