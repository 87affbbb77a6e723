"""Makes stats.json: the numbers that `tests/stats_golden.rs` holds `crates/stats/src` to.

Run it by hand when a function is added; CI only reads the JSON.

    python3 -m venv venv && venv/bin/pip install numpy scipy pymannkendall ruptures statsmodels choix scikit-learn rliable
    venv/bin/python tests/golden/make_stats.py > tests/golden/stats.json
"""

import json
import platform
import sys
from importlib import metadata

import numpy
import pymannkendall
import ruptures
import scipy
import sklearn
import statsmodels
from scipy import signal, stats

import comparing
import aggregates
import fits
import inference
from inference import effective_size, significant_lags


def curves():
    """Series of the kinds that training runs log, rounded to what JSON keeps exactly."""
    random = numpy.random.default_rng(20261120)

    def ar1(n, r, scale=1.0):
        noise = random.normal(0, scale * numpy.sqrt(1 - r * r), n)
        return signal.lfilter([1], [1, -r], noise)

    step = numpy.arange(200)
    rising = 0.2 + 0.6 / (1 + numpy.exp(-(step - 80) / 15)) + ar1(200, 0.6, 0.04)
    jump = numpy.where(step < 150, 210.0, 600.0) + ar1(200, 0.3, 25)
    return {
        "rising": rising,
        "rounded": numpy.round(0.004 + 0.002 * random.standard_normal(120), 3),
        "jump": jump,
        "flat_correlated": ar1(300, 0.9),
        "spiky": numpy.exp(random.normal(0, 0.4, 250)) * numpy.where(random.random(250) < 0.02, 60, 1),
        "short": numpy.array([0.52, 0.546, 0.6, 0.61, 0.622, 0.625, 0.62, 0.63, 0.64, 0.62]),
        "two_jumps": numpy.repeat([0.0, 3.0, -1.0], [40, 25, 35]) + random.normal(0, 0.7, 100),
        "long_trend": 1e-3 * numpy.arange(450) + ar1(450, 0.5),
    }


def hampel_log(y, half_width=10, k=6.0):
    y, spikes = numpy.log(y), []
    for index in range(len(y)):
        window = y[max(0, index - half_width) : index + half_width + 1]
        middle = numpy.median(window)
        sigma = stats.median_abs_deviation(window, scale="normal")
        if sigma == 0:
            sigma = numpy.sqrt(numpy.pi / 2) * numpy.abs(window - middle).mean()
        if abs(y[index] - middle) > k * sigma:
            spikes.append(index)
    return spikes


def published_twema(x, y, smoothing):
    """W&B's documented formula, with the viewport scale commonly assumed."""
    weight = min(numpy.sqrt(smoothing), 0.999)
    last, debias, out = 0.0, 0.0, []
    for index, value in enumerate(y):
        change = (x[index] - x[max(index - 1, 0)]) / (max(x) - min(x)) * 1000
        adjusted = weight**change
        last = last * adjusted + value
        debias = debias * adjusted + 1
        out.append(last / debias)
    return out


def of_curve(y):
    # Not every index is a step: some steps are missing and every tenth occurs twice.
    x = numpy.arange(len(y), dtype=float) * 2
    x[10::10] = x[9:-1:10]
    line = stats.theilslopes(y, x, 0.95)
    plain = pymannkendall.original_test(y)
    sen = stats.theilslopes(y, None, 0.95).slope
    lags = significant_lags(y - sen * numpy.arange(len(y)))
    corrected = None
    if lags > 0:
        result = pymannkendall.yue_wang_modification_test(y, lag=lags)
        corrected = {"variance": result.var_s, "z": result.z, "p": result.p}
    least = 5
    [index] = ruptures.Dynp(model="l2", min_size=least, jump=1).fit(y).predict(n_bkps=1)[:-1]
    partner = numpy.roll(y, 7) + 0.3 * y
    return {
        "y": y.tolist(),
        "x": x.tolist(),
        "mean": y.mean(),
        "std_dev": y.std(ddof=1),
        "median": numpy.median(y),
        "quantile_10": numpy.quantile(y, 0.1),
        "quantile_87": numpy.quantile(y, 0.87),
        "mad_sigma": stats.median_abs_deviation(y, scale="normal"),
        "difference_sigma": stats.median_abs_deviation(numpy.diff(y), scale="normal") / numpy.sqrt(2),
        "lag1": numpy.corrcoef(y[:-1], y[1:])[0, 1],
        "effective_size": effective_size(y),
        "mann_kendall": {"s": plain.s, "variance": plain.var_s, "z": plain.z, "p": plain.p, "tau": plain.Tau},
        "mann_kendall_corrected": corrected,
        "theil_sen": {
            "slope": line.slope, "intercept": line.intercept, "low": line.low_slope, "high": line.high_slope,
        },
        "single_change_5": {"index": index, "before": y[:index].mean(), "after": y[index:].mean()},
        "hampel_log": hampel_log(y) if (y > 0).all() else None,
        "twema_70": published_twema(x, y, 0.7),
        "ranks": stats.rankdata(y).tolist(),
        "partner": partner.tolist(),
        "pearson": stats.pearsonr(y, partner).statistic,
        "spearman": stats.spearmanr(y, partner).statistic,
        "spearman_p": stats.spearmanr(y, partner).pvalue,
        "dominance": inference.dominance(y[: len(y) // 2], y[len(y) // 2 :]),
    }


def proportions():
    def interval(successes, n):
        ci = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
        return {"successes": successes, "n": n, "low": ci.low, "high": ci.high}

    return [interval(s, n) for s, n in [(0, 10), (1, 10), (10, 10), (261, 1000), (303, 1000), (7, 64)]]


def plain(value):
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, numpy.ndarray):
        return value.tolist()
    if isinstance(value, (numpy.floating, numpy.integer)):
        return value.item()
    return value


def main():
    made = {
        "versions": {
            "python": platform.python_version(),
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
            "pymannkendall": getattr(pymannkendall, "__version__", "1.4.3"),
            "ruptures": ruptures.version.version if hasattr(ruptures, "version") else "",
            "statsmodels": statsmodels.__version__,
            "scikit-learn": sklearn.__version__,
            "choix": metadata.version("choix"),
            "rliable": metadata.version("rliable"),
        },
        "curves": {name: of_curve(numpy.round(y, 6)) for name, y in curves().items()},
        "wilson": proportions(),
        "tails": inference.tails(),
        "families": inference.families(),
        "exact_spearman": inference.exact_spearman(),
        "fits": fits.all_fits(),
        "comparing": comparing.all_of_it(),
        "aggregates": aggregates.all_aggregates(),
    }
    json.dump(plain(made), sys.stdout, indent=None, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
