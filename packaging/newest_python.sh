#!/bin/sh
# Print the newest CPython from 3.12 on that has its shared library: on the PATH, else among the versions of pyenv.
set -eu

usable() {
    "$1" -c '
import ensurepip, ssl, sys, sysconfig, venv
assert sys.version_info >= (3, 12) and sys.version_info.releaselevel == "final"
assert sys.platform != "linux" or sysconfig.get_config_var("Py_ENABLE_SHARED")
print(sys.version_info.minor, sys.executable)' 2>/dev/null || true
}

{
    for name in python3 python3.12 python3.13 python3.14 python3.15; do usable "$name"; done
    for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do usable "$path"; done
} | sort -rn -k1,1 | head -n 1 | cut -d ' ' -f 2-
