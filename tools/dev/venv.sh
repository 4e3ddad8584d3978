# SPDX-License-Identifier: Apache-2.0
# need_python GROUP...: makes sure that .venv holds the packages of these groups (run, test, lint; listed in pyproject.toml).
# A file per group holds the hash of the lists it was installed from, so that nothing to do costs a few milliseconds.

need_python() {
  local group lists todo=() wanted
  # A virtual environment does not survive being moved: its scripts name their Python by its path.
  if [ ! -x .venv/bin/python ] || [ "$(cat .venv/.made-in 2>/dev/null)" != "$PWD" ]; then
    make_venv
  fi
  lists=$(requirements_hash)
  for group in "$@"; do
    [ "$(cat ".venv/.installed-$group" 2>/dev/null)" = "$lists" ] || todo+=("$group")
  done
  [ ${#todo[@]} -gt 0 ] || return 0
  echo "dev: installing Python packages: ${todo[*]}" >&2
  wanted=$(.venv/bin/python tools/requirements.py "${todo[@]}")
  if ! printf '%s\n' "$wanted" | .venv/bin/python -m pip --disable-pip-version-check -q install -r /dev/stdin; then
    echo "dev: pip could not install these packages into .venv: ${wanted//$'\n'/, }" >&2
    exit 2
  fi
  for group in "${todo[@]}"; do
    echo "$lists" >".venv/.installed-$group"
  done
}

requirements_hash() {
  sed '/^\[tool\./,$d' pyproject.toml | sha256sum | cut -d' ' -f1
}

make_venv() {
  local python
  python=$(suitable_python) || {
    need python
    python=$(suitable_python) || {
      echo "dev: no Python 3.10 or newer with its headers (Python.h) and the venv module; set OCTAVO_PYTHON to one" >&2
      exit 2
    }
  }
  echo "dev: making .venv with $python" >&2
  "$python" -m venv --clear .venv
  echo "$PWD" >.venv/.made-in
}

suitable_python() {
  local candidate
  for candidate in ${OCTAVO_PYTHON:-python3 /usr/bin/python3 python3.13 python3.12 python3.11 python3.10}; do
    if command -v "$candidate" >/dev/null && "$candidate" tools/dev/suitable_python.py 2>/dev/null; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}
