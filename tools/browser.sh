#!/bin/sh
# Runs a command with a Chromium and a matching chromedriver, which it names in CHROMIUM and CHROMEDRIVER, after
# installing them from Debian's packages where they are missing: as root, with sudo, or without either into
# RUNDOWN_TOOLS.
#   tools/browser.sh COMMAND [ARGUMENT…]
set -eu
tools=${RUNDOWN_TOOLS:?run this through make}
own=$tools/chromium

# The major version in "Chromium 156.0.8078.79 built on …" and "ChromeDriver 156.0.8078.79 (…)".
major() {
    "$1" --version 2>/dev/null | sed -n 's/^[^0-9]*\([0-9][0-9]*\)\..*/\1/p' | head -n 1
}

# A browser and a driver of the same version, else nothing.
find_pair() {
    CHROMIUM=$1 CHROMEDRIVER=$2
    CHROMIUM=$(command -v "$CHROMIUM" 2>/dev/null) && CHROMEDRIVER=$(command -v "$CHROMEDRIVER" 2>/dev/null) || return 1
    version=$(major "$CHROMIUM")
    [ -n "$version" ] && [ "$version" = "$(major "$CHROMEDRIVER")" ]
}

find_browser() {
    if [ -n "${given_browser}${given_driver}" ]; then
        find_pair "${given_browser:-chromium}" "${given_driver:-chromedriver}"
        return
    fi
    for browser in "$own/chromium" chromium chromium-browser google-chrome google-chrome-stable; do
        driver=chromedriver
        [ "$browser" = "$own/chromium" ] && driver=$own/chromedriver
        find_pair "$browser" "$driver" && return
    done
    return 1
}

install_browser() {
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "no Chromium with a chromedriver of the same version, and no apt-get to install them:" >&2
        echo "install both and name them in CHROMIUM and CHROMEDRIVER" >&2
        return 1
    fi
    packages="chromium chromium-driver"
    if [ "$(id -u)" = 0 ]; then
        echo "installing $packages"
        apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages >/dev/null
    elif sudo -n true 2>/dev/null; then
        echo "installing $packages"
        sudo -n apt-get -qq update && sudo -n DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $packages >/dev/null
    else
        unpack_browser
    fi
}

# Neither root nor sudo: apt still downloads into folders of ours, and dpkg unpacks anywhere.
unpack_browser() {
    echo "unpacking $packages and what they need into $own"
    apt_dir=$own/apt root=$own/root
    mkdir -p "$apt_dir/lists/partial" "$apt_dir/archives/partial" "$root"
    apt="apt-get -qq -o Debug::NoLocking=1 -o Dir::State=$apt_dir -o Dir::State::Lists=$apt_dir/lists
        -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache=$apt_dir -o Dir::Cache::Archives=$apt_dir/archives"
    $apt update
    $apt install -y --no-install-recommends --download-only $packages >/dev/null
    for package in "$apt_dir/archives"/*.deb; do
        dpkg -x "$package" "$root"
    done
    rm -rf "$apt_dir"

    cat >"$own/fonts.conf" <<FONTS
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>$root/usr/share/fonts</dir><cachedir>$own/fontcache</cachedir></fontconfig>
FONTS
    # Debian's multiarch folders, and pulseaudio's private library.
    libraries=$(ls -d "$root"/lib/*-linux-gnu* "$root"/usr/lib/*-linux-gnu* "$root"/usr/lib/*-linux-gnu*/pulseaudio \
        2>/dev/null | tr '\n' ':')
    wrap chromium "$root/usr/lib/chromium/chromium"
    wrap chromedriver "$root/usr/bin/chromedriver"
}

# A script that runs an unpacked program with its libraries.
wrap() {
    cat >"$own/$1" <<SCRIPT
#!/bin/sh
export LD_LIBRARY_PATH='$libraries'"\${LD_LIBRARY_PATH:-}" FONTCONFIG_FILE='$own/fonts.conf'
exec '$2' "\$@"
SCRIPT
    chmod +x "$own/$1"
}

given_browser=${CHROMIUM:-} given_driver=${CHROMEDRIVER:-}
if ! find_browser; then
    if [ -n "${given_browser}${given_driver}" ]; then
        echo "CHROMIUM=$given_browser and CHROMEDRIVER=$given_driver are not a pair of the same version" >&2
        exit 1
    fi
    install_browser
    if ! find_browser; then
        echo "installed Chromium, but still find no browser with a chromedriver of the same version" >&2
        exit 1
    fi
fi
export CHROMIUM CHROMEDRIVER
exec "$@"
