#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs an example where everything it leaves behind is seen.
#
#   tests/examples/run.sh PROGRAM EXPECTED_OUTPUT
set -euo pipefail
program=$(realpath "$1") expected=$(realpath "$2")
work=$(mktemp -d "${TMPDIR:-/tmp}/octavo-example.XXXXXX")
export OCTAVO_DELAY_SEED=${OCTAVO_DELAY_SEED:-$((RANDOM + 1))}  # where delays are built in (src/base/delay_point.hpp)
trap 'code=$?; rm -rf "$work"; [ $code = 0 ] || echo "OCTAVO_DELAY_SEED was $OCTAVO_DELAY_SEED" >&2' EXIT
mkdir "$work/tmp" "$work/cwd"

status=0
(cd "$work/cwd" && TMPDIR=$work/tmp OCTAVO_HOME=$work/home OCTAVO_LASTING_SECONDS=1 "$program" >"$work/output" 2>"$work/errors") || status=$?
if [ -e "$work/home/agent.lock" ] && ! flock -w 30 "$work/home/agent.lock" true; then  # held by the lasting agent of objects with names
  echo "failed: the lasting agent that $program began does not end" >&2
  exit 1
fi
if [ "$status" != 0 ] || [ -s "$work/errors" ]; then
  echo "failed: $program ended with status $status; it printed:" >&2
  cat "$work/output" "$work/errors" >&2
  exit 1
fi
diff -u "$expected" "$work/output"
left=$(find "$work/tmp" "$work/cwd" -mindepth 1)$(find "$work/home/state" -type f ! -name lock 2>/dev/null || true)
if [ -n "$left" ]; then
  echo "failed: $program left behind: $left" >&2
  exit 1
fi
