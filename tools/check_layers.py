# SPDX-License-Identifier: Apache-2.0
"""Checks who includes whom: a file of one layer may use its own layer and those above it in tools/layers.txt.

python tools/check_layers.py [ROOT]               # prints file:line and the rule broken; status 1 if there is any
python tools/check_layers.py --circles [ROOT]     # and the folders of a layer that include each other in a circle, by which includes

Files at the top (include/octavo/octavo.hpp, src/server.cpp) may use all layers, and no layer may use them.
A public header may not include a private one: it would not compile where only the installed headers are.
The parts of an endpoint (PARTS) do not include the endpoint that owns them.
No files include each other in a circle; folders do, but no more of them than tools/folder_circles.txt says.
Of python/octavo: python_imports.py and tools/python_layers.txt.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import python_imports
from include_circles import Include, changes, file_circles, folder_circles, listing

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(octavo/[^>]+)>)')
PARTS = ("polling", "sending", "calls", "serve", "context", "cycle", "inquiry", "peers")  # folders of src/process
SUFFIXES = {".hpp", ".cpp", ".h", ".ipp"}


class Tree:
    """The layers of one source tree, and where its two halves are."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.public = root / "include" / "octavo"
        self.private = root / "src"
        lines = (root / "tools" / "layers.txt").read_text().splitlines()
        self.layers = [line.split("#")[0].strip() for line in lines if line.split("#")[0].strip()]

    def layer_of(self, path: Path) -> str | None:
        """The folder a file of ours lies in; "" at the top; None outside."""
        for half in (self.public, self.private):
            if path.is_relative_to(half):
                parts = path.relative_to(half).parts
                return parts[0] if len(parts) > 1 else ""
        return None

    def resolve(self, including: Path, name: str) -> Path | None:
        """The file of ours that is meant; by its name alone if it does not exist (yet)."""
        candidates = [including.parent / name, self.root / "include" / name, self.private / name]
        for candidate in candidates:
            if candidate.is_file():
                return candidate.resolve()
        if name.startswith("octavo/"):
            return self.root / "include" / name
        return self.private / name if name.split("/")[0] in self.layers else None


def files_of(tree: Tree) -> list[Path]:
    found = [path for half in (tree.public, tree.private) for path in half.rglob("*")]
    return sorted(path for path in found if path.suffix in SUFFIXES and path.is_file())


def broken_rule(tree: Tree, path: Path, layer: str, name: str) -> str | None:
    target = tree.resolve(path, name)
    used = tree.layer_of(target) if target else None
    if target is None or used is None:
        return None  # not ours: a library's header
    if path.is_relative_to(tree.public) and not target.is_relative_to(tree.public):
        return f'the public header includes the private "{name}"'
    if layer == "":
        return None
    process = tree.private / "process"
    if target == process / "endpoint.hpp" and any(path.is_relative_to(process / part) for part in PARTS):
        return "a part of an endpoint includes the endpoint that owns it"
    if used == "":
        return f'layer {layer} includes "{name}", which stands above all layers'
    if used in tree.layers and tree.layers.index(used) > tree.layers.index(layer):
        return f'layer {layer} includes "{name}": {used} comes after {layer} in tools/layers.txt'
    return None  # a folder that is no layer is reported for itself


def violations(root: Path) -> Iterator[str]:
    tree = Tree(root.resolve())
    unknown = set()
    for path in files_of(tree):
        layer = tree.layer_of(path)
        shown = path.relative_to(tree.root)
        if layer and layer not in tree.layers:
            if (key := shown.parent) not in unknown:
                unknown.add(key)
                yield f"{shown}:1: the folder {layer} is no layer: add it to tools/layers.txt in its place"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if (match := INCLUDE.match(line)) and (rule := broken_rule(tree, path, layer or "", match[1] or match[2])):
                yield f"{shown}:{number}: {rule}"


def includes_of(tree: Tree) -> list[Include]:
    """Those of our own files by each other."""
    found = []
    for path in files_of(tree):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            target = tree.resolve(path, match[1] or match[2]) if (match := INCLUDE.match(line)) else None
            if target and (layer := tree.layer_of(target)) is not None:
                both = layer if layer and tree.layer_of(path) == layer else None
                found.append(Include(path.relative_to(tree.root), number, target.relative_to(tree.root), both))
    return found


def main(arguments: list[str]) -> int:
    options = argparse.ArgumentParser(description="Checks who includes whom.")
    options.add_argument("--circles", action="store_true", help="list the folders that include each other in a circle")
    options.add_argument("root", nargs="?", type=Path, default=Path(__file__).parent.parent)
    given = options.parse_args(arguments)
    tree = Tree(given.root.resolve())
    includes = includes_of(tree)
    circles = folder_circles(includes, tree.layers)
    found = [*violations(tree.root), *file_circles(includes), *changes(tree.root, circles), *python_imports.violations(tree.root)]
    for line in [*found, *(listing(includes, circles) if given.circles else ())]:
        print(line)
    counts = ", ".join(f"{layer} {sum(map(len, each))}" for layer, each in circles.items())
    print(f"layers: {'not ' if found else ''}in order; folders in circles: {counts or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
