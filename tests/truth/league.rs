//! Games between agents of true skill and the Elo that comes of them, so that its noise and its zero sum are real.

use std::collections::BTreeMap;

use super::random::Random;

/// Agents by name.
pub struct League {
    skill: BTreeMap<String, f64>,
    pub elo: BTreeMap<String, f64>,
    pub played: usize,
}

impl League {
    pub fn new(anchors: bool) -> Self {
        let fixed = [
            ("base_model", 0.0),
            ("chaos_bot", -0.6),
            ("defensive_bot", -0.35),
            ("territorial_bot", -0.3),
            ("coordinated_bot", -0.1),
        ];
        let fixed = if anchors { &fixed[..] } else { &[] };
        Self {
            skill: fixed.iter().map(|(name, skill)| ((*name).to_owned(), *skill)).collect(),
            elo: fixed.iter().map(|(name, _)| ((*name).to_owned(), 1000.0)).collect(),
            played: 0,
        }
    }

    pub fn join(&mut self, name: String, skill: f64, elo: f64) {
        self.skill.insert(name.clone(), skill);
        self.elo.insert(name, elo);
    }

    pub fn play(&mut self, latest: &str, games: usize, random: &mut Random) {
        let names: Vec<String> = self.elo.keys().cloned().collect();
        if names.len() < 2 {
            return;
        }
        for _ in 0..games {
            let first =
                if random.chance(0.6) { latest.to_owned() } else { names[random.whole(0, names.len() - 1)].clone() };
            let second = &names[random.whole(0, names.len() - 1)];
            if *second == first {
                continue;
            }
            let gap = self.skill[&first] - self.skill[second];
            let score = if random.chance(1.0 / (1.0 + libm::exp(-1.7 * gap))) { 1.0 } else { 0.0 };
            let expected = 1.0 / (1.0 + libm::pow(10.0, (self.elo[second] - self.elo[&first]) / 400.0));
            let change = 8.0 * (score - expected);
            *self.elo.entry(first).or_default() += change;
            *self.elo.entry(second.clone()).or_default() -= change;
            self.played += 1;
        }
    }
}
