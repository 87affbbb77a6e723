//! Two metrics beside each other: checks that compare them need the steps that both have.

use std::borrow::Cow;

use crate::measure::series::MetricSeries;

/// The steps at which both metrics were logged, and the values of each there. Linear in their length; columns of metrics
/// that were logged together are borrowed.
pub(crate) fn matched<'a>(one: &'a MetricSeries<'_>, other: &'a MetricSeries<'_>) -> [Cow<'a, [f64]>; 3] {
    if one.steps == other.steps {
        return [&one.steps, &one.values, &other.values].map(|column| Cow::Borrowed(&**column));
    }
    let mut rest = other.steps.iter().zip(other.values.iter()).peekable();
    let (mut steps, mut ones, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (step, value) in one.steps.iter().zip(one.values.iter()) {
        while rest.next_if(|(at, _)| *at < step).is_some() {}
        if let Some((_, found)) = rest.next_if(|(at, _)| *at == step) {
            steps.push(*step);
            ones.push(*value);
            others.push(*found);
        }
    }
    [steps, ones, others].map(Cow::Owned)
}
