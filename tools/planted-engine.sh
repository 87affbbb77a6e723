#!/bin/sh
# Builds the engine with planted panics for tests/e2e/planted.rs: the target folder's planted/ becomes a copy of dist/
# with that engine in it. Its own layers are not optimised, as its speed does not matter: 60 s of compiling in place of 89. It
# shares the rest with the tests of the page's parts.
set -eu
target=${CARGO_TARGET_DIR:-target}
set --
for layer in compare diagnose ingest; do
    set -- "$@" --config "profile.dev.package.rundown-$layer.opt-level=0"
done
cargo build --quiet --target wasm32-unknown-unknown -p rundown-engine --features planted-panics "$@"
rm -rf "$target/planted"
cp -r dist "$target/planted"
exec wasm-bindgen --target no-modules --no-typescript --out-dir "$target/planted" \
    "$target/wasm32-unknown-unknown/debug/engine.wasm"
