#!/bin/sh
# Checks the dependencies by deny.toml: licences, sources, duplicates, and known advisories where the network has them.
set -eu
cd "$(dirname "$0")/.."
tools=${RUNDOWN_TOOLS:?run this through make}
version=0.20.2

if [ "$(cargo-deny --version 2>/dev/null)" != "cargo-deny $version" ]; then
    echo "installing cargo-deny $version into $tools (1 minute on two cores, once)"
    # Unoptimised: it runs for two seconds. Without its features, which want TLS.
    CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
        CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=none RUSTFLAGS='' \
        cargo install --quiet cargo-deny --version "$version" --locked --no-default-features --root "$tools"
    rm -rf "$tools/build"
fi

cargo deny --log-level error check licenses bans sources
cargo deny --log-level error --manifest-path fuzz/Cargo.toml check licenses sources
if cargo deny --log-level off fetch db 2>/dev/null; then
    cargo deny --log-level error check --disable-fetch advisories
else
    echo "advisories were not checked: the database of RustSec cannot be fetched from here"
fi
