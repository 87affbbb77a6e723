#!/bin/sh
# The measurements behind the budgets, natively and in the browser. Needs dist/ (make build comes first).
set -eu
# The peer for reading .wandb files is wandb's own reader, from PyPI; without Python it is left out.
peer=$RUNDOWN_TOOLS/peer
if [ ! -x "$peer/bin/python" ] && command -v python3 > /dev/null; then
    python3 -m venv "$peer" && "$peer/bin/pip" install --quiet wandb==0.19.11 || rm -rf "$peer"
fi
RUNDOWN_PEER_PYTHON=$peer/bin/python cargo bench --quiet --bench native
tools/browser.sh cargo bench --quiet --features e2e --bench browser
node tools/sizes.mjs
