"""Makes offset.json: power laws with an offset, fitted by scipy, for `tests/systems/golden.rs`.

    python3 -m venv venv && venv/bin/pip install numpy scipy statsmodels choix
    venv/bin/python tests/golden/make_offset.py > tests/golden/offset.json
"""

import json

import numpy
from scipy import optimize, stats

from fits import noisy
from inference import effective_size


def residuals(x, y, exponent):
    design = numpy.c_[numpy.ones(len(x)), (x / x.min()) ** exponent]
    found, *_ = numpy.linalg.lstsq(design, y, rcond=None)
    return y - design @ found


def main():
    random = numpy.random.default_rng(11)
    made = []
    for n, offset, factor, exponent, scale, r in [
        (40, 4.0, 0.5, 0.3, 0.1, 0.0), (100, -0.2, 0.6, 0.3, 0.25, 0.0), (120, 9.0, -3.0, 0.2, 0.05, 0.6),
    ]:
        x = numpy.round(640.0 * numpy.arange(1, n + 1) ** 1.3, 6)
        y = noisy(random, offset + factor * x**exponent, scale, r)
        curve = lambda x, a, b, c: a + b * (x / x.min()) ** c
        found, _ = optimize.curve_fit(curve, x, y, p0=[offset, factor * x.min() ** exponent, exponent], xtol=1e-14, ftol=1e-14)
        sse = lambda c: float((residuals(x, y, c) ** 2).sum())
        best = found[2]
        degrees = max(effective_size(residuals(x, y, best)) - 3, 1)
        limit = sse(best) * (1 + stats.t.isf(0.025, degrees) ** 2 / degrees)
        over = lambda c: sse(c) - limit
        end = lambda edge: edge if over(edge) <= 0 else optimize.brentq(over, *sorted([best, edge]), xtol=1e-12)
        made.append({
            "x": x.tolist(), "y": y.tolist(), "exponent": best, "offset": found[0], "low": end(0.02), "high": end(3.0),
        })
    print(json.dumps(made, separators=(",", ":")))


if __name__ == "__main__":
    main()
