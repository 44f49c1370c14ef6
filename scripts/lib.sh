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

may_install() { [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; }

# Whether this release of the distribution has a package.
packaged() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [0-9]'; }

# Installs packages as root; otherwise prints the line to run and stops.
apt_install() {
    if ! may_install; then
        say "some packages are missing. Run this line, then make again:"
        say "    sudo apt-get update && sudo apt-get install -y $*"
        exit 1
    fi
    say "installing $*"
    export DEBIAN_FRONTEND=noninteractive
    quietly apt-get install -y -q --no-install-recommends "$@"
}
