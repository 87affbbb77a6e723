#!/bin/sh
# Makes sure that there is a standard library for wasm32-unknown-unknown.
#
# rustup adds it. Where rustup is missing or its host does not answer, it is built from Debian's rust-src package
# of the same rustc version, into a sysroot of our own that links to the real one: nothing outside RUNDOWN_TOOLS
# is touched, so no rights are needed and a later `rustup target add` meets nothing in its way.
#   tools/wasm-target.sh          installs what is missing
#   tools/wasm-target.sh flags    prints the rustc flags that the target needs, if any
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}
target=wasm32-unknown-unknown
version=$(rustc --version | cut -d ' ' -f 2)
sysroot=$(rustc --print sysroot)
own=$tools/sysroot-$version

has_std() {
    [ -n "$(ls "$1/lib/rustlib/$target/lib"/libstd-*.rlib 2>/dev/null)" ]
}

if has_std "$sysroot"; then
    exit 0
elif [ "${1:-}" = flags ]; then
    if has_std "$own"; then echo "--sysroot=$own"; fi
    exit 0
elif has_std "$own"; then
    exit 0
fi

echo "installing the standard library for $target"
if command -v rustup >/dev/null 2>&1 && rustup target add "$target" && has_std "$sysroot"; then
    exit 0
fi

echo "rustup has none to give: building it from Debian's rust-src $version"
for program in apt-get dpkg-deb; do
    command -v "$program" >/dev/null 2>&1 || {
        echo "$program is missing: add the target $target to your Rust installation by hand" >&2
        exit 1
    }
done
work=$tools/wasm-target
rm -rf "$work"
mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/src" "$work/empty/src"

# A package of exactly this version, signed by Debian, from the suites that carry new compilers.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
for suite in trixie-backports forky-backports testing unstable; do
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$work/sources.list"
    apt="apt-get -qq -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Dir::Etc::SourceList=$work/sources.list
        -o Dir::Etc::SourceParts=/dev/null -o Dir::State=$work -o Dir::State::Lists=$work/lists
        -o Dir::Cache=$work -o Dir::Cache::Archives=$work/archives"
    $apt update || continue
    (cd "$work" && $apt download "rust-src=$version*") && break
done
package=$(ls "$work"/rust-src_*.deb 2>/dev/null) || {
    echo "no Debian suite has rust-src $version: add the target $target to your Rust installation by hand" >&2
    exit 1
}
dpkg-deb -x "$package" "$work/src"
library=$(dirname "$(find "$work/src" -path '*/library/Cargo.lock' | head -n 1)")

printf '[package]\nname = "empty"\nversion = "0.0.0"\n[workspace]\n' >"$work/empty/Cargo.toml"
: >"$work/empty/src/lib.rs"
# embed-bitcode: without it there is no link-time optimisation across the standard library.
(
    cd "$work/empty"
    __CARGO_TESTS_ONLY_SRC_ROOT=$library RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes CARGO_TARGET_DIR=$work/target \
        cargo build --quiet --release -Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test --target "$target"
)

rm -rf "$own"
mkdir -p "$own/lib/rustlib/$target/lib"
for part in "$sysroot"/lib/*; do
    [ "${part##*/}" = rustlib ] || ln -s "$part" "$own/lib/"
done
for part in "$sysroot"/lib/rustlib/*; do
    [ "${part##*/}" = "$target" ] || ln -s "$part" "$own/lib/rustlib/"
done
for rlib in "$work/target/$target/release/deps"/*.rlib; do
    case $rlib in */libempty-*) ;; *) cp "$rlib" "$own/lib/rustlib/$target/lib/" ;; esac
done
rm -rf "$work"
