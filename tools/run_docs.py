# SPDX-License-Identifier: Apache-2.0
"""./dev docs [--prefix DIRECTORY] [FILE...]: runs the examples in README.md, docs/ and the heads of public headers, so that none of them is a lie.

A block of a document is run if the line before it says so (empty lines between do not count):

    <!-- run -->      a ```sh, ```python or ```cpp block that must end well
    <!-- build -->    a ```cpp block that must compile; with a main, link
    <!-- output -->   a block that must equal what the block run last printed

The blocks of one document run in its order, in one temporary folder outside the tree, with .venv/bin first on PATH. --prefix: with the
Python, the commands and the C++ library of another virtual environment, such as one that a wheel was installed into.

The sample at the head of a header is what follows an empty comment line with an indent of three (docs/samples/README.md says in what it is compiled).
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from source_files import ROOT, source_files

HERE = Path(sys.prefix)
LIBRARY = ROOT / "build" / "release" / "src"
MARKED = re.compile(r"^<!-- (?P<mark>run|build|output) -->[ \t]*\n\s*^```(?P<language>\w*)[^\n]*\n(?P<text>.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
PLACE_OF_SAMPLE = re.compile(r"^(?P<indent>[ ]*)// sample(?: (?P<count>\d+))?$", re.MULTILINE)
MARK = re.compile(r"^<!-- (?:run|build|output) -->", re.MULTILINE)


@dataclass
class Block:
    document: Path
    line: int
    mark: str
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.document.name}:{self.line}"


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text()
    found = [Block(document, text.count("\n", 0, match.start()) + 1, match["mark"], match["language"], match["text"]) for match in MARKED.finditer(text)]
    if len(found) != len(MARK.findall(text)):
        raise ValueError(f"{document}: a mark (<!-- run -->, <!-- build -->, <!-- output -->) stands before no block")
    return found


def sample_of(header: Path) -> list[str]:
    """The lines of its head that show how it is used."""
    lines: list[str] = []
    before = ""
    for line in header.read_text().splitlines():
        if not line.startswith("//"):
            break
        if line.startswith("//   ") and (before == "//" or before == "sample"):
            lines.append(line[5:])
            before = "sample"
        else:
            before = line
    return lines


def filled(frame: str, sample: list[str], place: str) -> str:
    left = list(sample)

    def lines(match: re.Match[str]) -> str:
        count = int(match["count"] or len(left))
        taken = [match["indent"] + line for line in left[:count]]
        del left[:count]
        return "\n".join(taken)

    text = PLACE_OF_SAMPLE.sub(lines, frame)
    if left:
        raise ValueError(f"{place}: its file in docs/samples has no place for: {left[0].strip()}")
    return text


def block_of_header(header: Path, root: Path = ROOT) -> Block | None:
    """None: it has no sample, or is one of those that have nothing to compile it in yet."""
    name = header.relative_to(root / "include" / "octavo").with_suffix("")
    frame, sample = (root / "docs" / "samples" / name).with_suffix(".cpp"), sample_of(header)
    without = name.as_posix() in (root / "docs" / "samples" / "without.txt").read_text().split()
    if without and (frame.exists() or not sample):
        raise ValueError(f"{header}: take {name} out of docs/samples/without.txt")
    if without or not sample:
        return None
    if not frame.exists():
        raise ValueError(f"{header}: has a sample, and no docs/samples/{name}.cpp to compile it in")
    text = filled(frame.read_text(), sample, str(header))
    return Block(header, 1, "run" if re.search(r"\bint main\(", text) else "build", "cpp", text)


def cpp_of(prefix: Path) -> tuple[Path, Path]:
    """Headers and library: those of the tree, or what a wheel has put into another environment."""
    if prefix != HERE:
        for package in prefix.glob("lib/python3*/site-packages/octavo"):
            return package / "include", package
    return ROOT / "include", LIBRARY


def commands(block: Block, folder: Path, prefix: Path) -> list[list[str]]:
    """What runs the block, step by step."""
    if block.language in ("sh", "bash", "console"):
        return [["bash", "-euo", "pipefail", "-c", block.text]]
    if block.language == "python":
        return [[str(prefix / "bin" / "python"), "-c", block.text]]
    if block.language != "cpp":
        raise ValueError(f"{block.place}: a block of '{block.language}' cannot be run")
    source = folder / f"block_{block.line}.cpp"
    source.write_text(block.text)
    program = source.with_suffix("")
    include, library = cpp_of(prefix)
    compiler = [os.environ.get("CXX", "g++"), "-std=c++20", "-Wall", "-Wextra", f"-I{include}", str(source)]
    if not re.search(r"\bint main\(", block.text):
        return [[*compiler, "-c", "-o", f"{program}.o"]]
    link = [*compiler, "-o", str(program), f"-L{library}", f"-Wl,-rpath,{library}", "-loctavo", "-pthread"]
    return [link, [str(program)]] if block.mark == "run" else [link]


def run(block: Block, folder: Path, prefix: Path) -> tuple[str, str]:
    """(what it printed, what went wrong)."""
    path = f"{prefix / 'bin'}:{os.environ.get('PATH', '')}"
    environment = {**os.environ, "PATH": path, "OCTAVO_ROOT": str(ROOT)}
    if prefix != HERE:
        environment.pop("PYTHONPATH", None)  # it would bring another octavo
    printed = ""
    for command in commands(block, folder, prefix):
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False)
        printed = result.stdout
        if result.returncode != 0:
            return printed, f"ended with status {result.returncode}\n{result.stdout}{result.stderr}"
    return printed, ""


def remove(folder: Path, patience: float = 10) -> None:
    """With what is in it. A lasting agent that was asked to end may still be writing there: it is done soon."""
    deadline = time.monotonic() + patience
    while True:
        try:
            return shutil.rmtree(folder)
        except OSError:
            if time.monotonic() > deadline:
                raise


def check(document: Path, prefix: Path = HERE) -> tuple[int, int]:
    """(examples that hold, examples that do not)."""
    good = bad = 0
    printed = ""
    folder = Path(tempfile.mkdtemp(prefix="octavo-docs-"))
    try:
        header = block_of_header(document) if document.suffix == ".hpp" else None
        for block in [header] if header else [] if document.suffix == ".hpp" else blocks_of(document):
            if block.mark == "output":
                wrong = "" if block.text == printed else f"printed\n{printed}where the document says\n{block.text}"
            else:
                printed, wrong = run(block, folder, prefix)
            good, bad = (good, bad + 1) if wrong else (good + 1, bad)
            print(f"{block.place}: {block.mark} {block.language}: {'FAILED: ' + wrong if wrong else 'ok'}", flush=True)
    finally:
        remove(folder)
    return good, bad


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="runs the examples in README.md, docs/ and the heads of headers", allow_abbrev=False)
    parser.add_argument("--prefix", type=Path, default=HERE, help="the virtual environment to use (default: this one)")
    parser.add_argument("documents", nargs="*", type=Path, help="the documents (default: README.md, docs/ and public headers)")
    given = parser.parse_args(arguments)
    prefix = given.prefix.absolute()
    documents = [name.resolve() for name in given.documents]
    if not documents:
        documents = [path for path in source_files(ROOT, (".md",)) if path == ROOT / "README.md" or path.is_relative_to(ROOT / "docs")]
        documents += [path for path in source_files(ROOT, (".hpp",)) if path.is_relative_to(ROOT / "include") and "detail" not in path.parts]
    counts = [check(document, prefix) for document in documents]
    good, bad = sum(count[0] for count in counts), sum(count[1] for count in counts)
    print(f"docs: {len(documents)} documents, {good} examples hold, {bad} do not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
