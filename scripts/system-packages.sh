#!/bin/sh
# system-packages.sh PYTHON: makes sure of what pip cannot install, all at once:
# virtual environments for that Python, a C compiler that links, the OpenCL
# headers and loader, PoCL, what the pool game draws with, what pictures are read
# with, and Oclgrind.
set -eu
. "$(dirname "$0")/lib.sh"
python=$1

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "$python is too old or missing: Python 3.11 or later is needed (make PYTHON=...)"
    exit 1
fi

compiles() {
    printf '%s\n' "$1" | cc -x c - -o /dev/null "${2:--lm}" 2>/dev/null
}

missing=
"$python" -c 'import ensurepip' 2>/dev/null || missing="$(basename "$python")-venv"
compiles 'int main(void) { return 0; }' || missing="$missing gcc libc6-dev"
[ -e /usr/include/CL/cl.h ] || missing="$missing opencl-headers"
compiles 'int main(void) { return 0; }' -lOpenCL || missing="$missing ocl-icd-opencl-dev"
ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1 || missing="$missing pocl-opencl-icd"
[ -e /usr/include/gif_lib.h ] || missing="$missing libgif-dev"
[ -e /usr/include/png.h ] || missing="$missing libpng-dev"
[ -e /usr/include/SDL2/SDL.h ] || missing="$missing libsdl2-dev"
command -v oclgrind >/dev/null || missing="$missing oclgrind"
[ -n "$missing" ] || exit 0

! may_install || quietly apt-get update -q
# Some releases have no Oclgrind. All else works without it.
case $missing in
*oclgrind)
    if ! packaged oclgrind; then
        say "no package oclgrind here: global bytes and data races will not be measured"
        missing=${missing%oclgrind}
    fi
    ;;
esac
# shellcheck disable=SC2086  # a list of names, one word each
[ -z "${missing# }" ] || apt_install $missing
