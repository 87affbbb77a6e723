"""Lets the real W&B client write a run file with artifacts and a table, offline.

usage: log_wandb_artifacts.py FOLDER
"""
import pathlib
import sys

import wandb

folder = pathlib.Path(sys.argv[1])
replay = folder / "replay.html"
settings = wandb.Settings(console="off", x_disable_stats=True, x_disable_meta=True, disable_git=True)
run = wandb.init(project="games", mode="offline", dir=str(folder), id="abc12345", settings=settings)
run.log({"elo/adapter_v1": 1000.0})
for step, size in enumerate([1_100, 1_300]):
    replay.write_text("x" * size)
    artifact = wandb.Artifact("eval-replays-abc12345", type="replays")
    artifact.add_file(str(replay))
    run.log_artifact(artifact, aliases=["latest", f"step-{step}"])
run.log({"eval/summary_table": wandb.Table(columns=["opponent", "win_rate"], data=[["random_bot", 0.9]])})
run.finish()
