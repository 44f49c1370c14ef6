#!/bin/sh
# python-packages.sh PYTHON VENV: a virtual environment with kfusion (editable)
# and the tools for its tests and documents in it.
set -eu
. "$(dirname "$0")/lib.sh"
python=$1
venv=$2

if [ ! -x "$venv/bin/pip" ]; then
    quietly "$python" -m venv "$venv"
fi
say "installing Python packages into $venv"
quietly "$venv/bin/python" -m pip install --disable-pip-version-check -e '.[docs,test]'
