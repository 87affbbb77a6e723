#!/bin/sh
# Fuzzes each target for SECONDS (60 without) with libFuzzer on the stable compiler; TARGETS names some of them.
#
# What it needs is a C++ compiler, for libFuzzer. The corpus grows in target/fuzz/corpus; an input that breaks a property
# is kept in fuzz/finds, where tests/fuzz.rs runs it from then on. Counts are added up in fuzz/counts.json.
set -eu
cd "$(dirname "$0")/../fuzz"
seconds=${SECONDS_EACH:-60}
all=$(sed -n 's/^name = "\(.*\)"$/\1/p' Cargo.toml | grep -v rundown-fuzz)
targets=${TARGETS:-$all}
work=$(pwd)/../target/fuzz
host=$(rustc -vV | sed -n 's/^host: //p')

# The passes and their options are those of cargo-fuzz; they need no nightly compiler. Without a sanitizer: safe code.
export CARGO_TARGET_DIR="$work"
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing"
cargo build --quiet --release --target "$host"

# Processor seconds of all programs that have ended.
used() {
  # Not through a pipe, whose shell has no children of its own.
  times >"$work/$target.times"
  awk 'NR == 2 { split($0, part, /[ms ]+/); print int(part[1] * 60 + part[2] + part[3] * 60 + part[4]) }' "$work/$target.times"
}

status=0
for target in $targets; do
  mkdir -p "$work/corpus/$target" "finds/$target"
  # The examples of every format that the project has anyway; larger ones only slow the fuzzer down.
  seeds="seeds/$target"
  mkdir -p "$seeds"
  case $target in
    query | settings | redact | reports | *_server) pattern= ;;
    wandb_file) pattern='*.wandb' ;;
    tensorboard) pattern='*tfevents*' ;;
    parquet | swanlab | zip | tar) pattern="*.$target" ;;
    gzip) pattern='*.gz' ;;
    *) pattern='*' ;;
  esac
  examples=
  if [ -n "$pattern" ]; then
    examples="$work/examples/$target"
    ../tools/fuzz-examples.sh "$examples" "$pattern"
  fi
  log="$work/$target.log"
  used >"$work/$target.before"
  if "$work/$host/release/$target" "$work/corpus/$target" "$seeds" $examples -max_total_time="$seconds" -max_len=65536 \
    -timeout=30 -rss_limit_mb=3000 -print_final_stats=1 -artifact_prefix="finds/$target/" >"$log" 2>&1; then
    found=0
  else
    found=1
    status=1
    tail -n 30 "$log"
  fi
  used >"$work/$target.after"
  node ../tools/fuzz-run.mjs "$target" $(($(cat "$work/$target.after") - $(cat "$work/$target.before"))) "$found" "$log"
  rmdir "finds/$target" 2>/dev/null || true
done
exit $status
