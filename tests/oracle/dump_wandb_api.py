"""What the real W&B client gets from a server, as JSON on standard output: the truth that ours is held against.

usage: dump_wandb_api.py BASE_URL KEY ENTITY/PROJECT
"""
import json
import sys

import wandb

base_url, key, project = sys.argv[1:]
api = wandb.Api(overrides={"base_url": base_url}, api_key=key, timeout=60)


def plain(value):
    """Numbers as themselves; what JSON has no number for as a word."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


runs = []
for run in api.runs(project, order="+created_at", lazy=False):
    rows = [plain(dict(row)) for row in run.scan_history()]
    numbers = sorted({k for row in rows for k, v in row.items() if isinstance(v, (int, float)) and k[0] != "_"})
    some = numbers[:: max(1, len(numbers) // 4)][:4]
    sampled = {k: [plain(dict(r)) for r in run.history(keys=[k], samples=100_000, pandas=False)] for k in some}
    runs.append({
        "id": run.id, "name": run.name, "state": run.state, "group": run.group, "tags": list(run.tags),
        "created_at": run.created_at, "config": plain(dict(run.config)), "summary": plain(run.summary._json_dict),
        "rows": rows, "sampled": sampled, "files": sorted([f.name, int(f.size)] for f in run.files()),
    })
json.dump({"version": wandb.__version__, "runs": runs}, sys.stdout)
