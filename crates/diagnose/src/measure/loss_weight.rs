//! The weight of a term of a loss that is nothing else: with one update a batch, GRPO's ratios are 1 and its advantages add
//! up to 0, so that the loss that is logged is the KL times its coefficient (TRL docs, "loss").

use crate::measure::series::{MetricSeries, value_at};
use rundown_stats as stats;

/// Fewest points of the larger half of the term.
const MIN_POINTS: usize = 10;
/// Share of the variance of the loss that the term leaves, at most: two constants have a constant ratio too.
const MAX_UNEXPLAINED: f64 = 0.05;
/// Steps of the printed digits that the largest loss has, at least.
const MIN_RESOLVED: f64 = 10.0;
/// Relative distance from the line beside that of the printed digits, and share of the points that keep to it.
const NEAR: f64 = 0.1;
const NEARLY_ALL: f64 = 0.8;
/// Digits of a coefficient that losses with four decimals can show.
const DIGITS: f64 = 2.0;

/// The coefficient by which a loss is the term, where it is, by least squares; points stand for each other at the same step.
/// The smaller half of the term tells little: losses are printed with few decimals.
pub(crate) fn weight(loss: &MetricSeries<'_>, term: &MetricSeries<'_>) -> Option<f64> {
    let median = stats::median(&term.values).filter(|median| *median > 0.0)?;
    let large = term.steps.iter().zip(term.values.iter()).filter(|(_, value)| **value >= median);
    let pairs: Vec<(f64, f64)> =
        large.filter_map(|(step, value)| Some((value_at(&loss.steps, &loss.values, *step)?, *value))).collect();
    let sum = |product: fn(&(f64, f64)) -> f64| pairs.iter().map(product).sum::<f64>();
    let weight = sum(|(loss, term)| loss * term) / sum(|(_, term)| term * term);
    let printed = loss.quantum();
    let is_near = |(loss, term): &&(f64, f64)| (loss - weight * term).abs() <= NEAR * weight * term + printed;
    let near = pairs.iter().filter(is_near).count() as f64;
    let squares = |value: &dyn Fn(f64, f64) -> f64| {
        pairs.iter().map(|(loss, term)| value(*loss, *term)).map(|distance| distance * distance).sum::<f64>()
    };
    let mean = sum(|(loss, _)| *loss) / pairs.len() as f64;
    let left = squares(&|loss, term| loss - weight * term);
    let is_explained = left <= MAX_UNEXPLAINED * squares(&|loss, _| loss - mean);
    let is_weight = pairs.len() >= MIN_POINTS && is_explained && near >= NEARLY_ALL * pairs.len() as f64;
    let largest = pairs.iter().map(|(loss, _)| *loss).fold(0.0, f64::max);
    (is_weight && weight > 0.0 && largest >= MIN_RESOLVED * printed).then(|| rounded(weight))
}

/// The value with the digits that it is known to: 0.0395 is 0.04, as is 0.0404.
fn rounded(value: f64) -> f64 {
    let unit = libm::pow(10.0, DIGITS - 1.0 - libm::floor(libm::log10(value)));
    let fine = (value * unit).round() / unit;
    let coarse = (value * unit / 10.0).round() * 10.0 / unit;
    if (coarse / value - 1.0).abs() <= 0.02 { coarse } else { fine }
}

#[cfg(test)]
mod tests {
    use crate::checks::testing::Synthetic;
    use crate::signals::Signals;
    use crate::{Hyperparameter, Rulebook};
    use rundown_vocabulary::bind;

    fn found(loss: impl Fn(f64) -> f64, kl: impl Fn(f64) -> f64) -> Option<f64> {
        let run = Synthetic::healthy(100).every("train/loss", 1, loss).every("train/kl", 1, kl).build();
        let (bindings, book) = (bind(&run), Rulebook::default());
        let signals = Signals::new(&run, &bindings, &book);
        signals.setting(Hyperparameter::KlCoefficient).map(|setting| setting.value)
    }

    #[test]
    fn a_loss_that_is_the_kl_alone_tells_its_coefficient() {
        let kl = |t: f64| 0.01 + 0.3 * t;
        let printed = |beta: f64| move |t: f64| (beta * kl(t) * 1e4).round() / 1e4;
        assert_eq!(found(printed(0.04), kl), Some(0.04));
        assert_eq!(found(|t| 0.001 * kl(t), kl), Some(0.001));
        assert_eq!(found(|t| 0.04 * kl(t) + 0.02 * libm::sin(90.0 * t), kl), None, "there is more in it");
        assert_eq!(found(|_| 0.004, |_| 0.1), None, "two constants");
        assert_eq!(found(|_| 0.0, kl), None);
        assert_eq!(found(|t| -0.1 * kl(t), kl), None);
    }
}
