#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A program that must not compile, and what a person reads then: the first error has the text of the file's `// expect:` line, and little
# stands around it. Compiled with -DCONTROL, without its mistake, the same file is good.
#
#   tests/compile_fail/run.sh FILE COMPILER [FLAG...]
set -uo pipefail
export LC_ALL=C LANGUAGE=C
file=$1
shift
most_lines=40
expected=$(sed -n 's|^// expect: ||p' "$file")
if [ -z "$expected" ]; then
  echo "failed: $file has no line '// expect: TEXT'" >&2
  exit 1
fi
if ! output=$("$@" -fsyntax-only -DCONTROL "$file" 2>&1); then
  printf 'failed: without its mistake %s does not compile either:\n%s\n' "$file" "$output" >&2
  exit 1
fi
if output=$("$@" -fsyntax-only "$file" 2>&1); then
  echo "failed: $file compiles" >&2
  exit 1
fi
first=$(grep -m 1 'error:' <<<"$output")
lines=$(wc -l <<<"$output")
errors=$(grep -c 'error:' <<<"$output")
if ! grep -qF -e "$expected" <<<"$first"; then
  printf 'failed: the first error of %s is\n  %s\nand not\n  %s\nof:\n%s\n' "$file" "$first" "$expected" "$output" >&2
  exit 1
fi
if [ "$lines" -gt "$most_lines" ]; then
  printf 'failed: %s lines are more than %s:\n%s\n' "$lines" "$most_lines" "$output" >&2
  exit 1
fi
echo "$errors error(s) in $lines lines; the first: $first"
