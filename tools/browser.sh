#!/bin/sh
# Runs a command with a Chromium and a chromedriver of the same version, which it names in CHROMIUM and CHROMEDRIVER.
# Where they are missing they are installed with apt, as root or with sudo; else it says what to install.
# Chromium's headless shell of that version is named in HEADLESS_SHELL, and installed where apt has it.
#   tools/browser.sh COMMAND [ARGUMENT…]
# Firefox is not installed: `apt-get install firefox-esr` takes seconds, but its driver has no package and is compiled,
# `cargo install geckodriver --version 0.36.0 --locked --root "$RUNDOWN_TOOLS"`, three minutes on two cores. Where both are
# there they are named in FIREFOX and GECKODRIVER; without them the scenario in Firefox is skipped.
set -eu
packages="chromium chromium-driver"

# The major version in "Chromium 156.0.8078.79 built on …" and "ChromeDriver 156.0.8078.79 (…)".
major() {
    "$1" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9]*\)\..*/\1/p' | head -n 1
}

# A browser and a driver of the same version, else nothing.
find_pair() {
    CHROMIUM=$(command -v "$1" 2>/dev/null) && CHROMEDRIVER=$(command -v "$2" 2>/dev/null) || return 1
    version=$(major "$CHROMIUM")
    [ -n "$version" ] && [ "$version" = "$(major "$CHROMEDRIVER")" ]
}

find_browser() {
    for browser in ${given_browser:-chromium chromium-browser google-chrome google-chrome-stable}; do
        find_pair "$browser" "${given_driver:-chromedriver}" && return
    done
    return 1
}

# install PACKAGE…
install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    if [ "$(id -u)" = 0 ]; then as_root=; elif sudo -n true 2>/dev/null; then as_root="sudo -n"; else return 1; fi
    echo "installing $* (about a minute)"
    $as_root apt-get -qq update &&
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@" >/dev/null
}

# The headless shell of the version of the browser, else nothing.
find_shell() {
    HEADLESS_SHELL=$(command -v "${given_shell:-chromium-headless-shell}" 2>/dev/null) &&
        [ "$(major "$HEADLESS_SHELL")" = "$(major "$CHROMIUM")" ]
}

given_browser=${CHROMIUM:-} given_driver=${CHROMEDRIVER:-}
if ! find_browser; then
    if [ -n "${given_browser}${given_driver}" ]; then
        echo "CHROMIUM=$given_browser and CHROMEDRIVER=$given_driver are not a pair of the same version" >&2
        exit 1
    fi
    if ! install $packages || ! find_browser; then
        echo "no Chromium with a chromedriver of the same version: install both (on Debian: $packages)," >&2
        echo "or name them in CHROMIUM and CHROMEDRIVER" >&2
        exit 1
    fi
fi
# Scenarios do without the shell, in the browser.
given_shell=${HEADLESS_SHELL:-}
if ! find_shell; then
    known=$(apt-cache show chromium-headless-shell 2>/dev/null) || known=
    # One of another version is there already: apt has no other.
    if [ -n "$given_shell$HEADLESS_SHELL" ] || [ -z "$known" ] || ! install chromium-headless-shell || ! find_shell; then
        HEADLESS_SHELL=
    fi
fi
# The scans for accessibility.
axe=4.14.1
if [ -n "${RUNDOWN_TOOLS:-}" ] && [ ! -e "$RUNDOWN_TOOLS/node_modules/axe-core/axe.min.js" ]; then
    echo "installing axe-core $axe into $RUNDOWN_TOOLS (seconds)"
    npm install --silent --no-audit --no-fund --prefix "$RUNDOWN_TOOLS" "axe-core@$axe"
fi
export CHROMIUM CHROMEDRIVER HEADLESS_SHELL
for firefox in "${FIREFOX:-}" firefox-esr firefox; do
    FIREFOX=$(command -v "$firefox" 2>/dev/null) && break
done
GECKODRIVER=$(command -v "${GECKODRIVER:-${RUNDOWN_TOOLS:-}/bin/geckodriver}" 2>/dev/null || command -v geckodriver 2>/dev/null) || true
# Set but empty, wasm-bindgen-test-runner would take it for the driver to start.
if [ -n "$FIREFOX" ] && [ -n "$GECKODRIVER" ]; then export FIREFOX GECKODRIVER; else unset FIREFOX GECKODRIVER; fi
exec "$@"
