//! What a reply carries, taken out of it: whoever asks names the type and gets it, or hears that the reply is of another
//! kind.

use super::{
    FileRow, Heat, Lines, MetricList, ProjectView, QueryMatches, Reply, RunList, RunTable, RunView, ServerListing,
};

/// A reply that does not belong to its request: page and engine are not of one build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Unexpected reply from the engine: reload the page.")]
pub struct UnexpectedReply;

macro_rules! payloads {
    ($($payload:ty: $($reply:ident)|+;)+) => {$(
        impl TryFrom<Reply> for $payload {
            type Error = UnexpectedReply;

            fn try_from(reply: Reply) -> Result<Self, UnexpectedReply> {
                match reply {
                    $(Reply::$reply(payload))|+ => Ok(payload),
                    _ => Err(UnexpectedReply),
                }
            }
        }
    )+};
}

payloads! {
    RunList: Runs;
    MetricList: Metrics;
    Lines: Lines;
    Heat: Heat;
    RunTable: Table;
    String: Report | Settings;
    Vec<String>: Texts | Hosts;
    ServerListing: Listing;
    Vec<FileRow>: Files;
    ProjectView: Project;
    QueryMatches: Matches;
}

impl TryFrom<Reply> for RunView {
    type Error = UnexpectedReply;

    fn try_from(reply: Reply) -> Result<Self, UnexpectedReply> {
        match reply {
            Reply::Run(view) => Ok(*view),
            _ => Err(UnexpectedReply),
        }
    }
}
