#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the built library somewhere, builds a stranger's project against that alone, and compares what it prints.
#
#   tests/system/install/run.sh [BUILD_FOLDER]      # build/release if none is given
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/octavo-install.XXXXXX")
trap 'rm -rf "$work"' EXIT

step() {
  if ! "$@" >"$work/log" 2>&1; then
    echo "failed: $*" >&2
    cat "$work/log" >&2
    exit 1
  fi
}

step cmake --install "$build" --prefix "$work/prefix"
if [ -e "$work/prefix/octavo" ]; then  # find_package would take that of the Python package for the library's own
  echo "failed: the Python package was installed, too" >&2
  exit 1
fi
# What is installed must stand for itself: no path into the tree it was built in.
if grep -rIlF -e "$root/src/" -e "$root/include/" -e "$build/" "$work/prefix"; then
  echo "failed: the files above name the source tree $root" >&2
  exit 1
fi

cp -r "$here/stranger" "$work/stranger"
step cmake -S "$work/stranger" -B "$work/stranger/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
step cmake --build "$work/stranger/build"

# A failure of the program itself, with what it wrote, is worth more than the difference of its output.
status=0
env -u LD_LIBRARY_PATH "$work/stranger/build/stranger" >"$work/output" || status=$?
if [ "$status" != 0 ]; then
  echo "failed: the stranger's program ended with status $status; it printed:" >&2
  cat "$work/output" >&2
  exit 1
fi
diff -u "$here/expected_output" "$work/output"
echo "install: a stranger's project builds and runs"
