# Writes one .json file per run into the folder rundown-export. Drop that folder on the page.
# Needs: pip install wandb, then wandb login. The key stays with wandb.
import json, os
import wandb

BASE_URL = __BASE_URL__
ENTITY, PROJECT, RUN = __ENTITY__, __PROJECT__, __RUN__

api = wandb.Api(overrides={"base_url": BASE_URL}, timeout=60)
path = ENTITY + "/" + PROJECT
runs = [api.run(path + "/" + RUN)] if RUN else api.runs(path)
os.makedirs("rundown-export", exist_ok=True)
for run in runs:
    facts = {
        "id": run.id, "name": run.name, "entity": ENTITY, "project": PROJECT, "state": run.state,
        "tags": list(run.tags), "created_at": run.created_at,
        # With the rules of define_metric, where the client gives them.
        "config": dict(getattr(run, "rawconfig", None) or run.config),
        "summary": dict(run.summary._json_dict),
    }
    for key in ("group", "job_type", "sweep_name", "notes"):
        facts[key] = getattr(run, key, None)
    # scan_history gives every row; history() would give 500 at random.
    rows = [row for row in run.scan_history()]
    file = os.path.join("rundown-export", run.id + ".json")
    with open(file, "w", encoding="utf-8") as out:
        json.dump({**facts, "history": rows}, out, default=str)
    print(file, len(rows), "rows")
