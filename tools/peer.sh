#!/bin/sh
# Makes a Python with what Rundown is held against, and prints its path.
#   tools/peer.sh            the real W&B client, for tests/wandb/peer.rs
#   tools/peer.sh readers    what others read these formats with, for benches/native.rs
#   tools/peer.sh doctors    what others diagnose runs with, for benches/diagnosers.rs
# It lies in RUNDOWN_TOOLS (default target/tools), is made once, and needs python3 and a package index.
set -eu
case ${1:-client} in
    client) packages="wandb==0.31.0" name=wandb-0.31.0 ;;
    # The last W&B release with a reader of its own files in Python is of 2025.
    readers) packages="wandb==0.19.11 pandas==3.1.1 pyarrow==26.0.1 tensorboard==2.21.0 mlflow-skinny==3.17.2 polars==2.1.0 orjson==3.13.0" name=readers-2 ;;
    doctors) packages="rldoctor==0.2.0 numpy==2.4.6" name=doctors-1 ;;
    *) echo "peer.sh: client, readers or doctors" >&2; exit 1 ;;
esac
folder="${RUNDOWN_TOOLS:-$(dirname "$0")/../target/tools}/peer-$name"
if [ ! -f "$folder/ready" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder" >&2
    "$folder/bin/pip" install --quiet --disable-pip-version-check $packages >&2
    touch "$folder/ready"
fi
echo "$folder/bin/python"
