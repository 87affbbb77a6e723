//! The keys under which other runs log the same quantity, so that curves of runs of different frameworks share a chart.

use rundown_protocol::EquivalentKey;
use rundown_run::Run;
use rundown_vocabulary::{Binding, Bindings};

/// For each of these keys the keys of the runs that lack it and log the same quantity: the same concept, unit, scale and
/// direction, and of evaluations and parts of the reward the same name. `runs` go by the number, as the page knows them.
pub fn equivalents(first: &[String], runs: &[(u32, &Run, Option<&Bindings>)]) -> Vec<EquivalentKey> {
    let mut found: Vec<EquivalentKey> = Vec::new();
    for key in first {
        let bound = runs.iter().find_map(|(_, _, bindings)| bindings.and_then(|bindings| primary(bindings, key)));
        let Some(bound) = bound else { continue };
        for (number, run, bindings) in runs {
            if run.columns.contains_key(key) {
                continue;
            }
            let Some(own) = bindings.and_then(|bindings| bindings.first(bound.concept)) else { continue };
            if bound.quantity() != own.quantity() {
                continue;
            }
            let known = found.iter_mut().find(|known| known.key == *key && known.own_key == own.key);
            match known {
                Some(known) => known.runs.push(*number),
                None => {
                    found.push(EquivalentKey { key: key.clone(), own_key: own.key.clone(), runs: vec![*number] });
                }
            }
        }
    }
    found
}

/// The binding of a key that is the primary one of its concept.
fn primary<'b>(bindings: &'b Bindings, key: &str) -> Option<&'b Binding> {
    let bound = bindings.iter().find(|binding| binding.key == key)?;
    bindings.first(bound.concept).filter(|first| first.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_vocabulary::{Concept, Direction, Framework, Unit};

    fn run(keys: &[&str]) -> Run {
        let mut run = Run::default();
        let row = run.push_row(0.0, f64::NAN);
        keys.iter().for_each(|key| run.push_value(key, row, 1.0));
        run
    }

    fn bound(bindings: &[(Concept, &str, Unit)]) -> Bindings {
        let mut all = Bindings::new(Framework::Trl);
        for (concept, key, unit) in bindings {
            all.push(Binding::unscaled(*concept, key, *unit, Direction::Up));
        }
        all
    }

    #[test]
    fn runs_of_another_framework_have_their_own_key() {
        let (trl, verl) = (run(&["train/reward", "train/kl"]), run(&["critic/rewards/mean", "actor/kl_loss"]));
        let (reward, kl) = (Concept::Reward, Concept::KlToReference);
        let trl_bindings = bound(&[(reward, "train/reward", Unit::Plain), (kl, "train/kl", Unit::NatsPerToken)]);
        let verl_bindings =
            bound(&[(reward, "critic/rewards/mean", Unit::Plain), (kl, "actor/kl_loss", Unit::NatsPerSequence)]);
        let runs = [(4, &trl, Some(&trl_bindings)), (7, &verl, Some(&verl_bindings)), (9, &verl, None)];
        let first = ["train/reward".to_owned(), "train/kl".to_owned()];
        let expected =
            EquivalentKey { key: "train/reward".into(), own_key: "critic/rewards/mean".into(), runs: vec![7] };
        // The KLs have different units, and nothing is known of the third run.
        assert_eq!(equivalents(&first, &runs), [expected]);
    }

    #[test]
    fn other_evaluations_are_no_equivalents() {
        let (one, other) = (run(&["eval/gsm8k"]), run(&["eval/math"]));
        let of = |name: &str| {
            let mut bindings = Bindings::new(Framework::Trl);
            let key = format!("eval/{name}");
            let binding = Binding::unscaled(Concept::Evaluation, &key, Unit::Share, Direction::Up);
            bindings.push(Binding { name: Some(name.to_owned()), ..binding });
            bindings
        };
        let (gsm8k, math) = (of("gsm8k"), of("math"));
        let runs = [(1, &one, Some(&gsm8k)), (2, &other, Some(&math))];
        assert!(equivalents(&["eval/gsm8k".to_owned()], &runs).is_empty());
        // A run that has the key draws it, whatever it stands for there.
        let runs = [(1, &one, Some(&gsm8k)), (2, &one, Some(&math))];
        assert!(equivalents(&["eval/gsm8k".to_owned()], &runs).is_empty());
    }
}
