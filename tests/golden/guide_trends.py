"""Guide 5 of docs/sources.md: first, middle and last windows of verl's metrics, its rules, settings out of a log."""

import csv
import random
import re

from guide_numbers import column, mean, pearson, slope

ROWS = 60
WINDOW = 5
SETTINGS = ["use_kl_loss", "kl_loss_coef", "kl_coef", "adv_estimator", "state_masking"]
# Each metric: its value at the start and at the end, noise, digits. The score rises while the reward that is left of it
# after the KL penalty falls, answers become shorter and vary less, first drafts fail more often.
COURSES = {
    "actor/kl_loss": (0.01, 0.2, 0.004, 5),
    "actor/grad_norm": (0.8, 0.9, 0.15, 4),
    "actor/ppo_kl": (0.001, 0.004, 0.0004, 6),
    "actor/pg_clipfrac": (0.01, 0.06, 0.004, 5),
    "actor/pg_loss": (0.02, 0.0, 0.01, 5),
    "actor/entropy_loss": (1.2, 0.5, 0.04, 4),
    "critic/score/mean": (0.3, 0.5, 0.02, 4),
    "critic/rewards/mean": (0.28, 0.1, 0.02, 4),
    "critic/advantages/mean": (0.05, 0.02, 0.004, 5),
    "response_length/mean": (420.0, 260.0, 12.0, 1),
    "paper_writing/round1_invalid_draft_rate": (0.1, 0.3, 0.02, 4),
}
KEY_METRICS = [key for key in COURSES if not key.startswith("paper")] + ["global_seqlen/mean"]
LOG = """\
+ python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.actor.use_kl_loss=False \
actor_rollout_ref.actor.kl_loss_coef=0.001 algorithm.kl_ctrl.kl_coef=0.05 actor_rollout_ref.actor.state_masking=True
"""


def made():
    """Straight courses with noise, the same with every Python."""
    noise = random.Random(20261122)
    rows = []
    for step in range(1, ROWS + 1):
        share = (step - 1) / (ROWS - 1)
        row = {"step": step}
        for key, (first, last, spread, digits) in COURSES.items():
            row[key] = round(first + share * (last - first) + spread * (noise.random() - 0.5), digits)
        rows.append(row)
    return rows


def moved(values, window=WINDOW):
    """Means of the first, middle and last window, and what follows from them."""
    middle = (len(values) - window) // 2
    first, mid, last = mean(values[:window]), mean(values[middle : middle + window]), mean(values[-window:])
    return {
        "first": first,
        "middle": mid,
        "last": last,
        "change": (last - first) / abs(first) if first else None,
        "slope per row": slope(values),
        "correlation with step": pearson(list(range(len(values))), values),
        "lowest": min(values),
        "highest": max(values),
    }


def trends(folder):
    rows = made()
    folder.mkdir(exist_ok=True)
    with folder.joinpath("rl_metrics_parsed.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    counts = []
    with folder.joinpath("output.txt").open("w") as log:
        log.write(LOG)
        for row in rows:
            counts.append(f"round 1 invalid {round(16 * row['paper_writing/round1_invalid_draft_rate'])}/16")
            log.write(f"{counts[-1]}\nstep:{row['step']} - critic/score/mean:{row['critic/score/mean']}\n")

    found = {key: moved(column(rows, key)) for key in COURSES}
    for key, numbers in found.items():
        for what, value in numbers.items():
            yield 5, "verl", what, key, value
    for key in KEY_METRICS:
        if key not in found:
            yield 5, "verl", "missing", key, True
    for rule, is_met in rules(found).items():
        yield 5, "verl", f"rule: {rule}", "", is_met
    for name in SETTINGS:
        yield 5, "log", "setting", name, re.search(rf"\b{name}=(\S+)", LOG).group(1)
    count, total = re.search(r"round 1 invalid (\d+)/(\d+)", counts[-1]).groups()
    yield 5, "log", "last share of invalid drafts", "round1_invalid_rate", int(count) / int(total)


def rules(found):
    def change(key):
        return found[key]["change"]

    def follows(key):
        return found[key]["correlation with step"]

    return {
        "length −5 %": change("response_length/mean") < -0.05,
        "KL loss doubled": change("actor/kl_loss") > 1 and follows("actor/kl_loss") > 0.4,
        "clip fraction and PPO KL rise": follows("actor/pg_clipfrac") > 0.4 and follows("actor/ppo_kl") > 0.4,
        "gradient norm rises": follows("actor/grad_norm") > 0.4,
        "entropy −20 %": change("actor/entropy_loss") < -0.2 and follows("actor/entropy_loss") < -0.4,
        "score up, reward down": change("critic/score/mean") > 0 > change("critic/rewards/mean"),
        "advantages −10 %": change("critic/advantages/mean") < -0.1,
    }


def long_run(rows):
    """The windows of five rows, and those of 5 %, of a run of 250."""
    for key in ["benchmark/kl", "benchmark/reward_mean"]:
        values = column(rows, key)
        for words, window in [("of 250 rows", WINDOW), ("by 5 % of 250 rows", len(values) // 20)]:
            found = moved(values, window)
            for what in ["first", "middle", "last", "change"]:
                yield 5, "lattice-01", f"{what}, {words}", key, found[what]
