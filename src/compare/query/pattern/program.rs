//! A regular expression as steps that are followed side by side.

use super::syntax::{Parsed, Piece, Set};

/// Most pieces written out; repetition in braces copies what it repeats.
const MOST_WORK: usize = 5_000;

#[derive(Debug, Clone, Copy)]
enum Step {
    /// Takes a character of a set.
    One(usize),
    /// Goes both ways.
    Split(usize, usize),
    Jump(usize),
    /// Goes on at the start of the text.
    Start,
    /// Goes on at its end.
    End,
    /// Goes on where a word begins or ends, or where none does.
    Boundary(bool),
}

/// A compiled regular expression. It is found when a way leads behind the last step.
#[derive(Debug, Clone)]
pub(super) struct Program {
    steps: Vec<Step>,
    sets: Vec<Set>,
    ignores_case: bool,
}

impl Program {
    /// `None` for one that would be too large.
    pub(super) fn new(parsed: Parsed, ignores_case: bool) -> Option<Self> {
        let mut writer = Writer { steps: Vec::new(), work: 0 };
        writer.write(&parsed.root)?;
        Some(Self { steps: writer.steps, sets: parsed.sets, ignores_case })
    }

    /// True when it is found anywhere in the text. Steps times characters at most.
    pub(super) fn finds(&self, text: &str) -> bool {
        let mut rest = text.chars();
        let mut before: Option<char> = None;
        let mut ways = Ways { seen_at: vec![0; self.steps.len()], round: 0, waiting: Vec::new(), taking: Vec::new() };
        loop {
            let next = rest.next();
            // A match may begin at every character.
            ways.waiting.push(0);
            if self.follow(&mut ways, before, next) {
                return true;
            }
            let Some(character) = next else { return false };
            let taking = std::mem::take(&mut ways.taking);
            let goes_on = taking.iter().filter(|(_, set)| self.is_in(*set, character));
            ways.waiting.extend(goes_on.map(|(step, _)| step + 1));
            before = next;
        }
    }

    /// Follows all ways up to the steps that take a character; true when one leads to the end.
    fn follow(&self, ways: &mut Ways, before: Option<char>, next: Option<char>) -> bool {
        ways.round += 1;
        while let Some(at) = ways.waiting.pop() {
            let Some(step) = self.steps.get(at) else { return true };
            match ways.seen_at.get_mut(at) {
                Some(seen) if *seen != ways.round => *seen = ways.round,
                _ => continue,
            }
            let goes_on = match *step {
                Step::One(set) => {
                    ways.taking.push((at, set));
                    continue;
                }
                Step::Split(one, other) => {
                    ways.waiting.extend([one, other]);
                    continue;
                }
                Step::Jump(to) => {
                    ways.waiting.push(to);
                    continue;
                }
                Step::Start => before.is_none(),
                Step::End => next.is_none(),
                Step::Boundary(wanted) => (is_word(before) != is_word(next)) == wanted,
            };
            if goes_on {
                ways.waiting.push(at + 1);
            }
        }
        false
    }

    fn is_in(&self, set: usize, character: char) -> bool {
        let Some(set) = self.sets.get(set) else { return false };
        let holds = |character: char| set.ranges.iter().any(|(low, high)| (*low..=*high).contains(&character));
        let is_there = holds(character)
            || self.ignores_case && (holds(character.to_ascii_lowercase()) || holds(character.to_ascii_uppercase()));
        is_there != set.is_negated
    }
}

/// Where all ways stand.
struct Ways {
    /// Round in which a step was last reached.
    seen_at: Vec<usize>,
    round: usize,
    /// Steps to be followed.
    waiting: Vec<usize>,
    /// Steps that take a character, with their sets.
    taking: Vec<(usize, usize)>,
}

fn is_word(character: Option<char>) -> bool {
    character.is_some_and(|character| character.is_ascii_alphanumeric() || character == '_')
}

struct Writer {
    steps: Vec<Step>,
    work: usize,
}

impl Writer {
    /// Writes the steps of a piece; `None` when they are too many.
    fn write(&mut self, piece: &Piece) -> Option<()> {
        self.work += 1;
        if self.work > MOST_WORK {
            return None;
        }
        match piece {
            Piece::One(set) => self.steps.push(Step::One(*set)),
            Piece::Start => self.steps.push(Step::Start),
            Piece::End => self.steps.push(Step::End),
            Piece::Boundary(wanted) => self.steps.push(Step::Boundary(*wanted)),
            Piece::Sequence(pieces) => pieces.iter().try_for_each(|piece| self.write(piece))?,
            Piece::Either(choices) => self.either(choices)?,
            Piece::Repeat(piece, least, most) => self.repeat(piece, *least, *most)?,
        }
        Some(())
    }

    fn either(&mut self, choices: &[Piece]) -> Option<()> {
        let mut ends = Vec::new();
        for (place, choice) in choices.iter().enumerate() {
            if place + 1 == choices.len() {
                self.write(choice)?;
                break;
            }
            let split = self.open();
            self.write(choice)?;
            ends.push(self.open());
            self.set(split, Step::Split(split + 1, self.steps.len()));
        }
        for end in ends {
            self.set(end, Step::Jump(self.steps.len()));
        }
        Some(())
    }

    fn repeat(&mut self, piece: &Piece, least: u32, most: Option<u32>) -> Option<()> {
        for _ in 0..least {
            self.write(piece)?;
        }
        let Some(most) = most else {
            let split = self.open();
            self.write(piece)?;
            self.steps.push(Step::Jump(split));
            self.set(split, Step::Split(split + 1, self.steps.len()));
            return Some(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.open());
            self.write(piece)?;
        }
        for split in splits {
            self.set(split, Step::Split(split + 1, self.steps.len()));
        }
        Some(())
    }

    /// A place for a step that is not known yet.
    fn open(&mut self) -> usize {
        self.steps.push(Step::Jump(0));
        self.steps.len() - 1
    }

    fn set(&mut self, at: usize, step: Step) {
        if let Some(place) = self.steps.get_mut(at) {
            *place = step;
        }
    }
}
