#!/bin/sh
# Makes a Python with the real W&B client, which tests/wandb_peer.rs holds ours against, and prints its path.
# It lies in RUNDOWN_TOOLS (default target/tools), is made once, and needs python3 and a package index.
set -eu
version=0.31.0
folder="${RUNDOWN_TOOLS:-$(dirname "$0")/../target/tools}/peer-wandb-$version"
if [ ! -f "$folder/ready" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check "wandb==$version" >&2
    touch "$folder/ready"
fi
echo "$folder/bin/python"
