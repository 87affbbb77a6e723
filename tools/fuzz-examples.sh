#!/bin/sh
# Puts the small files of the project's tests whose names match PATTERN into one folder: what fuzzing a format begins with.
set -eu
to=$1
pattern=$2
cd "$(dirname "$0")/.."
rm -rf "$to"
mkdir -p "$to"
find tests/fixtures tests/corpus tests/foreign -type f -name "$pattern" -size -17k 2>/dev/null | while read -r file; do
  cp "$file" "$to/$(printf %s "$file" | tr / _)"
done
