#!/bin/sh
# Packs the sample project: six real runs of the corpus, their run files unchanged.
# usage: RUNDOWN_CORPUS=path tools/make-sample.sh
set -eu
corpus=${RUNDOWN_CORPUS:-../shared/corpus}
out=$(pwd)/public/sample.tar.gz
mkdir -p public
cd "$corpus/tiny-grpo"
# A healthy run, a hacked, a collapsed, a conservative and a crashed one, and one whose reward breaks.
runs="sweep-05 amber-07 amber-06 amber-03 amber-10 amber-12"
find $runs -name '*.wandb' | LC_ALL=C sort |
    tar --files-from=- --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -cf - |
    gzip -9n > "$out"
ls -l "$out"
