"""Makes crossings.json: where fitted curves reach a value, for `tests/stats_golden.rs`. The points are those of stats.json.

    python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels choix
    venv/bin/python tests/golden/make_crossings.py > tests/golden/crossings.json

The fits and covariances are scipy's. The curve is inverted by brentq, and the gradient for the interval is taken by
central differences, so that neither formula of the program is repeated here.
"""

import json
import pathlib

import numpy
from scipy import optimize, stats

from inference import effective_size


def saturating(x, a, b, c):
    return a + b * (x / 3) ** -c


def crossing(curve, x, y, guess, part, start):
    found, covariance = optimize.curve_fit(curve, x, y, guess, xtol=1e-14, ftol=1e-14, gtol=1e-14)
    residuals = y - curve(x, *found)
    effective = effective_size(residuals)
    asymptote = start(found) + part * (found[0] - start(found)) if start else part * found[0]
    value = asymptote
    place = lambda parameters: optimize.brentq(
        lambda ln_x: curve(numpy.exp(ln_x), *parameters) - value, numpy.log(x.min()) - 1, numpy.log(x.max()) + 40, xtol=1e-14
    )
    gradient = []
    for index in range(3):
        step = 1e-4 * numpy.sqrt(covariance[index, index])
        up, down = found.copy(), found.copy()
        up[index] += step
        down[index] -= step
        gradient.append((place(up) - place(down)) / (2 * step))
    gradient = numpy.array(gradient)
    half = numpy.sqrt(gradient @ covariance @ gradient * len(y) / effective) * stats.t.isf(0.025, max(effective - 3, 1))
    ln_x = place(found)
    return {"value": value, "x": numpy.exp(ln_x), "low": numpy.exp(ln_x - half), "high": numpy.exp(ln_x + half)}


def main():
    fits = json.loads((pathlib.Path(__file__).parent / "stats.json").read_text())["fits"]
    made = {"sigmoids": [], "saturating_powers": []}
    for fit in fits["sigmoids"]:
        x, y = numpy.array(fit["x"]), numpy.array(fit["y"])
        start = y[: -(-len(y) // 20)].mean()
        rise = lambda x, gain, log_middle, log_sharp: gain / (
            1 + numpy.exp(-numpy.exp(log_sharp) * (numpy.log(x) - log_middle))
        )
        guess = [y.max() - start, numpy.log(numpy.median(x)), 0.7]
        for part in [0.9, 0.95]:
            place = crossing(rise, x, y - start, guess, part, None)
            made["sigmoids"].append({**place, "value": place["value"] + start, "of": fits["sigmoids"].index(fit)})
    for fit in fits["saturating_powers"]:
        x, y = numpy.array(fit["x"]), numpy.array(fit["y"])
        first = lambda parameters: parameters[0] + parameters[1]
        for part in [0.9, 0.99]:
            place = crossing(saturating, x, y, [0.8, -0.5, 0.7], part, first)
            made["saturating_powers"].append({**place, "of": fits["saturating_powers"].index(fit)})
    print(json.dumps(made))


main()
