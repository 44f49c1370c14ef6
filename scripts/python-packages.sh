#!/bin/sh
# python-packages.sh PYTHON VENV: a virtual environment with kfusion (editable)
# and its test tools in it.
set -eu
. "$(dirname "$0")/lib.sh"
python=$1
venv=$2

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    say "$python is too old or missing: Python 3.11 or later is needed (make PYTHON=...)"
    exit 1
fi
if [ ! -x "$venv/bin/pip" ]; then
    "$python" -c 'import ensurepip' 2>/dev/null || apt_install python3-venv
    quietly "$python" -m venv "$venv"
fi
say "installing Python packages into $venv"
quietly "$venv/bin/python" -m pip install --disable-pip-version-check -e '.[test]'
