//! Events that come every so many steps: an evaluation or a checkpoint makes its step slow, and is no stall.

/// Only so many events, and pairs of them that lie so near, propose a period: more would say the same.
const PROPOSING_EVENTS: usize = 128;
const PROPOSING_DISTANCE: usize = 3;

/// Fewest events that can be called periodic.
const FEWEST_EVENTS: usize = 3;

/// Events by which proposals are compared, and proposals that are then held against all steps.
const COMPARING_EVENTS: usize = 2048;
const WALKS: usize = 16;

/// Share of the steps at which an event was due that must have one.
const LEAST_RECALL: f64 = 0.6;

/// Chance of as many hits at random steps that is still believed.
const MOST_CHANCE: f64 = 0.01;

/// How many different periods [`periods`] takes apart.
const MOST_PERIODS: usize = 3;

/// A rhythm of events.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Period {
    /// Steps from one event to the next.
    pub every: f64,
    /// The first due step that is not negative: 0 for events at multiples of `every`.
    pub phase: f64,
    /// Events at due steps.
    pub hits: usize,
    /// Logged steps from the first to the last hit at which one was due.
    pub due: usize,
    /// Chance of such a rhythm among as many events at random steps, corrected for the periods tried.
    pub chance: f64,
    tolerance: f64,
}

impl Period {
    /// Whether an event is due at this step.
    pub fn is_due(&self, step: f64) -> bool {
        let rounds = (step - self.phase) / self.every;
        (rounds - rounds.round()).abs() * self.every <= self.tolerance
    }
}

/// The rhythm of `events`, if they have one: at least three events, at 60 % and more of the logged steps where one was
/// due, and less than 1 % likely for random steps. Both lists ascend; `steps` are all the logged ones.
///
/// Two events propose a period and a phase; each of the others hits by chance as often as due steps occur among the
/// logged ones. Events at multiples of the period (or one step beside, as counting from 0 or 1 has it) need less proof,
/// because that is how frameworks schedule. Other events in between do not disturb. A period spans at least two logged
/// steps. The first 128 events propose; O(events + steps) for each of a few hundred proposals at most.
pub fn periodic(events: &[f64], steps: &[f64]) -> Option<Period> {
    let spacing = usual_spacing(steps)?;
    let mut events: Vec<f64> = events.iter().copied().filter(|step| step.is_finite()).collect();
    events.sort_by(f64::total_cmp);
    events.dedup();
    if events.len() < FEWEST_EVENTS {
        return None;
    }
    let mut tried = proposals(&events, spacing);
    let count = tried.len();
    tried.retain_mut(|period| is_promising(period, &events, spacing));
    // Those with the most hits first; only a few are worth a walk through all steps. Equal ones: the longest period,
    // which is due least often.
    let mut best: Option<Period> = None;
    for _ in 0..WALKS {
        let Some(place) = most_hits(&tried) else { break };
        let mut period = tried.swap_remove(place);
        judge(&mut period, &events, steps, count, spacing);
        let enough = period.hits as f64 >= LEAST_RECALL * period.due as f64 && period.chance <= MOST_CHANCE;
        if enough && best.is_none_or(|best| period.chance < best.chance) {
            best = Some(period);
        }
    }
    best
}

/// All rhythms of `events`, the clearest first, at most three: evaluations every 50 steps and checkpoints every 80 are
/// found one after the other, each among the events that the ones before leave over.
pub fn periods(events: &[f64], steps: &[f64]) -> Vec<Period> {
    let mut rest = events.to_vec();
    let mut found = Vec::new();
    while found.len() < MOST_PERIODS
        && let Some(period) = periodic(&rest, steps)
    {
        rest.retain(|step| !period.is_due(*step));
        found.push(period);
    }
    found
}

/// Median distance of neighbouring steps that differ.
fn usual_spacing(steps: &[f64]) -> Option<f64> {
    let gaps = steps.iter().zip(steps.iter().skip(1)).map(|(before, after)| after - before);
    let gaps: Vec<f64> = gaps.filter(|gap| gap.is_finite() && *gap > 0.0).collect();
    super::describe::median(&gaps)
}

/// The rhythms that pairs of near events propose, each once.
fn proposals(events: &[f64], spacing: f64) -> Vec<Period> {
    let mut proposed: Vec<Period> = Vec::new();
    for (place, first) in events.iter().enumerate().take(PROPOSING_EVENTS) {
        for second in events.iter().skip(place + 1).take(PROPOSING_DISTANCE) {
            let every = second - first;
            if every < 1.5 * spacing || !every.is_finite() {
                continue;
            }
            let tolerance = 0.25 * spacing;
            let mut phase = first - (first / every).floor() * every;
            if every - phase <= tolerance {
                phase = 0.0;
            }
            let period = Period { every, phase, hits: 0, due: 0, chance: 1.0, tolerance };
            let known = |other: &Period| {
                (other.every - every).abs() <= 1e-9 * every && (other.phase - phase).abs() <= tolerance
            };
            if !proposed.iter().any(known) {
                proposed.push(period);
            }
        }
    }
    proposed
}

/// Counts the hits among the first events; whether they are many enough for the time from the first to the last.
fn is_promising(period: &mut Period, events: &[f64], spacing: f64) -> bool {
    let mut hits = events.iter().take(COMPARING_EVENTS).filter(|step| period.is_due(**step));
    let Some(first) = hits.next() else { return false };
    let (mut count, mut last) = (1, first);
    for step in hits {
        count += 1;
        last = step;
    }
    period.hits = count;
    // Half of what is asked for: steps may be missing, so that fewer were due.
    count >= FEWEST_EVENTS && count as f64 >= 0.5 * LEAST_RECALL * ((last - first) / period.every.max(spacing) + 1.0)
}

