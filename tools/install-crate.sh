#!/bin/sh
# Installs a program from its crate into RUNDOWN_TOOLS.
#   tools/install-crate.sh NAME VERSION OPT_LEVEL MINUTES [FLAG…]
# `cargo install` keeps the crate's own profile, for Trunk a slow one with link-time optimisation over all crates: this one
# compiles in parts. One target folder for all, so that what they share is built once; the caller removes it.
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}
crate=$1 version=$2 level=$3 minutes=$4
shift 4
echo "installing $crate $version into $tools (about $minutes minutes on two cores, once)"
CARGO_TARGET_DIR=$tools/build CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
    CARGO_PROFILE_RELEASE_OPT_LEVEL=$level CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=none \
    RUSTFLAGS='' cargo install --quiet "$crate" --version "$version" --root "$tools" "$@"
