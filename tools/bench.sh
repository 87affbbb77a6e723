#!/bin/sh
# The measurements behind the budgets, natively and in the browser. Needs dist/ (make build comes first), and RUNDOWN_TOOLS.
set -eu
# Without Python, or without a package index, the peers are left out.
peer=$(tools/peer.sh readers) || peer=
RUNDOWN_PEER_PYTHON=$peer cargo bench --quiet --bench native
doctors=$(tools/peer.sh doctors) || doctors=
RUNDOWN_PEER_PYTHON=$doctors cargo bench --quiet --bench diagnosers
# What the charts are held against.
uplot=1.6.32
if npm install --silent --no-audit --no-fund --prefix "$RUNDOWN_TOOLS/uplot-$uplot" "uplot@$uplot"; then
    export RUNDOWN_UPLOT="$RUNDOWN_TOOLS/uplot-$uplot/node_modules/uplot/dist"
fi
# It drives the browser and measures there: no need to compile it as long as the programs that are measured.
tools/browser.sh cargo bench --quiet --profile dev --features e2e --bench browser
node tools/sizes.mjs
