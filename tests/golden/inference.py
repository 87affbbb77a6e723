"""Expected values of tests, intervals and associations, for `make_stats.py`."""

import numpy
import pymannkendall
from scipy import optimize, signal, stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.tools import add_constant
from statsmodels.tsa.stattools import levinson_durbin


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
        "mcnemar": [
            [b, c, mcnemar([[5, b], [c, 7]], exact=True).pvalue] for b, c in [(0, 1), (3, 9), (12, 30), (8, 8), (1, 25)]
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
            "benjamini_yekutieli": multipletests(p, method="fdr_by")[1],
        })
    return made


def wide_interval(x, y):
    """scipy's Theil-Sen interval with the Kendall variance times Yue and Wang's factor of the residuals."""
    line = stats.theilslopes(y, x, 0.95)
    residuals = y - line.slope * x
    lags = significant_lags(residuals)
    factor = 1 + 2 * sum((1 - k / len(y)) * autocorrelation(residuals, k) for k in range(1, lags + 1))
    first, second = numpy.triu_indices(len(x), 1)
    gaps = x[second] - x[first]
    slopes = numpy.sort((y[second] - y[first])[gaps != 0] / gaps[gaps != 0])

    def ties(values):
        return sum(t * (t - 1) * (2 * t + 5) for t in numpy.unique(values, return_counts=True)[1])

    n = len(x)
    for inflation in [1.0, max(factor, 1.0)]:
        variance = inflation * (n * (n - 1) * (2 * n + 5) - ties(x) - ties(y)) / 18
        width = stats.norm.ppf(0.975) * numpy.sqrt(variance)
        high = min(int(numpy.round((len(slopes) + width) / 2)), len(slopes) - 1)
        low = max(int(numpy.round((len(slopes) - width) / 2)) - 1, 0)
        if inflation == 1.0:
            assert (slopes[low], slopes[high]) == (line.low_slope, line.high_slope), "not scipy's interval"
    return {"low": slopes[low], "high": slopes[high]}


def hamed_rao(y):
    sen = stats.theilslopes(y, None, 0.95).slope
    lags = significant_lags(stats.rankdata(y - sen * numpy.arange(len(y))))
    if lags == 0:
        return None
    result = pymannkendall.hamed_rao_modification_test(y, lag=lags)
    return {"variance": result.var_s, "z": result.z, "p": result.p}


def bai(y, index, start, end):
    """Bai's interval, with the quantile solved for from Yao's distribution."""
    def excess(x):
        root = numpy.sqrt(x)
        walk = 1 + root / numpy.sqrt(2 * numpy.pi) * numpy.exp(-x / 8) - 0.5 * (x + 5) * stats.norm.cdf(-root / 2)
        return walk + 1.5 * numpy.exp(x) * stats.norm.cdf(-1.5 * root) - 0.975

    before, after = y[start:index].mean(), y[index:end].mean()
    residuals = numpy.r_[y[start:index] - before, y[index:end] - after]
    variance = (residuals**2).sum() / (len(residuals) - 2) * len(residuals) / effective_size(residuals)
    half = int(optimize.brentq(excess, 1, 60) * variance / (after - before) ** 2) + 1
    return {
        "index": index, "low": min(max(index - half, start + 1), index), "high": min(index + half, end - 1),
        "effect": abs(after - before) / numpy.sqrt(variance),
    }


def cusum(y, mean, sigma, slack=0.5, limit=5.0):
    sums, alarms = [0.0, 0.0], []
    for index, value in enumerate(y):
        for side, sign in enumerate([1, -1]):
            sums[side] = max(0.0, sums[side] + sign * (value - mean) / sigma - slack)
        if max(sums) > limit:
            alarms.append(index)
        sums = [0.0 if value > limit else value for value in sums]
    return alarms


def effective_pairs(x, y):
    def lag1(values):
        return numpy.corrcoef(values[:-1], values[1:])[0, 1]

    product = lag1(x) * lag1(y)
    return float(min(len(x) * (1 - product) / (1 + product), len(x)))


def p_of_r(r, effective, controls):
    degrees = effective - 2 - controls
    return 2 * stats.t.sf(abs(r) * numpy.sqrt(degrees / (1 - r * r)), degrees)


def coarse_ranks(values):
    """Ranks that tie what differs in its last bits only, as differences of rounded values do."""
    quantum = numpy.abs(values).max() / 2**40
    return stats.rankdata(numpy.floor(values / quantum + 0.5))


def associations(y, partner):
    rank_test = stats.spearmanr(y, partner)
    tau = stats.kendalltau(y, partner, method="asymptotic")
    moves = [coarse_ranks(numpy.diff(values)) for values in (y, partner)]
    r = numpy.corrcoef(moves)[0, 1]
    effective = effective_pairs(*moves)
    step = add_constant(stats.rankdata(numpy.arange(len(y))))
    left = [OLS(stats.rankdata(values), step).fit().resid for values in (y, partner)]
    partial, partial_effective = numpy.corrcoef(left)[0, 1], effective_pairs(*left)
    return {
        "spearman_p": rank_test.pvalue if len(y) >= 10 else None,
        "kendall": {"r": tau.statistic, "p": tau.pvalue},
        "changes": {"r": r, "effective": effective, "p": p_of_r(r, effective, 0)},
        "partial": {"r": partial, "effective": partial_effective, "p": p_of_r(partial, partial_effective, 1)},
    }


def lead_lag(x, y):
    """Cross-correlation of ranks after the autoregression of x's changes, its order by AIC."""
    x, y = (numpy.diff(values) - numpy.diff(values).mean() for values in (x, y))
    n = len(x)
    covariances = numpy.array([(x[: n - k] * x[k:]).sum() for k in range(11)])
    best = (n * numpy.log(covariances[0]), [])
    for order in range(1, 11):
        error, coefficients, *_ = levinson_durbin(covariances, nlags=order, isacov=True)
        best = min(best, (n * numpy.log(error) + 2 * order, list(coefficients)), key=lambda pair: pair[0])
    weights = numpy.r_[1, -numpy.array(best[1])]
    x, y = (coarse_ranks(signal.lfilter(weights, 1, values)[len(best[1]):]) for values in (x, y))
    x, y = x - x.mean(), y - y.mean()
    longest = min(50, len(x) // 5)
    full = signal.correlate(y, x, mode="full") / numpy.sqrt((x * x).sum() * (y * y).sum())
    return {"order": len(best[1]), "r": full[len(x) - 1 - longest : len(x) + longest]}


def dominance(before, after):
    test = stats.mannwhitneyu(after, before, alternative="two-sided", method="asymptotic")
    deviations = numpy.abs(numpy.r_[before - numpy.median(before), after - numpy.median(after)])
    scale = stats.norm.ppf(0.75)
    return {
        "superiority": test.statistic / (len(before) * len(after)),
        "p": test.pvalue,
        "median_shift": (numpy.median(after) - numpy.median(before)) / (numpy.median(deviations) / scale),
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


def of_curve(y, x, partner, single_change):
    half = len(y) // 2
    return {
        "mann_kendall_hamed_rao": hamed_rao(y),
        "theil_sen_corrected": wide_interval(x, y),
        "located_change": bai(y, single_change, 0, len(y)),
        "cusum": cusum(y, numpy.median(y[:half]), y[:half].std(ddof=1)),
        "association": associations(y, partner),
        "lead_lag": lead_lag(y, partner) if len(y) >= 30 else None,
        "dominance": dominance(y[:half], y[half:]),
    }
