#!/bin/sh
# Installs what building the page needs and is missing, from the package registries alone: the wasm32 target, Trunk,
# wasm-bindgen and wasm-opt. Quick when nothing is missing.
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}

trunk=0.21.14
wasm_bindgen=0.2.130
binaryen=123.0.0

need() {
    command -v "$1" >/dev/null 2>&1 && return
    echo "$1 is missing: $2" >&2
    exit 1
}
need cargo "install Rust 1.95 or newer, for example with rustup"
# Else the tools would be built for minutes before cargo refuses the package itself.
minor=$(rustc --version | cut -d . -f 2)
if [ "$minor" -lt 95 ]; then
    echo "$(rustc --version) is too old: run rustup update, Rundown needs 1.95 or newer" >&2
    exit 1
fi
need node "install Node 18 or newer"
need npm "install npm (it comes with Node, or as your system's npm package)"

here=$(dirname "$0")
"$here/wasm-target.sh"
# Trunk copies files and calls the others, so it need not be fast; it would use TLS only to download tools.
[ "$(trunk --version 2>/dev/null)" = "trunk $trunk" ] ||
    "$here/install-crate.sh" trunk "$trunk" 0 2 --locked --no-default-features
# wasm-bindgen reads megabytes on each build. Its own lock file names a yanked crate, so no --locked.
[ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $wasm_bindgen" ] &&
    [ "$(wasm-bindgen-test-runner --version 2>/dev/null)" = "wasm-bindgen-test-runner $wasm_bindgen" ] ||
    "$here/install-crate.sh" wasm-bindgen-cli "$wasm_bindgen" 1 2
rm -rf "$tools/build"
case "$(wasm-opt --version 2>/dev/null)" in
"wasm-opt version ${binaryen%%.*}"*) ;;
*)
    echo "installing wasm-opt (npm binaryen $binaryen) into $tools (seconds)"
    npm install --silent --no-audit --no-fund --prefix "$tools" "binaryen@$binaryen"
    ;;
esac
