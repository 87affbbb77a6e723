"""Expected values of curve fits and ratings, for `make_stats.py`."""

import choix
import numpy
from scipy import optimize, special, stats
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant, eval_measures

from inference import effective_size


def noisy(random, y, scale, r=0.0):
    noise = random.normal(0, 1, len(y))
    for index in range(1, len(y)):
        noise[index] = r * noise[index - 1] + numpy.sqrt(1 - r * r) * noise[index]
    return numpy.round(y + scale * noise, 6)


def widened(model, residuals, column):
    """Interval of a coefficient with as many degrees as there are effective residuals."""
    effective = effective_size(residuals)
    half = model.bse[column] * numpy.sqrt(len(residuals) / effective)
    half *= stats.t.isf(0.025, max(effective - 2, 1))
    return effective, model.params[column] - half, model.params[column] + half


def lines():
    random = numpy.random.default_rng(3)
    made = []
    for n, r in [(12, 0.0), (60, 0.0), (200, 0.8)]:
        x = numpy.arange(n) * 1.5 + 4
        y = noisy(random, 0.3 - 0.02 * x, 0.2, r)
        model = OLS(y, add_constant(x)).fit()
        effective, low, high = widened(model, model.resid, 1)
        made.append({
            "x": x, "y": y, "slope": model.params[1], "intercept": model.params[0], "slope_error": model.bse[1],
            "r2": model.rsquared, "rmse": numpy.sqrt((model.resid**2).mean()), "effective": effective,
            "low": low, "high": high,
        })
    return made


def power_laws():
    random = numpy.random.default_rng(5)
    made = []
    for n, bend in [(15, 0.0), (60, 0.0), (60, -0.08)]:
        x = numpy.round(10 * 1.12 ** numpy.arange(n), 6)
        z = numpy.log(x / x.mean())
        y = numpy.round(numpy.exp(noisy(random, 0.2 + 0.4 * numpy.log(x) + bend * z * z, 0.05)), 6)
        line = OLS(numpy.log(y), add_constant(numpy.log(x))).fit()
        effective, low, high = widened(line, line.resid, 1)
        plain_curve = OLS(numpy.log(y), add_constant(numpy.c_[z, z * z])).fit()
        made.append({
            "x": x, "y": y, "exponent": line.params[1], "low": low, "high": high,
            "factor": numpy.exp(line.params[0]), "r2": line.rsquared, "effective": effective,
            "decades": numpy.log10(x.max() / x.min()),
            # statsmodels counts n - 3 degrees: comparable where nothing is autocorrelated.
            "curvature_p": plain_curve.pvalues[2] if effective == n else None,
        })
    return made


def asymptote(y, residuals, covariance):
    effective = effective_size(residuals)
    half = numpy.sqrt(covariance[0, 0] * len(y) / effective) * stats.t.isf(0.025, max(effective - 3, 1))
    sse = (residuals**2).sum()
    log_likelihood = -len(y) / 2 * (numpy.log(2 * numpy.pi * sse / len(y)) + 1)
    constant = len(y) * (numpy.log(2 * numpy.pi) + 1)
    return half, sse, eval_measures.aicc(log_likelihood, len(y), 4) - constant


