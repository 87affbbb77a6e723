"""What comparing runs needs: intervals of correlations, tests of groups, bins, medians, and a random forest."""

import itertools

import numpy
from scipy import stats
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score


def correlation_intervals():
    random = numpy.random.default_rng(5)
    made = []
    for n in (4, 9, 40):
        x = numpy.round(random.normal(size=n), 6)
        y = numpy.round(0.6 * x + random.normal(size=n), 6)
        found = stats.pearsonr(x, y)
        interval = found.confidence_interval(0.95)
        rho = stats.spearmanr(x, y).statistic
        # Bonett and Wright's standard error; scipy has no interval for Spearman's.
        half = stats.norm.ppf(0.975) * numpy.sqrt((1 + rho * rho / 2) / (n - 3))
        made.append({
            "x": x, "y": y,
            "pearson": {"low": interval.low, "high": interval.high},
            "spearman": {"low": numpy.tanh(numpy.arctanh(rho) - half), "high": numpy.tanh(numpy.arctanh(rho) + half)},
        })
    return made


def kruskal():
    random = numpy.random.default_rng(6)
    made = []
    for sizes in ((5, 5, 5), (3, 9), (4, 1, 8, 6)):
        groups = numpy.repeat(numpy.arange(len(sizes)), sizes)
        values = numpy.round(random.normal(size=len(groups)) + 0.5 * groups, 1)
        found = stats.kruskal(*[values[groups == group] for group in range(len(sizes))])
        made.append({"values": values, "groups": groups, "h": found.statistic, "p": found.pvalue})
    return made


def bins():
    random = numpy.random.default_rng(7)
    made = []
    for n, most in ((40, 5), (23, 4), (60, 3)):
        x = numpy.round(numpy.exp(random.normal(size=n)), 2)
        cuts = numpy.quantile(x, numpy.arange(1, most) / most)
        made.append({"x": x, "most": most, "of": numpy.searchsorted(cuts, x, side="left")})
    return made


def medians():
    """All bootstrap samples of a few values."""
    made = []
    for values in ([0.2, 0.9, 0.4, 0.5, 0.8], [3.0, 1.0, 2.0], [0.1, 0.7, 0.3, 0.35, 0.6, 0.65, 0.2]):
        samples = itertools.product(sorted(values), repeat=len(values))
        replicates = numpy.fromiter((sorted(sample)[len(values) // 2] for sample in samples), float)
        low, high = numpy.quantile(replicates, [0.025, 0.975], method="inverted_cdf")
        made.append({"values": values, "median": numpy.median(values), "low": low, "high": high})
    return made


def forest():
    random = numpy.random.default_rng(8)
    n = 200
    x = numpy.round(random.random((n, 6)), 4)
    y = 4 * (x[:, 0] - 0.5) ** 2 + 0.8 * x[:, 1] + 0.6 * x[:, 2] * (x[:, 3] > 0.5) + 0.1 * random.normal(size=n)
    y = numpy.round(y, 6)
    model = RandomForestRegressor(300, min_samples_leaf=3, oob_score=True, bootstrap=True, random_state=1).fit(x, y)
    outside = numpy.array([~numpy.isin(numpy.arange(n), rows) for rows in model.estimators_samples_])

    def predict(data):
        each = numpy.array([tree.predict(data) for tree in model.estimators_])
        return (each * outside).sum(0) / outside.sum(0)

    base = r2_score(y, predict(x))
    assert abs(base - model.oob_score_) < 1e-9
    importances = []
    for column in range(6):
        losses = []
        for _ in range(30):
            shuffled = x.copy()
            random.shuffle(shuffled[:, column])
            losses.append(base - r2_score(y, predict(shuffled)))
        importances.append({"mean": numpy.mean(losses), "std_dev": numpy.std(losses, ddof=1)})
    return {"x": x.T, "y": y, "oob_r2": base, "importances": importances}


def all_of_it():
    return {
        "correlation_intervals": correlation_intervals(),
        "kruskal": kruskal(),
        "bins": bins(),
        "medians": medians(),
        "forest": forest(),
    }
