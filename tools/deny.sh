#!/bin/sh
# Checks the dependencies by deny.toml: licences, sources, duplicates, and known advisories where the network has them.
set -eu
cd "$(dirname "$0")/.."
tools=${RUNDOWN_TOOLS:?run this through make}
version=0.20.2

if [ "$(cargo-deny --version 2>/dev/null)" != "cargo-deny $version" ]; then
    # Unoptimised: it runs for two seconds. Without its features, which want TLS.
    tools/install-crate.sh cargo-deny "$version" 0 1 --locked --no-default-features
    rm -rf "$tools/build"
fi

cargo deny --log-level error check licenses bans sources
cargo deny --log-level error --manifest-path fuzz/Cargo.toml check licenses sources
if cargo deny --log-level off fetch db 2>/dev/null; then
    cargo deny --log-level error check --disable-fetch advisories
else
    echo "advisories were not checked: the database of RustSec cannot be fetched from here"
fi
