//! Reads what the engine sends, without serde.
//!
//! The engine writes [`Event`]s with serde and postcard. Read back with them, each field costs the page a branch for
//! the error and one for what was read before it: 25 kB of its bytes. This reads the same format
//! (<https://postcard.jamesmunns.com/wire-format>) and notes a fault instead of returning at it. The tests hold every
//! type to what postcard writes.

use super::{
    Choice, Document, Event, Fault, FindingCard, Fold, Found, Line, Lines, MetricList, MetricRow, MetricSection,
    NewsRow, Offer, OfferRow, ProblemRow, Progress, Reply, RunList, RunRow, RunView, SeverityMark, Topic, VerdictMark,
};

impl Event {
    /// Reads a whole message; `None` for bytes that are none.
    pub fn from_bytes(bytes: &[u8]) -> Option<Event> {
        let mut bytes = Bytes { left: bytes, is_bad: false };
        let event = Event::read(&mut bytes);
        (!bytes.is_bad && bytes.left.is_empty()).then_some(event)
    }
}

/// What is left to read. After a fault everything reads as empty.
struct Bytes<'a> {
    left: &'a [u8],
    is_bad: bool,
}

impl Bytes<'_> {
    fn take(&mut self, length: usize) -> &[u8] {
        match self.left.split_at_checked(length) {
            Some((taken, left)) => {
                self.left = left;
                taken
            }
            None => {
                self.bad();
                &[]
            }
        }
    }

    fn byte(&mut self) -> u8 {
        self.take(1).first().copied().unwrap_or_default()
    }

    fn bad(&mut self) {
        self.is_bad = true;
        self.left = &[];
    }

    /// A whole number: seven bits a byte, the lowest first.
    #[inline(never)]
    fn whole(&mut self) -> u64 {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
        }
        self.bad();
        0
    }

    /// The variant with the number that comes next.
    fn variant<T: Copy>(&mut self, variants: &[T], otherwise: T) -> T {
        let number = self.length();
        variants.get(number).copied().unwrap_or_else(|| {
            self.bad();
            otherwise
        })
    }

    fn length(&mut self) -> usize {
        usize::try_from(self.whole()).unwrap_or(usize::MAX)
    }
}

trait Read {
    fn read(bytes: &mut Bytes<'_>) -> Self;
}

impl Read for u64 {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.whole()
    }
}

impl Read for u32 {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        u32::try_from(bytes.whole()).unwrap_or_else(|_| {
            bytes.bad();
            0
        })
    }
}

impl Read for bool {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.byte() == 1
    }
}

impl Read for f64 {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        f64::from_le_bytes(bytes.take(8).try_into().unwrap_or_default())
    }
}

impl Read for f32 {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        f32::from_le_bytes(bytes.take(4).try_into().unwrap_or_default())
    }
}

impl Read for String {
    #[inline(never)]
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let length = bytes.length();
        let text = std::str::from_utf8(bytes.take(length)).map(str::to_owned);
        text.unwrap_or_else(|_| {
            bytes.bad();
            String::new()
        })
    }
}

impl<T: Read> Read for Option<T> {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        (bytes.byte() == 1).then(|| T::read(bytes))
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        let mut items = Vec::new();
        // A length is not believed: what is not there ends the list.
        for _ in 0..bytes.length() {
            let item = T::read(bytes);
            if bytes.is_bad {
                break;
            }
            items.push(item);
        }
        items
    }
}

impl<A: Read, B: Read> Read for (A, B) {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        (A::read(bytes), B::read(bytes))
    }
}

/// Structures, with their fields in the order of their declaration.
macro_rules! structures {
    ($($name:ident { $($field:ident)+ })+) => {
        $(
            impl Read for $name {
                fn read(bytes: &mut Bytes<'_>) -> Self {
                    Self { $($field: Read::read(bytes)),+ }
                }
            }
        )+
    };
}

structures! {
    Progress { doing bytes_done bytes_total files_done files_total }
    RunList { project measure runs problems files bytes read_ms diagnose_ms news going fault topics }
    NewsRow { run text severity }
    Offer { text failed runs advice fault is_open }
    OfferRow { id name detail }
    RunRow { run name verdict state value spark last_step worst }
    ProblemRow { file place text lost }
    RunView {
        run verdict headline summary facts skipped step_key step_why steps lanes findings well folds measure
    }
    Fold { id title blocks }
    FindingCard {
        code name phrase lane severity title onset end standing chart told arithmetic references samples explained_by
    }
    MetricList { run sections rest }
    MetricSection { name metrics }
    MetricRow { key points nonfinite last min max constant }
    Document { choices blocks }
    Choice { name label options value }
    Found { runs fault completions }
    Lines { run x_extent lines }
    Line { key x y smooth_x smooth_y nan_x positive_infinity_x negative_infinity_x y_range points }
}

impl Read for VerdictMark {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.variant(&[Self::Good, Self::Undecided, Self::Bad, Self::Ugly], Self::Undecided)
    }
}

impl Read for SeverityMark {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.variant(&[Self::Note, Self::Warning, Self::Critical], Self::Note)
    }
}

impl Read for Topic {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.variant(&Topic::ALL, Topic::Compare)
    }
}

impl Read for Event {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Event::Ready,
            1 => Event::Progress { id: Read::read(bytes), progress: Read::read(bytes) },
            2 => Event::Reply { id: Read::read(bytes), reply: Read::read(bytes) },
            _ => {
                bytes.bad();
                Event::Ready
            }
        }
    }
}

impl Read for Result<Reply, Fault> {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Ok(Read::read(bytes)),
            _ => Err(Read::read(bytes)),
        }
    }
}

impl Read for Fault {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Fault::Cancelled,
            1 => Fault::NoSuchRun,
            2 => Fault::BadMessage,
            _ => Fault::Failed(Read::read(bytes)),
        }
    }
}

impl Read for Reply {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        match bytes.whole() {
            0 => Reply::Runs(Read::read(bytes)),
            1 => Reply::Run(Box::new(Read::read(bytes))),
            2 => Reply::Metrics(Read::read(bytes)),
            3 => Reply::Lines(Read::read(bytes)),
            4 => Reply::Report(Read::read(bytes)),
            6 => Reply::Offer(Read::read(bytes)),
            7 => Reply::Files(Read::read(bytes)),
            8 => Reply::Document(Read::read(bytes)),
            9 => Reply::Found(Read::read(bytes)),
            _ => Reply::Done,
        }
    }
}

mod blocks;

#[cfg(test)]
mod tests;
