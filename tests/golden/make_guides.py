"""Makes guides.json: the numbers that the five guides of docs/sources.md print, by their own formulas.

`tests/guides` looks each of them up in what Rundown shows for the same data. Run it by hand, from the repository:

    python3 tests/golden/make_guides.py CORPUS

CORPUS holds `tiny-grpo` and `systems` (tests/corpus has both packed). It writes guides.json, and the table and the log
of tests/fixtures/guides. The standard library is enough, and the same files give the same bytes.
"""

import json
import sys
from pathlib import Path

import guide_systems
import guide_trends
from guide_numbers import column, mean, percentile, sample_deviation, spearman
import wandb_rows

SWEEP = [f"sweep-0{number}" for number in range(1, 10)]
AMBER = [f"amber-{number:02}" for number in range(1, 19)]
REWARDS = ["format_exact", "format_approx", "answer_check", "number_check", "rubric"]
# Keys of the first guide, the first that is logged wins; those that these runs do not use are left out.
ROLES = {
    "primary": "eval/accuracy",
    "reward": "train/reward",
    "KL": "train/kl",
    "entropy": "train/entropy",
    "gradient norm": "train/grad_norm",
    "loss": "train/loss",
}
# Metrics that the fourth guide asks for.
EXPORTED = """benchmark/loss benchmark/kl benchmark/reward_mean benchmark/reward_std benchmark/grad_norm
benchmark/rollout_time_s benchmark/training_time_s benchmark/pipeline_overlap_s extraction/rate
extraction/empty_responses extraction/partial_responses rollout/max_volume_reload_s rollout/max_total_s
rollout/failed_count cache/hit_rate cache/total_hits cache/prompt_tokens power_law/cumulative_simulated_years
power_law/simulated_years_per_step power_law/reward_at_compute elo/challenger elo/win_rate elo/games_played
league/num_checkpoints league/best_elo""".split()


class Corpus:
    """Runs of the corpus by name, each read once."""

    def __init__(self, root):
        self.root, self.known = root, {}

    def run(self, name):
        if name not in self.known:
            folder = "systems" if name.startswith("lattice") else "tiny-grpo"
            [path] = self.root.joinpath(folder, name).rglob("*.wandb")
            self.known[name] = wandb_rows.read(path)
        return self.known[name]

    def rows(self, name):
        return self.run(name)[0]

    def events(self, name):
        return [json.loads(line) for line in self.root.joinpath("systems", name).read_text().splitlines()]


def last(rows, key):
    values = column(rows, key)
    return values[-1] if values else None


def summaries(corpus):
    """Guide 1: values of the summary, flags, correlations, the Pareto front."""
    for name in SWEEP:
        for role, key in ROLES.items():
            if (value := last(corpus.rows(name), key)) is not None:
                yield 1, name, f"last {role}", key, value
    for name in SWEEP + AMBER:
        for flag, is_raised in flags(corpus.rows(name)).items():
            yield 1, name, f"flag: {flag}", "", is_raised
    primary = [last(corpus.rows(name), ROLES["primary"]) for name in SWEEP]
    settings = [corpus.run(name)[1] for name in SWEEP]
    for key in sorted(settings[0]):
        values = [config.get(key) for config in settings]
        if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
            if len(set(values)) > 1 and len(values) >= 8:
                yield 1, "sweep", "Spearman", key, spearman(values, primary)
    # No key for tokens is one of the guide's, so that the cost is the run time.
    cost = [last(corpus.rows(name), "_runtime") for name in SWEEP]
    for name, quality, spent in zip(SWEEP, primary, cost):
        beaten = any(
            q >= quality and c <= spent and (q, c) != (quality, spent) for q, c in zip(primary, cost)
        )
        yield 1, name, "on the Pareto front", "", not beaten
        yield 1, name, "cost, s", "_runtime", spent
    for what, value in [("lowest", min(primary)), ("median", percentile(primary, 0.5)), ("highest", max(primary))]:
        yield 1, "sweep", f"{what} primary", ROLES["primary"], value


