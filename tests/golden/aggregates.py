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
    return {"groups": [of(scores) for scores in made], "pairs": [pair(x, y) for x, y in zip(made[::2], made[1::2])]}
