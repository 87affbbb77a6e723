//! What the engine tells the judge, its neighbour in the worker: runs to be judged, and what it knows of all of them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Fault, ProblemRow, Reply};
use crate::run::Run;

/// A run to be judged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case<'a> {
    /// The engine's number for it.
    pub number: u32,
    /// The run. Of a very large one the metrics that no check reads hold their last value alone.
    pub run: Cow<'a, Run>,
    /// NaN and infinite values in what was left out.
    pub nonfinite_aside: usize,
}

/// What the engine knows of all runs, for the run list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Listing {
    /// Numbers of the runs that are there.
    pub runs: Vec<u32>,
    /// What could not be read.
    pub problems: Vec<ProblemRow>,
    /// As [`super::RunList::files`].
    pub files: u32,
    /// As [`super::RunList::bytes`].
    pub bytes: u64,
    /// As [`super::RunList::read_ms`].
    pub read_ms: f64,
    /// As [`super::RunList::diagnose_ms`].
    pub diagnose_ms: f64,
    /// As [`super::RunList::going`].
    pub going: u32,
    /// As [`super::RunList::fault`].
    pub fault: String,
}

/// A message between programs as postcard bytes. Encoding into a growing vector fails only for types that postcard can't
/// hold, and no message has one.
pub fn encoded(message: &impl Serialize) -> Vec<u8> {
    postcard::to_allocvec(message).unwrap_or_default()
}

/// An [`super::Event::Reply`] whose reply (`Result<Reply, Fault>`) is encoded already.
///
/// The judge's replies pass through the engine, which needs to know nothing of what is in them.
pub fn encoded_reply(id: u32, reply: &[u8]) -> Vec<u8> {
    // In postcard an event is its number, then its fields one after the other: the same event with another reply has
    // the same beginning. `Ok(Reply::Done)` takes two bytes.
    let mut bytes = encoded(&super::Event::Reply { id, reply: Ok::<Reply, Fault>(Reply::Done) });
    bytes.truncate(bytes.len().saturating_sub(2));
    bytes.extend_from_slice(reply);
    bytes
}

#[cfg(test)]
mod tests {
    use super::super::{Event, Reply};
    use super::*;

    #[test]
    fn an_encoded_reply_is_the_event_with_that_reply() {
        for reply in [Ok(Reply::Report("a".to_owned())), Err(Fault::NoSuchRun), Ok(Reply::Done)] {
            for id in [1, 300, u32::MAX] {
                let expected = postcard::to_allocvec(&Event::Reply { id, reply: reply.clone() }).unwrap();
                assert_eq!(encoded_reply(id, &postcard::to_allocvec(&reply).unwrap()), expected);
            }
        }
    }
}
