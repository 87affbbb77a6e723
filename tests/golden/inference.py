"""Expected values of tests and tails, for `make_stats.py`."""

import numpy
from scipy import stats
from statsmodels.stats.multitest import multipletests


def autocorrelation(y, lag):
    centred = y - y.mean()
    return float((centred[: len(y) - lag] * centred[lag:]).sum() / (centred * centred).sum())


def significant_lags(y):
    lag = 1
    while lag < len(y) and autocorrelation(y, lag) >= 1.96 / numpy.sqrt(len(y)):
        lag += 1
    return lag - 1


def effective_size(y):
    return len(y) / (1 + 2 * sum(autocorrelation(y, k) for k in range(1, significant_lags(y) + 1)))


def tails():
    return {
        "normal_sf": [[z, stats.norm.sf(z)] for z in [-3.0, -0.5, 0.0, 0.5, 1.0, 1.96, 3.3, 6.0, 12.0]],
        "student_p": [
            [t, degrees, 2 * stats.t.sf(t, degrees)]
            for t in [0.01, 0.7, 2.0, 4.5, 30.0] for degrees in [1.0, 2.5, 8.0, 97.0, 5000.0]
        ],
        "student_quantile": [
            [p, degrees, stats.t.isf(p / 2, degrees)]
            for p in [0.5, 0.05, 0.01, 1e-6] for degrees in [1.0, 3.0, 12.4, 250.0]
        ],
        "chi_square_sf": [
            [x, degrees, stats.chi2.sf(x, degrees)]
            for x in [0.1, 1.0, 5.0, 24.0, 90.0] for degrees in [1.0, 4.0, 15.0, 60.0]
        ],
        "binomial_sf": [
            [k, n, p, stats.binom.sf(k - 1, n, p)]
            for k, n in [(1, 4), (3, 10), (30, 40), (61, 1000)] for p in [0.02, 0.5, 0.9]
        ],
    }


def families():
    """Families of p with their adjusted values."""
    random = numpy.random.default_rng(7)
    made = []
    for size in [1, 4, 20]:
        p = numpy.round(random.random(size) ** 3, 6)
        made.append({
            "p": p,
            "holm": multipletests(p, method="holm")[1],
            "benjamini_hochberg": multipletests(p, method="fdr_bh")[1],
        })
    return made


def dominance(before, after):
    test = stats.mannwhitneyu(after, before, alternative="two-sided", method="asymptotic")
    return {
        "superiority": test.statistic / (len(before) * len(after)),
        "p": test.pvalue,
    }


def exact_spearman():
    """Small samples, whose p counts all orders."""
    made = []
    for x, y in [([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]), ([1, 1, 2, 5, 3], [4, 2, 2, 1, 0]), ([3, 1, 2, 4], [1, 3, 4, 2])]:
        def statistic(values):
            return stats.spearmanr(values, y).statistic

        test = stats.permutation_test((x,), statistic, permutation_type="pairings", n_resamples=numpy.inf)
        # scipy's two-sided p doubles the smaller tail; here |r| is compared.
        p = (numpy.abs(test.null_distribution) >= abs(test.statistic) - 1e-9).mean()
        made.append({"x": x, "y": y, "r": test.statistic, "p": p})
    return made
