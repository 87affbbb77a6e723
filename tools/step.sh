#!/bin/sh
# Runs one step of `make`: names it first, then says how long it took, and names it again when it fails.
#   tools/step.sh NAME COMMAND [ARGUMENT…]
name=$1
shift
# Set only where the wasm32 standard library had to be built (tools/wasm-target.sh).
if [ -n "$(ls -d "$RUNDOWN_TOOLS"/sysroot-* 2>/dev/null)" ]; then
    # In place of those of .cargo/config.toml.
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="$(tools/wasm-target.sh flags) --cfg erase_components"
    export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS
fi
printf '\n== %s\n' "$name"
start=$(date +%s)
"$@"
status=$?
printf '== %s: %s s\n' "$name" "$(($(date +%s) - start))"
if [ "$status" -ne 0 ]; then
    printf '\n== FAILED: %s (exit %s): %s\n' "$name" "$status" "$*" >&2
fi
exit "$status"
