"""Guide 3 of docs/sources.md: ratings of a league, a sweep of leagues, and events of a pipeline."""

import math
from datetime import datetime

from guide_numbers import column, mean, percentile

LEAGUES = ["lattice-01", "lattice-02", "lattice-03"]
FIXED = ["base_model", "chaos_bot", "defensive_bot", "territorial_bot", "coordinated_bot", "random_bot"]
# Exported hours: `--last 6h`.
HOURS = 6


def agents(rows):
    """{name: [(step, rating)]} of checkpoints and of opponents that never change."""
    found = {}
    for row in rows:
        for key, value in row.items():
            name = key.removeprefix("elo/")
            if name != key and ("adapter" in name or name in FIXED):
                found.setdefault(name, []).append((row["_step"], value))
    return dict(sorted(found.items()))


def leagues(corpus):
    drops = {}
    for run in LEAGUES:
        rows = corpus.rows(run)
        rated = agents(rows)
        peaks, declining = {}, 0
        for name, course in rated.items():
            (_, first), (_, final) = course[0], course[-1]
            step, peak = max(course, key=lambda point: point[1])
            peaks[name] = peak
            trend = "near peak" if peak - final <= 5 else "slight decline" if peak - final <= 20 else "declining"
            declining += "adapter" in name and trend == "declining"
            yield 3, run, "initial Elo", name, first
            yield 3, run, "peak Elo", name, peak
            yield 3, run, "step of the peak", name, step
            yield 3, run, "final Elo", name, final
            tenth = course[-max(3, len(course) // 10) :]
            yield 3, run, "final Elo as the mean of the last tenth", name, mean([rating for _, rating in tenth])
            yield 3, run, "trend", name, trend
        checkpoints = [name for name in rated if "adapter" in name]
        signal = "positive" if declining > len(checkpoints) / 2 else "moderate" if declining else "weak"
        yield 3, run, "learning signal", "", signal
        best = max(checkpoints, key=peaks.get)
        yield 3, run, "best checkpoint", "", best
        yield 3, run, "improvement", "", peaks[best] - rated["base_model"][0][1]
        lost = sum(rated[name][0][1] - rated[name][-1][1] for name in FIXED if name in rated)
        yield 3, run, "baseline exploitation", "", lost
        finals = {name: course[-1][1] for name, course in rated.items()}
        gap = max(finals[name] for name in checkpoints) - finals["base_model"]
        drop = sum(1000 - finals[name] for name in FIXED if name in finals)
        drops[run] = (-gap, finals["base_model"], -drop)
        yield 3, run, "gap", "", gap
        yield 3, run, "base model's Elo", "", finals["base_model"]
        yield 3, run, "total drop", "", drop
        kl = column(rows, "kl/mean")
        yield 3, run, "mean KL", "", mean(kl)
        yield 3, run, "last KL", "", kl[-1]
        yield 3, run, "unstable by its KL", "", max(column(rows, "kl/max")) > 10
    for place, what in enumerate(["gap", "base model's Elo", "total drop"]):
        order = sorted(drops, key=lambda run: drops[run][place])
        for run in LEAGUES:
            yield 3, run, f"rank by {what}", "", order.index(run) + 1


def pipelines(corpus):
    for log in ["axiom-healthy.ndjson", "axiom-slow.ndjson"]:
        events = corpus.events(log)

        def of(*kinds):
            return [event for event in events if event["event"] in kinds]

        complete, engine = of("rollout_complete"), of("inference_timing_breakdown")
        made = [event["trajectory_count"] for event in complete]
        durations = [event["duration_s"] for event in complete]
        yield 3, log, "median rollout, s", "", percentile(durations, 0.5)
        yield 3, log, "p95 of rollouts, s", "", percentile(durations, 0.95)
        yield 3, log, "trajectories per rollout", "", mean(made)
        yield 3, log, "trajectories per hour", "", sum(made) / HOURS
        times = [datetime.fromisoformat(event["_time"].replace("Z", "+00:00")) for event in complete]
        hours = (max(times) - min(times)).total_seconds() / 3600
        yield 3, log, "trajectories per hour from the first rollout to the last", "", sum(made) / hours
        yield 3, log, "output tokens/s", "", mean([event["output_tokens_per_second"] for event in engine])
        yield 3, log, "input tokens/s", "", mean([event["input_tokens_per_second"] for event in engine])
        yield 3, log, "batch size", "", mean([event["batch_size"] for event in engine])
        yield 3, log, "completion rate", "", len(complete) / len(of("rollout_start"))
        responses = of("orders_extracted", "orders_empty", "orders_partial")
        for what, kind in [("extraction rate", "extracted"), ("empty rate", "empty"), ("partial rate", "partial")]:
            yield 3, log, what, "", len(of(f"orders_{kind}")) / len(responses)
        for power in sorted({event["power"] for event in responses}):
            own = [event["event"] for event in responses if event["power"] == power]
            for what, kind in [("extraction rate", "extracted"), ("empty rate", "empty"), ("partial rate", "partial")]:
                yield 3, log, f"{what} of a power", power, own.count(f"orders_{kind}") / len(own)
        errors = sum("error" in event["event"] or event.get("level") == "error" for event in events) / len(events)
        status = "healthy" if errors < 0.01 else "degraded" if errors < 0.05 else "unhealthy"
        yield 3, log, "error rate", "", errors
        yield 3, log, "status", "", status


def exponent(compute, reward):
    """The slope of the logarithms, by least squares."""
    x, y = [math.log(value) for value in compute], [math.log(value) for value in reward]
    x = [value - mean(x) for value in x]
    return math.fsum(a * (b - mean(y)) for a, b in zip(x, y)) / math.fsum(a * a for a in x)
