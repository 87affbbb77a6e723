"""The artifacts of a run as the real W&B client lists them, as JSON on standard output.

usage: list_wandb_artifacts.py BASE_URL KEY ENTITY/PROJECT/RUN
"""
import json
import sys

import wandb

base_url, key, path = sys.argv[1:]
run = wandb.Api(overrides={"base_url": base_url}, api_key=key, timeout=60).run(path)
json.dump([[a.name, a.type, a.version, a.aliases, a.size] for a in run.logged_artifacts()], sys.stdout)