fn most_hits(tried: &[Period]) -> Option<usize> {
    let mut best: Option<(usize, &Period)> = None;
    for (place, period) in tried.iter().enumerate() {
        let better = best
            .is_none_or(|(_, best)| period.hits > best.hits || (period.hits == best.hits && period.every > best.every));
        if better {
            best = Some((place, period));
        }
    }
    best.map(|(place, _)| place)
}

/// Counts where an event was due, and how likely the hits are by chance.
fn judge(period: &mut Period, events: &[f64], steps: &[f64], tried: usize, spacing: f64) {
    let mut hits = events.iter().filter(|step| period.is_due(**step));
    let Some(first) = hits.next() else { return };
    let (mut count, mut last) = (1, first);
    for step in hits {
        count += 1;
        last = step;
    }
    period.hits = count;
    let (mut within, mut due) = (0.0_f64, 0.0_f64);
    let mut counted = f64::NAN;
    for step in steps.iter().filter(|step| (first..=last).contains(step)) {
        // A step that is logged twice is one step.
        if *step == counted {
            continue;
        }
        counted = *step;
        within += 1.0;
        if period.is_due(*step) {
            due += 1.0;
        }
    }
    period.due = due as usize;
    if due < 1.0 || due >= 0.75 * within {
        return;
    }
    let others = events.iter().filter(|step| (first..=last).contains(step)).count() as f64 - 2.0;
    let by_chance = super::distributions::binomial_sf(period.hits as f64 - 2.0, others, due / within);
    let beside = period.phase.min(period.every - period.phase);
    let usual = if beside <= 1.25 * spacing { (3.0 * spacing / period.every).min(1.0) } else { 1.0 };
    period.chance = (by_chance * usual * tried as f64).min(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::SplitMix64;
    use proptest::prelude::*;

    fn steps(n: u32) -> Vec<f64> {
        (1..=n).map(f64::from).collect()
    }

    #[test]
    fn evaluations_every_fifty_steps() {
        let events = [50.0, 100.0, 150.0, 200.0];
        let found = periodic(&events, &steps(230)).unwrap();
        assert_eq!((found.every, found.phase, found.hits, found.due), (50.0, 0.0, 4, 4));
        assert!(found.is_due(250.0) && found.is_due(0.0) && !found.is_due(251.0));
        // Three are enough at multiples; steps that count from 0 log them one earlier.
        assert!(periodic(&events[..3], &steps(170)).is_some());
        let early: Vec<f64> = events.iter().map(|step| step - 1.0).collect();
        assert_eq!(periodic(&early, &steps(230)).unwrap().phase, 49.0);
    }

    #[test]
    fn stalls_among_evaluations_and_missed_ones_do_not_disturb() {
        let mut events: Vec<f64> =
            (1..=20).filter(|round| round % 7 != 0).map(|round| f64::from(round) * 25.0).collect();
        events.extend([61.0, 62.0, 333.0, 410.0]);
        let found = periodic(&events, &steps(600)).unwrap();
        assert_eq!((found.every, found.hits), (25.0, 18));
        assert!(!found.is_due(333.0));
    }

    #[test]
    fn two_rhythms() {
        let events: Vec<f64> =
            steps(1000).into_iter().filter(|step| step % 50.0 == 0.0 || step % 80.0 == 0.0).collect();
        let mut every: Vec<f64> = periods(&events, &steps(1000)).iter().map(|period| period.every).collect();
        every.sort_by(f64::total_cmp);
        assert_eq!(every, [50.0, 80.0]);
    }

    #[test]
    fn sparse_logging_counts_in_its_own_steps() {
        let logged: Vec<f64> = (1..=200).map(|row| f64::from(row) * 10.0).collect();
        let events = [200.0, 400.0, 600.0, 800.0, 1000.0];
        assert_eq!(periodic(&events, &logged).map(|period| period.every), Some(200.0));
    }

    #[test]
    fn random_events_have_no_rhythm() {
        let mut random = SplitMix64::new(11);
        let logged = steps(1000);
        for count in [3, 6, 12, 40] {
            let found = (0..200).filter(|_| {
                let mut events: Vec<f64> = (0..count).map(|_| (1 + random.below(1000)) as f64).collect();
                events.sort_by(f64::total_cmp);
                periodic(&events, &logged).is_some()
            });
            let found = found.count();
            assert!(found <= 4, "{found} of 200 with {count} events");
        }
    }

    #[test]
    fn a_burst_or_every_step_is_no_rhythm() {
        assert_eq!(periodic(&steps(40), &steps(100)), None);
        assert_eq!(periodic(&[100.0, 101.0, 102.0, 103.0], &steps(300)), None);
        assert_eq!(periodic(&[50.0, 100.0], &steps(300)), None);
        assert_eq!(periodic(&[], &[]), None);
        assert_eq!(periodic(&[1.0, 1.0, 1.0, 1.0], &[1.0; 9]), None);
    }

    #[test]
    fn a_million_steps_take_no_time() {
        let logged: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        let events: Vec<f64> = logged.iter().copied().filter(|step| step % 7.0 == 3.0).collect();
        assert_eq!(periodic(&events, &logged).map(|period| period.every), Some(7.0));
    }

    proptest! {
        #[test]
        fn never_panics(events in prop::collection::vec(prop::num::f64::ANY, 0..30), logged in prop::collection::vec(prop::num::f64::ANY, 0..30)) {
            let _ = periods(&events, &logged);
        }
    }
}
