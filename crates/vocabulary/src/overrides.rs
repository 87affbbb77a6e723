//! What the user says that a metric stands for, before any table is asked.

use super::{Concept, Direction, Unit};

/// One choice of the user: a metric and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Override {
    /// Key of the metric, as the run has it or without a leading `train/`.
    pub key: String,
    /// What it stands for; `None` when it is to stand for nothing.
    pub concept: Option<Concept>,
    /// Unit of its values, where it differs from the one that is known.
    pub unit: Option<Unit>,
    /// Which way is better, where it differs from the one that is known.
    pub direction: Option<Direction>,
}

/// All choices of the user, at most one for a key, in the order in which they were made.
///
/// As JSON a list: `[{"key": "my_score", "concept": "evaluation", "unit": "share"}, {"key": "kl", "concept": null}]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides(Vec<Override>);

impl Overrides {
    /// Makes a choice; an earlier one for the same key is forgotten.
    pub fn set(&mut self, choice: Override) {
        self.clear(&choice.key);
        self.0.push(choice);
    }

    /// Forgets the choice for a key.
    pub fn clear(&mut self, key: &str) {
        self.0.retain(|choice| choice.key != key);
    }

    /// The choices.
    pub fn iter(&self) -> impl Iterator<Item = &Override> {
        self.0.iter()
    }

    /// True without any choice.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Override {
    /// Reads `key=concept`, `key=concept:unit`, `key=concept:down` or `key=none`, as typed in a terminal.
    ///
    /// # Errors
    /// Says in one sentence what is not understood.
    pub fn parse(text: &str) -> Result<Override, String> {
        let (key, meaning) = text.rsplit_once('=').ok_or("a choice has the form key=concept")?;
        Self::of(key, meaning)
    }

    /// The choice for a key; the meaning is `none`, or `concept` with a unit, a direction (`up`, `down`) or both behind
    /// colons.
    ///
    /// # Errors
    /// Says in one sentence what is not understood.
    pub fn of(key: &str, meaning: &str) -> Result<Override, String> {
        if key.is_empty() {
            return Err("a choice needs a key before its =".to_owned());
        }
        let mut parts = meaning.split(':');
        let concept = parts.next().unwrap_or(meaning);
        let (mut unit, mut direction) = (None, None);
        for part in parts {
            match Direction::from_name(part) {
                Some(known) => direction = Some(known),
                None => unit = Some(Unit::from_name(part).ok_or(format!("there is no unit {part}"))?),
            }
        }
        let concept = match concept {
            "none" => None,
            name => Some(Concept::from_name(name).ok_or(format!("there is no concept {name}"))?),
        };
        Ok(Override { key: key.to_owned(), concept, unit, direction })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_choice_replaces_an_earlier_one() {
        let mut choices = Overrides::default();
        choices.set(Override::parse("my/score=reward").unwrap());
        choices.set(Override::parse("kl=kl_to_reference:nats_per_sequence").unwrap());
        choices.set(Override::parse("my/score=none").unwrap());
        let all: Vec<&Override> = choices.iter().collect();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].key.as_str(), all[0].unit), ("kl", Some(Unit::NatsPerSequence)));
        assert_eq!((all[1].key.as_str(), all[1].concept), ("my/score", None));
        let both = Override::parse("cost=evaluation:share:down").unwrap();
        assert_eq!((both.unit, both.direction), (Some(Unit::Share), Some(Direction::Down)));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert_eq!(Override::parse("kl").unwrap_err(), "a choice has the form key=concept");
        assert_eq!(Override::parse("kl=charm").unwrap_err(), "there is no concept charm");
        assert_eq!(Override::parse("kl=entropy:parsec").unwrap_err(), "there is no unit parsec");
        assert!(Override::parse("=entropy").is_err());
        assert_eq!(Override::parse("a=b=entropy").unwrap().key, "a=b");
    }
}
