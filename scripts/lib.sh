# Shared by the set-up scripts: installing Debian packages, or saying how.

say() { echo "kfusion: $*" >&2; }

# Runs a command silently; shows what it printed only if it fails.
quietly() {
    log=$(mktemp)
    if "$@" >"$log" 2>&1 </dev/null; then
        rm -f "$log"
    else
        status=$?
        cat "$log" >&2
        rm -f "$log"
        say "failed: $*"
        return $status
    fi
}

# Installs packages as root; otherwise prints the line to run and stops.
apt_install() {
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        say "some packages are missing. Run this line, then make again:"
        say "    sudo apt-get install -y $*"
        exit 1
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    quietly apt-get update -q
    quietly apt-get install -y -q --no-install-recommends "$@"
}
