#!/bin/sh
# Makes sure that there is a standard library for wasm32-unknown-unknown.
#
# rustup adds it. Where rustup is missing or does not answer, it is built from the rust-src package of the same rustc
# version, which the Debian mirror of this machine's own apt configuration has, into a sysroot in RUNDOWN_TOOLS that
# links to the real one: no rights are needed, and a later `rustup target add` finds nothing in its way.
#   tools/wasm-target.sh          installs what is missing
#   tools/wasm-target.sh flags    prints the rustc flags that the target needs, if any
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}
target=wasm32-unknown-unknown
version=$(rustc --version | cut -d ' ' -f 2)
sysroot=$(rustc --print sysroot)
own=$tools/sysroot-$version
work=$tools/wasm-target

has_std() { [ -n "$(ls "$1/lib/rustlib/$target/lib"/libstd-*.rlib 2>/dev/null)" ]; }
give_up() {
    echo "$1: add the target $target to your Rust installation by hand" >&2
    exit 1
}

# Downloads the package of exactly this version, from the first suite with new compilers that has it.
download_source() {
    command -v apt-get >/dev/null 2>&1 && command -v dpkg-deb >/dev/null 2>&1 || give_up "there is no apt"
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$codename" '$2 == release { print $1; exit }')
    [ -n "$mirror" ] || give_up "apt is not configured for $codename"
    keyring=$(ls /usr/share/keyrings/debian-archive-keyring.* 2>/dev/null | head -n 1)
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/src" "$work/empty/src"
    for suite in stable-backports testing unstable; do
        echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
        apt="apt-get -qq -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Dir::Etc::SourceList=$work/sources.list
            -o Dir::Etc::SourceParts=/dev/null -o Dir::State=$work -o Dir::State::Lists=$work/lists
            -o Dir::Cache=$work -o Dir::Cache::Archives=$work/archives"
        $apt update && (cd "$work" && $apt download "rust-src=$version*") && break
    done
    package=$(ls "$work"/rust-src_*.deb 2>/dev/null) || give_up "no suite of $mirror has rust-src $version"
    dpkg-deb -x "$package" "$work/src"
}

# embed-bitcode: without it there is no link-time optimisation across the standard library.
build_std() {
    library=$(dirname "$(find "$work/src" -path '*/library/Cargo.lock' | head -n 1)")
    printf '[package]\nname = "empty"\nversion = "0.0.0"\n[workspace]\n' >"$work/empty/Cargo.toml"
    : >"$work/empty/src/lib.rs"
    (
        cd "$work/empty"
        __CARGO_TESTS_ONLY_SRC_ROOT=$library RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Cembed-bitcode=yes \
            CARGO_TARGET_DIR=$work/target cargo build --quiet --release \
            -Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test --target "$target"
    )
}

make_sysroot() {
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
}

if has_std "$sysroot"; then exit 0; fi
if [ "${1:-}" = flags ]; then
    if has_std "$own"; then echo "--sysroot=$own"; fi
    exit 0
fi
if has_std "$own"; then exit 0; fi
echo "installing the standard library for $target (seconds through rustup)"
if command -v rustup >/dev/null 2>&1 && rustup target add "$target" && has_std "$sysroot"; then exit 0; fi
echo "rustup has none to give: building it from the package rust-src $version (about 2 minutes, once)"
rm -rf "$work"
download_source
build_std
make_sysroot
rm -rf "$work"
