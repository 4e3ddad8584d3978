#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run.sh FIRST SECOND: the same program with version 1 and 2 of its class.
# What the first saved the second converts; what the second saved the first refuses, and leaves as it is.
set -euo pipefail
first=$1 second=$2
OCTAVO_HOME=$(mktemp -d)
export OCTAVO_HOME
trap '"$second" end || true; rm -rf "$OCTAVO_HOME"' EXIT

is() {
  [ "$2" = "$1" ] || { echo "expected: $1"; echo "found:    $2"; exit 1; }
}
states() { sha256sum "$OCTAVO_HOME"/state/* | sort; }

is "0 euros" "$("$first" make)"
is "7 euros" "$("$first" add)"
"$first" end
is "700 cents" "$("$second" show)"
is "1400 cents" "$("$second" add)"
"$second" end

before=$(states)
if said=$("$first" show); then echo "version 1 opened a state of version 2: $said"; exit 1; fi
for part in "ov://account" "written by version 2 of Account" "this program has version 1"; do
  [[ $said == *"$part"* ]] || { echo "'$part' is not in: $said"; exit 1; }
done
"$first" end
is "$before" "$(states)"
is "1400 cents" "$("$second" show)"
