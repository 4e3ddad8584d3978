# SPDX-License-Identifier: Apache-2.0
"""Fuzzes one target of tests/fuzz for FUZZ_SECONDS (60): ./dev build fuzz, then .venv/bin/python tools/run_fuzz.py TARGET [OPTION OF LIBFUZZER...]

It begins with tests/fuzz/corpus/TARGET, which it only reads. New inputs worth keeping go to build/fuzz/found/TARGET, and an input that
fails to build/fuzz/crashes. Status 0: nothing was found.
"""

import os
import re
import shutil
import subprocess
import sys

from source_files import ROOT

FUZZ = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
LIMITS = ["-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=256"]
NOISE = re.compile(r"^(INFO: |\tNEW_FUNC|stat::|#{6} )|^\".*\" # Uses: \d+$")


def targets() -> list[str]:
    return sorted(path.stem for path in FUZZ.glob("*.cpp"))


def why_not() -> str | None:
    """Why this machine cannot fuzz; nothing where it can."""
    compiler = shutil.which("clang++")
    if compiler is None:
        return "there is no clang++ (Debian: apt-get install clang libclang-rt-14-dev)"
    program = '#include <cstddef>\nextern "C" int LLVMFuzzerTestOneInput(const unsigned char*, std::size_t) { return 0; }\n'
    command = [compiler, "-fsanitize=fuzzer,address", "-x", "c++", "-", "-o", "/dev/null"]
    tried = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"clang++ cannot link with libFuzzer (Debian: apt-get install libclang-rt-14-dev): {tried.stderr[-300:].strip()}"


def fuzz(target: str, options: list[str]) -> int:
    found, crashes = BUILD / "found" / target, BUILD / "crashes"
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    program = BUILD / "tests" / "fuzz" / f"fuzz_{target}"
    if not program.exists():
        print(f"fuzz {target}: {program.relative_to(ROOT)} was not built: ./dev build fuzz")
        return 2
    words = FUZZ / "words" / f"{target}.dict"
    command = [str(program), *LIMITS, f"-max_total_time={os.environ.get('FUZZ_SECONDS', '60')}"]
    command += ["-verbosity=0", "-print_final_stats=1", f"-artifact_prefix={crashes}/{target}-", *([f"-dict={words}"] if words.exists() else []), *options]
    before = set(crashes.iterdir())
    command += [str(found), str(FUZZ / "corpus" / target)]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    runs = re.search(r"number_of_executed_units: (\d+)", ran.stdout)
    print(f"fuzz {target}: {runs[1] if runs else 'no'} runs, {len(list(found.iterdir()))} inputs in {found.relative_to(ROOT)}")
    if ran.returncode == 0 and runs is not None:
        return 0
    print("\n".join(line for line in ran.stdout.splitlines() if not NOISE.match(line)))
    for path in sorted(set(crashes.iterdir()) - before):
        print(f"fuzz {target}: failed on {path.relative_to(ROOT)}\n  again: {program.relative_to(ROOT)} {path.relative_to(ROOT)}")
        print(f"  once it is mended, keep it as a test: cp {path.relative_to(ROOT)} tests/fuzz/corpus/{target}/")
    return 1


def main(arguments: list[str]) -> int:
    if not arguments or arguments[0] not in targets():
        print(f"{__doc__}\nTargets: {', '.join(targets())}")
        return 2
    return fuzz(arguments[0], arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
