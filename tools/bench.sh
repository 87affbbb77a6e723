#!/bin/sh
# The measurements behind the budgets, natively and in the browser. Needs dist/ (make build comes first), and RUNDOWN_TOOLS.
set -eu
# Without Python, or without a package index, the peers are left out.
peer=$(tools/peer.sh readers) || peer=
RUNDOWN_PEER_PYTHON=$peer cargo bench --quiet --bench native
RUNDOWN_PEER_PYTHON=$peer cargo bench --quiet --profile dev --bench memory
doctors=$(tools/peer.sh doctors) || doctors=
RUNDOWN_PEER_PYTHON=$doctors cargo bench --quiet --bench diagnosers
# What the charts and the readers are held against in the browser.
javascript="$RUNDOWN_TOOLS/javascript-peers-1"
if npm install --silent --no-audit --no-fund --prefix "$javascript" uplot@1.6.32 papaparse@5.7.1 hyparquet@1.31.5 fflate@0.8.3; then
    export RUNDOWN_JAVASCRIPT_PEERS="$javascript/node_modules"
fi
# It drives the browser and measures there: no need to compile it as long as the programs that are measured.
RUNDOWN_PEER_PYTHON=$peer tools/browser.sh cargo bench --quiet --profile dev --features e2e --bench browser
node tools/sizes.mjs
cargo bench --quiet --profile dev --bench performance
