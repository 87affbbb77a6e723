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
//! | [`vocabulary`] | concept ↔ metric key, units, direction, and why a key was bound | format, run |
//! | [`ingest`] | bytes → runs and problems; one file per format | format, run |
//! | [`http`] | what clients of web APIs share: transport, retries, keys | format |
//! | [`wandb`], [`axiom`] | the W&B API: runs, history, files, following; Axiom's: events of a time window | format, run, ingest, http |
//! | [`diagnose`] | one file per check; findings and verdicts | format, run, stats, vocabulary |
//! | [`compare`] | several runs side by side: queries, outcomes, groups, reports read back | format, run, stats, vocabulary, diagnose |
//! | [`plot`] | scales, decimation, drawing on any plotters backend | format, content, run, stats |
//! | [`report`] | Markdown, HTML, SVG and JSON; redaction | all above |
//! | [`settings`] | what a user may set, as TOML or JSON | format, diagnose, vocabulary |
//! | [`engine`] | owns the runs, answers typed requests, hands runs to the judge | format, content, run, stats, ingest, plot |
//! | [`judge`] | diagnoses of the runs, a program of its own beside the engine | format, content, run, stats, vocabulary, diagnose, compare, plot, report, settings, engine::messages |
//! | [`comparer`] | answers about all runs together, from what the judge kept of each | format, content, run, stats, vocabulary, diagnose, compare, plot, report, engine::messages |
//! | [`selecting`] | runs of a W&B project by a query: the server's part of it and ours | format, run, http, wandb, compare |
//! | `sources` | the rarer formats and the servers as a program of its own, which the worker loads on demand; wasm only | format, run, vocabulary, ingest, http, wandb, axiom, selecting, engine::messages |
//! | `reports` | the comparer and the writers of reports as a program of its own, loaded on demand; wasm only | format, run, diagnose, compare, settings, report, comparer, engine::messages |
//! | `worker` | the engine's browser shell: file slices, messages and the other programs; wasm only | format, engine, ingest |
//! | `app` | Leptos views and state; wasm only | format, content, run, plot, engine::messages |
//! | `main` | the page as a program; wasm only | app |
//! | `bin` | the other programs; wasm only | worker, sources, reports, judge |
//!
//! Everything that is not "wasm only" builds natively, knows nothing of the browser, and uses no clock, randomness or
//! global state: the same bytes give the same report.

pub mod axiom;
pub mod compare;
pub mod comparer;
pub mod content;
pub mod diagnose;
pub mod engine;
pub mod format;
pub mod http;
pub mod ingest;
pub mod judge;
pub mod plot;
pub mod report;
pub mod run;
pub mod selecting;
pub mod settings;
pub mod stats;
pub mod vocabulary;
pub mod wandb;

#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod app;
#[cfg(all(target_arch = "wasm32", feature = "reports"))]
pub mod reports;
#[cfg(all(target_arch = "wasm32", feature = "sources"))]
pub mod sources;
#[cfg(all(target_arch = "wasm32", feature = "worker"))]
pub mod worker;