def sigmoids():
    random = numpy.random.default_rng(6)
    made = []
    for n, middle, sharp, noise in [(80, 25.0, 3.0, 0.03), (250, 60.0, 1.6, 0.04), (200, 90.0, 5.0, 0.05)]:
        x = numpy.arange(1.0, n + 1)
        y = noisy(random, 0.15 + 0.55 / (1 + (middle / x) ** sharp), noise, 0.4)
        start = y[: -(-n // 20)].mean()

        def curve(x, gain, log_middle, log_sharp):
            return gain * special.expit(numpy.exp(log_sharp) * (numpy.log(x) - log_middle))

        found, covariance = optimize.curve_fit(
            curve, x, y - start, [0.5, numpy.log(middle), numpy.log(sharp)], xtol=1e-14, ftol=1e-14, gtol=1e-14)
        residuals = y - start - curve(x, *found)
        half, sse, aicc = asymptote(y, residuals, covariance)
        made.append({
            "x": x, "y": y, "start": start, "asymptote": start + found[0], "half_width": half,
            "middle": numpy.exp(found[1]), "exponent": numpy.exp(found[2]), "rmse": numpy.sqrt(sse / n), "aicc": aicc,
            "r2": 1 - sse / ((y - y.mean()) ** 2).sum(),
        })
    return made


def saturating_powers():
    random = numpy.random.default_rng(8)
    made = []
    for n, exponent, noise in [(60, 0.7, 0.01), (200, 0.4, 0.01), (240, 1.3, 0.02)]:
        x = 3 * numpy.arange(1.0, n + 1)
        y = noisy(random, 0.8 - 0.9 * x**-exponent, noise, 0.3)

        def curve(x, a, b, c):
            return a + b * (x / 3) ** -c

        found, covariance = optimize.curve_fit(curve, x, y, [0.8, -0.5, exponent], xtol=1e-14, ftol=1e-14, gtol=1e-14)
        half, sse, aicc = asymptote(y, y - curve(x, *found), covariance)
        made.append({
            "x": x, "y": y, "asymptote": found[0], "half_width": half, "factor": found[1] * 3 ** found[2],
            "exponent": found[2], "rmse": numpy.sqrt(sse / n), "aicc": aicc,
        })
    return made


def leagues():
    """Bradley-Terry by choix, which knows wins only: every count is taken four times, a draw as a win for each side."""
    random = numpy.random.default_rng(9)
    made = []
    for players, anchor, games in [(2, 0, 40), (4, 3, 12), (7, 2, 20)]:
        strength = random.normal(0, 0.7, players)
        pairings, won = [], []
        for a in range(players):
            for b in range(a):
                if players == 7 and (a + b) % 3 == 0:
                    continue
                wins = random.binomial(games, special.expit(strength[a] - strength[b]))
                draws = random.integers(0, games - wins + 1) // 2
                pairings.append({"a": a, "b": b, "score": wins + draws / 2, "games": games})
                won += [(a, b)] * int(4 * wins + 2 * draws) + [(b, a)] * int(4 * (games - wins - draws) + 2 * draws)
            if a != anchor:
                won += [(a, anchor), (anchor, a)]
        rating = choix.opt_pairwise(players, won, alpha=0.0, method="BFGS", tol=1e-10)
        rating = rating - rating[anchor]
        # MM from there: opt_pairwise stops at a gradient of 1e-5.
        wins = numpy.zeros((players, players))
        for winner, loser in won:
            wins[winner, loser] += 0.25
        counts = wins + wins.T
        power = numpy.exp(rating)
        for _ in range(20_000):
            power = wins.sum(1) / (counts / (power[:, None] + power[None, :])).sum(1)
            power = power / power[anchor]
        assert numpy.allclose(numpy.log(power), rating, atol=1e-3), "choix disagrees with the iteration"
        p = power[:, None] / (power[:, None] + power[None, :])
        weight = counts * p * (1 - p)
        information = numpy.diag(weight.sum(1)) - weight
        inverse = numpy.linalg.pinv(information)
        variance = numpy.diag(inverse) + inverse[anchor, anchor] - 2 * inverse[anchor]
        scale = 400 / numpy.log(10)
        deviance = 0.0
        for pairing in pairings:
            score, expected = pairing["score"], pairing["games"] * p[pairing["a"], pairing["b"]]
            rest, rest_expected = pairing["games"] - score, pairing["games"] - expected
            deviance += 2 * (special.rel_entr(score, expected) + special.rel_entr(rest, rest_expected))
        degrees = len(pairings) - players + 1
        made.append({
            "players": players, "anchor": anchor, "pairings": pairings, "elo": scale * numpy.log(power),
            "error": scale * numpy.sqrt(numpy.maximum(variance, 0)), "deviance": deviance, "degrees": degrees,
            "p": stats.chi2.sf(deviance, degrees) if degrees > 0 else 1.0,
        })
    return made


def all_fits():
    return {
        "lines": lines(),
        "power_laws": power_laws(),
        "sigmoids": sigmoids(),
        "saturating_powers": saturating_powers(),
        "leagues": leagues(),
    }