def flags(rows):
    primary, reward, kl, entropy, gradient, loss = (last(rows, key) for key in ROLES.values())
    known = [value for value in (primary, reward, kl, entropy, gradient, loss) if value is not None]
    finite = [value for value in known if abs(value) != float("inf") and value == value]
    return {
        "no primary": primary is None,
        "NaN or Inf": len(finite) < len(known),
        "diverged": (gradient or 0) > 1e3 or abs(loss or 0) > 1e6,
        "entropy collapse": entropy is not None and entropy < 0.1,
        "KL too low": kl is not None and kl < 0.01,
        "hacking": reward is not None and primary is not None and reward > 0.8 and primary < 0.2,
        "undertrained": (last(rows, "train/global_step") or 0) < 100,
    }


def rewards(corpus):
    """Guide 2: reward functions, final scores, criteria."""
    for name in ["lattice-10", "lattice-11"]:
        rows = corpus.rows(name)
        for part in REWARDS:
            for of in ["mean", "max", "min", "recent_mean"]:
                yield 2, name, f"rewards {of}", part, last(rows, f"rewards/{part}_{of}")
            for of in ["mean", "std", "min", "max", "total_samples"]:
                yield 2, name, f"final {of}", part, last(rows, f"final/{part}_{of}")
        yield 2, name, "total_mean", "", last(rows, "rewards/total_mean")
        yield 2, name, "sum of the means", "", sum(last(rows, f"rewards/{part}_mean") for part in REWARDS)
        for key in sorted({key for row in rows for key in row if key.startswith("criteria/")}):
            yield 2, name, "criterion mean", key, last(rows, key)
        [table] = corpus.root.joinpath("systems", name).rglob("rubric_criteria_summary*.json")
        for row in json.loads(table.read_text())["data"]:
            for of, value in zip(["mean", "std", "min", "max", "samples"], row[1:]):
                yield 2, name, f"criterion {of} of the table", row[0], value


def exports(corpus):
    """Guide 4: statistics of each metric, the cache, throughput, scaling."""
    for name in ["lattice-01", "lattice-06", "lattice-07"]:
        rows = corpus.rows(name)
        for key in EXPORTED:
            values = column(rows, key)
            if not values:
                continue
            for of, value in [("min", min), ("max", max), ("mean", mean), ("std", sample_deviation)]:
                yield 4, name, f"{of} of a metric", key, value(values)
        rates = column(rows, "cache/hit_rate")
        yield 4, name, "cache enabled", "", bool(rates)
        if rates:
            hits, queries = last(rows, "cache/total_hits"), last(rows, "cache/total_queries")
            yield 4, name, "average hit rate", "", mean(rates)
            yield 4, name, "final hit rate", "", rates[-1]
            yield 4, name, "peak hit rate", "", max(rates)
            yield 4, name, "overall hit rate", "", hits / queries
            prompts = last(rows, "cache/prompt_tokens")
            yield 4, name, "tokens saved", "", prompts * mean(rates)
            yield 4, name, "tokens saved by hits over queries", "", prompts * hits / queries
        made, sampling = column(rows, "benchmark/trajectories"), column(rows, "benchmark/rollout_time_s")
        training = column(rows, "benchmark/training_time_s")
        yield 4, name, "trajectories per second", "", mean(made) / mean(sampling)
        yield 4, name, "training to sampling", "", mean(training) / mean(sampling)
        paces = [part / time for part, time in zip(made, sampling)]
        medians = [percentile(times, 0.5) for times in (training, sampling)]
        yield 4, name, "trajectories per second of the median step", "", percentile(paces, 0.5)
        yield 4, name, "training to sampling of the median steps", "", medians[0] / medians[1]
        compute, reached = column(rows, "power_law/cumulative_simulated_years"), column(rows, "power_law/reward_at_compute")
        yield 4, name, "compute", "", compute[-1]
        yield 4, name, "reward at compute", "", reached[-1]
        yield 4, name, "scaling exponent", "", guide_systems.exponent(compute, reached)


def main():
    corpus = Corpus(Path(sys.argv[1]))
    here = Path(__file__).resolve().parent
    numbers = [*summaries(corpus), *rewards(corpus), *guide_systems.leagues(corpus), *guide_systems.pipelines(corpus)]
    numbers += [*exports(corpus), *guide_trends.trends(here.parent / "fixtures/guides")]
    numbers += guide_trends.long_run(corpus.rows("lattice-01"))
    keys = ["guide", "data", "number", "of", "value"]
    lines = [json.dumps(dict(zip(keys, number)), ensure_ascii=False, allow_nan=False) for number in numbers]
    here.joinpath("guides.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


main()
