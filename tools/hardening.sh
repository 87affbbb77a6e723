#!/bin/sh
# Writes docs/hardening.md: what was tried against Rundown, and what came of it. Wants dist/ (make build) and takes half an
# hour. RUNDOWN_ATTACKS names folders with files that were made to do harm, divided by colons.
set -eu
cd "$(dirname "$0")/.."
rows=target/hardening
rm -rf "$rows"
mkdir -p "$rows"

# run NAME COMMAND…: keeps what a test prints. A test that fails ends the writing: its numbers would not hold.
run() {
  name=$1
  shift
  echo "-- $name"
  "$@" >"$rows/$name.log" 2>&1 || {
    tail -n 40 "$rows/$name.log"
    exit 1
  }
}

run attacks cargo test --profile serve --test ingest too_large::attacks_are_survived -- --ignored --exact --nocapture
run damage cargo test --profile serve --test ingest every_byte::every_byte -- --ignored --exact --nocapture
run foreign cargo test --test foreign rows -- --ignored --nocapture
run secrets cargo test --test report recall::rows -- --ignored --exact --nocapture
run orders cargo test --test loading -- --nocapture
run seeds cargo test --test fuzz
run network tools/browser.sh cargo test --features e2e --test e2e servers::evil -- --include-ignored --nocapture --test-threads 1
run faults tools/browser.sh cargo test --features e2e --test e2e faults -- --nocapture --test-threads 1
node tools/hardening.mjs "$rows"
echo "docs/hardening.md is written"
