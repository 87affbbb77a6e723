#!/bin/sh
# Installs what building the page needs and is missing, from package registries alone:
# the wasm32 target, Trunk, wasm-bindgen and wasm-opt. Quick when nothing is missing.
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}
here=$(dirname "$0")

trunk=0.21.14
wasm_bindgen=0.2.130
binaryen=123.0.0

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "$1 is missing: $2" >&2
    exit 1
}
need cargo "install Rust 1.95 or newer from https://rustup.rs"
# Else the tools would be built for minutes before cargo refuses the package itself.
minor=$(rustc --version | cut -d . -f 2)
if [ "$minor" -lt 95 ]; then
    echo "$(rustc --version) is too old: run rustup update, Rundown needs 1.95 or newer" >&2
    exit 1
fi
need node "install Node 18 or newer (https://nodejs.org, or your system's nodejs package)"
need npm "install npm (it comes with Node; Debian has it as the npm package)"

# `cargo install` keeps its own profile, which for Trunk is a slow fat-LTO one: tools need not be that fast.
install_crate() {
    echo "installing $1 $2 into $tools (a few minutes, once)"
    crate=$1 version=$2
    shift 2
    CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1 \
        CARGO_PROFILE_RELEASE_DEBUG=0 RUSTFLAGS='' \
        cargo install "$crate" --version "$version" --root "$tools" "$@"
}

"$here/wasm-target.sh"
[ "$(trunk --version 2>/dev/null)" = "trunk $trunk" ] ||
    # Trunk would only use TLS to download tools, which are all here.
    install_crate trunk "$trunk" --locked --no-default-features
# wasm-bindgen-cli's own lock file names a yanked crate, so no --locked.
[ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $wasm_bindgen" ] &&
    [ "$(wasm-bindgen-test-runner --version 2>/dev/null)" = "wasm-bindgen-test-runner $wasm_bindgen" ] ||
    install_crate wasm-bindgen-cli "$wasm_bindgen"
case "$(wasm-opt --version 2>/dev/null)" in
"wasm-opt version ${binaryen%%.*}"*) ;;
*)
    echo "installing wasm-opt (npm binaryen $binaryen) into $tools"
    npm install --silent --no-audit --no-fund --prefix "$tools" "binaryen@$binaryen"
    ;;
esac
