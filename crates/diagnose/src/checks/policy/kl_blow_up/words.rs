//! What is said of a policy that left the reference.

use crate::kl::KlMovement;
use rundown_format::rich_text::{metric, number};
use rundown_format::{RichText, rich};

/// Title and detail where the KL stays high.
pub(super) fn away_words(moved: &KlMovement<'_>) -> (RichText, RichText) {
    let last = moved.offset + moved.last;
    let first = moved.kl.values.first().copied().unwrap_or(0.0);
    let title = if first < last {
        rich!("KL to the reference went from {} to {} nats per token", number(first), number(last))
    } else {
        rich!("KL to the reference stays at {} nats per token", number(last))
    };
    let detail = rich!(
        "{} stays at {} nats per token: the policy has left the reference, and what the reference could do is no longer protected.",
        metric(moved.kl.key()),
        number(last)
    );
    (title, detail)
}

/// The same where it was as high when it was first logged: in the first steps no training made that KL.
pub(super) fn high_words(moved: &KlMovement<'_>) -> (RichText, RichText) {
    let first = moved.kl.values.first().copied().unwrap_or(0.0);
    let last = number(moved.offset + moved.last);
    let title = rich!(
        "KL to the reference is {} nats per token when it is first logged, and {} at the end",
        number(first),
        last
    );
    let when = if moved.is_logged_from_start() {
        "before the policy has learned anything: the reference is another model, or has another adapter or precision, or a \
         few tokens dominate the estimate"
    } else {
        "when the log begins: what the KL was before is not known"
    };
    (title, rich!("{} is that high {}.", metric(moved.kl.key()), when))
}

/// The same where it came back.
pub(super) fn came_back_words(moved: &KlMovement<'_>, peak: f64) -> (RichText, RichText) {
    let (peak, last) = (moved.offset + peak, moved.offset + moved.last);
    let title = rich!("KL to the reference rose to {} nats per token and came back to {}", number(peak), number(last));
    let detail = rich!(
        "{} was at {} nats per token for a while: that it came back does not restore what the policy may have lost.",
        metric(moved.kl.key()),
        number(peak)
    );
    (title, detail)
}
