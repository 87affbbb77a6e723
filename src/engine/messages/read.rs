//! Reads what the engine sends, without serde.
//!
//! The engine writes [`Event`]s with serde and postcard. Read back with them, each field costs the page a branch for
//! the error and one for what was read before it: 25 kB of its bytes. This reads the same format
//! (<https://postcard.jamesmunns.com/wire-format>) and notes a fault instead of returning at it. The tests hold every
//! type to what postcard writes.

use super::{
    ActionRow, BindingRow, CheckNote, Event, Fact, Fault, FindingCard, Line, Lines, MetricList, MetricRow,
    MetricSection, NewsRow, Offer, OfferRow, ProblemRow, Progress, Reply, RunList, RunRow, RunView, SeverityMark, Span,
    VerdictMark,
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

impl<T: Read, const N: usize> Read for [T; N] {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        std::array::from_fn(|_| T::read(bytes))
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
    RunList { project measure runs problems files bytes read_ms diagnose_ms news going fault }
    NewsRow { run text severity }
    Offer { text failed runs advice }
    OfferRow { id name detail }
    RunRow { run name verdict state value spark last_step worst }
    ProblemRow { file place text lost }
    RunView {
        run name verdict headline summary facts step_key step_why steps lanes findings quiet skipped bindings files
        warnings config measure
    }
    Fact { label value remark }
    FindingCard {
        code name lane severity title detail onset end confidence chart trend evidence causes actions alternative
        refute references explained_by
    }
    ActionRow { change from to note }
    CheckNote { name text }
    BindingRow { concept key unit why }
    MetricList { run sections rest }
    MetricSection { name metrics }
    MetricRow { key points nonfinite last min max constant }
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

impl Read for Span {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        bytes.variant(&[Span::Text, Span::Key, Span::Strong], Span::Text)(Read::read(bytes))
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
            _ => Reply::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(words: &str) -> String {
        words.to_owned()
    }

    /// One event of each kind, with a different value in every field.
    fn events() -> Vec<Event> {
        let row = RunRow {
            run: 300,
            name: text("amber-07"),
            verdict: VerdictMark::Ugly,
            state: text("finished"),
            value: -0.5,
            spark: vec![0.25, -1e30],
            last_step: 500.0,
            worst: vec![text("a"), text("Ünïcödé")],
        };
        let list = RunList {
            project: text("p"),
            measure: text("m"),
            runs: vec![row.clone(), RunRow { verdict: VerdictMark::Good, ..row }],
            problems: vec![ProblemRow { file: text("f"), place: text("line 1"), text: text("t"), lost: true }],
            files: u32::MAX,
            bytes: u64::MAX,
            read_ms: 1.5,
            diagnose_ms: 2.5,
            news: vec![NewsRow { run: 300, text: text("n"), severity: SeverityMark::Critical }],
            going: 2,
            fault: text("fault"),
        };
        let offer = Offer {
            text: text("o"),
            failed: true,
            runs: vec![OfferRow { id: text("i"), name: text("n"), detail: text("d") }],
            advice: vec![(text("try"), text("python"))],
        };
        let triple = |a: &str| [text(a), text("b"), text("c")];
        let card = FindingCard {
            code: text("kl_blow_up"),
            name: text("KL"),
            lane: 2,
            severity: SeverityMark::Critical,
            title: text("title"),
            detail: vec![Span::Text(text("x")), Span::Key(text("y")), Span::Strong(text("z"))],
            onset: 21.0,
            end: 22.0,
            confidence: 0.97,
            chart: vec![text("train/kl")],
            trend: vec![["1", "2", "3", "4", "5"].map(text)],
            evidence: vec![triple("e")],
            causes: vec![triple("c")],
            actions: vec![ActionRow { change: text("lr"), from: text("1"), to: text("2"), note: text("n") }],
            alternative: text("alt"),
            refute: text("ref"),
            references: vec![text("https://b.c")],
            explained_by: Some(3),
        };
        let view = RunView {
            run: 7,
            name: text("n"),
            verdict: VerdictMark::Bad,
            headline: text("h"),
            summary: vec![Span::Strong(text("s"))],
            facts: vec![Fact { label: text("l"), value: text("v"), remark: text("r") }],
            step_key: text("k"),
            step_why: text("w"),
            steps: (1.0, 2.0),
            lanes: vec![text("reward")],
            findings: vec![card.clone(), FindingCard { explained_by: None, severity: SeverityMark::Note, ..card }],
            quiet: vec![CheckNote { name: text("q"), text: text("qt") }],
            skipped: vec![CheckNote { name: text("s"), text: text("st") }],
            bindings: vec![BindingRow { concept: text("c"), key: text("k"), unit: text("u"), why: text("w") }],
            files: vec![text("f1"), text("f2")],
            warnings: vec![text("w1")],
            config: vec![(text("beta"), text("0.1"))],
            measure: text("eval/accuracy"),
        };
        let metric =
            MetricRow { key: text("k"), points: 1 << 40, nonfinite: 1, last: 2.0, min: 3.0, max: 4.0, constant: true };
        let metrics = MetricList {
            run: 9,
            sections: vec![MetricSection { name: text("s"), metrics: vec![metric] }],
            rest: text("more"),
        };
        let line = Line {
            key: text("k"),
            x: 0,
            y: 1,
            smooth_x: 2,
            smooth_y: 3,
            nan_x: 4,
            positive_infinity_x: 5,
            negative_infinity_x: 6,
            y_range: Some((-1.0, 1.0)),
            points: 77,
        };
        let lines = Lines { run: 4, x_extent: None, lines: vec![line] };
        let progress =
            Progress { doing: text("d"), bytes_done: 127, bytes_total: 128, files_done: 16_383, files_total: 16_384 };
        let replies = [
            Ok(Reply::Runs(list)),
            Ok(Reply::Run(Box::new(view))),
            Ok(Reply::Metrics(metrics)),
            Ok(Reply::Lines(lines)),
            Ok(Reply::Report(text("# report"))),
            Ok(Reply::Done),
            Ok(Reply::Offer(offer)),
            Ok(Reply::Files(vec![(text("path"), text("table"))])),
            Err(Fault::Cancelled),
            Err(Fault::NoSuchRun),
            Err(Fault::BadMessage),
            Err(Fault::Failed(text("why"))),
        ];
        let mut events = vec![Event::Ready, Event::Progress { id: 5, progress }];
        events.extend(replies.map(|reply| Event::Reply { id: 6, reply }));
        events
    }

    #[test]
    fn what_postcard_writes_is_read_back() {
        for event in events() {
            let bytes = postcard::to_allocvec(&event).unwrap();
            assert_eq!(Event::from_bytes(&bytes), Some(event));
        }
    }

    #[test]
    fn half_a_message_is_none() {
        for event in events() {
            let bytes = postcard::to_allocvec(&event).unwrap();
            for end in 0..bytes.len() {
                assert_eq!(Event::from_bytes(&bytes[..end]), None, "{end} of {} bytes of {event:?}", bytes.len());
            }
            assert_eq!(Event::from_bytes(&[bytes, vec![0]].concat()), None, "one byte too many: {event:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_postcard_reads(
            which in 0..14usize,
            place: prop::sample::Index,
            byte: u8,
        ) {
            let mut bytes = postcard::to_allocvec(&events()[which]).unwrap();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            // Damage that postcard takes for a message reads the same; what it refuses must only end.
            let ours = Event::from_bytes(&bytes);
            if let Ok((theirs, [])) = postcard::take_from_bytes::<Event>(&bytes) {
                prop_assert_eq!(format!("{:?}", ours), format!("{:?}", Some(theirs)));
            }
        }
    }
}
