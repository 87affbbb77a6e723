//! Stable names of concepts and units, as reports and saved choices write them.

use super::{Concept, Unit};

/// Every unit with its name.
const UNITS: [(Unit, &str); 11] = [
    (Unit::Plain, "plain"),
    (Unit::Share, "share"),
    (Unit::NatsPerToken, "nats_per_token"),
    (Unit::NatsPerTokenSigned, "nats_per_token_signed"),
    (Unit::NatsPerSequence, "nats_per_sequence"),
    (Unit::Tokens, "tokens"),
    (Unit::Seconds, "seconds"),
    (Unit::Count, "count"),
    (Unit::Gigabytes, "gigabytes"),
    (Unit::TokensPerSecond, "tokens_per_second"),
    (Unit::Elo, "elo"),
];

impl Concept {
    /// The concept of a stable name such as `kl_to_reference`.
    pub fn from_name(name: &str) -> Option<Concept> {
        Concept::ALL.iter().copied().find(|concept| concept.name() == name)
    }
}

impl Unit {
    /// The stable name, such as `nats_per_token`.
    pub fn name(self) -> &'static str {
        UNITS.iter().find(|(unit, _)| *unit == self).map_or("plain", |(_, name)| name)
    }

    /// The unit of a stable name.
    pub fn from_name(name: &str) -> Option<Unit> {
        UNITS.iter().find(|(_, known)| *known == name).map(|(unit, _)| *unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for concept in Concept::ALL {
            assert_eq!(Concept::from_name(concept.name()), Some(*concept));
            assert_eq!(Unit::from_name(concept.unit().name()), Some(concept.unit()));
        }
        assert_eq!(Concept::from_name("KlToReference"), None);
        assert_eq!(Unit::from_name("parsecs"), None);
    }
}
