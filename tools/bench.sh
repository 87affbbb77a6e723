#!/bin/sh
# The measurements behind the budgets, natively and in the browser. Needs dist/ (make build comes first).
set -eu
# Without Python, or without a package index, the peers are left out.
peer=$(tools/peer.sh readers) || peer=
RUNDOWN_PEER_PYTHON=$peer cargo bench --quiet --bench native
doctors=$(tools/peer.sh doctors) || doctors=
RUNDOWN_PEER_PYTHON=$doctors cargo bench --quiet --bench diagnosers
tools/browser.sh cargo bench --quiet --features e2e --bench browser
node tools/sizes.mjs
