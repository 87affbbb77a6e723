"""The formulas that the guides share, as they are written there: plain means, ranks, windows of rows."""

import math


def mean(values):
    return math.fsum(values) / len(values)


def sample_deviation(values):
    middle = mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def percentile(values, share):
    """Between the two nearest values, linearly."""
    values = sorted(values)
    place = share * (len(values) - 1)
    low = math.floor(place)
    high = min(low + 1, len(values) - 1)
    return values[low] + (place - low) * (values[high] - values[low])


def pearson(x, y):
    """The correlation; `None` where one does not vary."""
    x = [value - mean(x) for value in x]
    y = [value - mean(y) for value in y]
    spread = math.sqrt(math.fsum(a * a for a in x) * math.fsum(b * b for b in y))
    return math.fsum(a * b for a, b in zip(x, y)) / spread if spread > 0 else None


def ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def spearman(x, y):
    return pearson(ranks(x), ranks(y))


def slope(values):
    """Least squares, per row."""
    rows = [row - (len(values) - 1) / 2 for row in range(len(values))]
    return math.fsum(row * value for row, value in zip(rows, values)) / math.fsum(row * row for row in rows)


def column(rows, key):
    """The numbers of a metric, in order."""
    values = [row.get(key) for row in rows]
    return [float(value) for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)]
