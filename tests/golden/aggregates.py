"""Aggregates over runs and tasks, as rliable has them, for stats.json."""

import numpy
from rliable import metrics
from scipy import stats


def groups():
    random = numpy.random.default_rng(7)
    return [
        numpy.round(random.normal(0.5, 0.1, (5, 1)), 4),
        numpy.round(random.normal(0.6, 0.1, (7, 1)), 4),
        numpy.round(random.beta(2, 5, (6, 3)), 4),
        numpy.round(random.beta(3, 4, (9, 3)), 4),
        numpy.array([[0.25], [0.5], [0.5], [1.0]]),
        numpy.array([[0.5], [0.5], [0.75], [1.25], [0.0], [2.0], [0.5], [0.1]]),
    ]


def many():
    """Intervals of large samples: Yuen's test of trimmed means and DeLong's variance of the area, from all pairs."""
    random = numpy.random.default_rng(11)
    z = stats.norm.ppf(0.975)
    made = []
    for x, y in (
        (random.normal(0.5, 0.1, 203), random.normal(0.48, 0.2, 240)),
        (random.exponential(1.0, 260), random.exponential(1.2, 201)),
        (random.binomial(8, 0.6, 220) / 8, random.binomial(8, 0.5, 310) / 8),
    ):
        x, y = numpy.round(x, 4), numpy.round(y, 4)
        gain = stats.trim_mean(x, 0.25) - stats.trim_mean(y, 0.25)
        half = z * gain / stats.ttest_ind(x, y, equal_var=False, trim=0.25).statistic
        wins = (x[:, None] > y) + (x[:, None] == y) / 2
        error = numpy.sqrt(wins.mean(1).var(ddof=1) / len(x) + wins.mean(0).var(ddof=1) / len(y))
        area = wins.mean()
        # Against a constant only the one side varies.
        constant = numpy.zeros(8)
        own = z * stats.trim_mean(x, 0.25) / stats.ttest_ind(x, constant, equal_var=False, trim=0.25).statistic
        made.append({
            "x": x,
            "y": y,
            "iqm": [stats.trim_mean(x, 0.25) - own, stats.trim_mean(x, 0.25) + own],
            "gain": [gain - half, gain + half],
            "improvement": [area - z * error, area + z * error],
        })
    return made


def all_aggregates():
    def of(scores):
        return {
            "tasks": scores.T,
            "mean": metrics.aggregate_mean(scores),
            "iqm": metrics.aggregate_iqm(scores),
        }

    def pair(x, y):
        first = x[:, 0], y[:, 0]
        return {
            "x": x.T,
            "y": y.T,
            "improvement": metrics.probability_of_improvement(x, y),
            "mann_whitney_p": stats.mannwhitneyu(*first, method="asymptotic").pvalue,
        }

    made = groups()
    return {"groups": [of(scores) for scores in made], "pairs": [pair(x, y) for x, y in zip(made[::2], made[1::2])], "many": many()}
