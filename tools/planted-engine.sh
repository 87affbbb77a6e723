#!/bin/sh
# Builds the engine with planted panics for tests/e2e/planted.rs: the target folder's planted/ becomes a copy of dist/
# with that engine in it. Unoptimised, as its speed does not matter; it shares what the tests of the page's parts built.
set -eu
target=${CARGO_TARGET_DIR:-target}
cargo build --quiet --target wasm32-unknown-unknown -p rundown-engine --features planted-panics
rm -rf "$target/planted"
cp -r dist "$target/planted"
exec wasm-bindgen --target no-modules --no-typescript --out-dir "$target/planted" \
    "$target/wasm32-unknown-unknown/debug/engine.wasm"
