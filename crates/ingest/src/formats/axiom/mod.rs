//! Events of a training pipeline as Axiom keeps them: rollouts, inference, extraction, errors.
//!
//! They come as an export (NDJSON, JSON, CSV) or as a reply of the query API in either of its shapes. An event is a
//! time, a name and fields; [`names`] says which column a field becomes. All events that name one run are one run,
//! whose rows are the events in the order of time; beside the run of that name they join it. How often each event occurred
//! stands in the run's summary; the texts of errors, and means by adapter, phase, horizon and group, in
//! [`rundown_run::EventLog`].

mod collect;
mod error_texts;
mod event;
mod label_means;
mod name_numbers;
mod names;
mod reply;

pub(crate) use collect::AxiomEvents;
pub(crate) use event::{AxiomEvent, NAME_FIELDS, is_event};
pub(crate) use reply::{add_buckets, add_table};
