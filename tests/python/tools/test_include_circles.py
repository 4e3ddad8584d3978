# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py finds files and folders that include each other in a circle, and holds folders to the numbers that are recorded."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_layers

RECORD = "tools/folder_circles.txt"


def write(root: Path, name: str, text: str = "") -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def includes(root: Path, **of: str) -> None:
    """Folders of src/road, by letter, each with a file that includes the one of each letter given."""
    for by, letters in of.items():
        write(root, f"src/road/{by}/{by}.hpp", "".join(f'#include "road/{letter}/{letter}.hpp"\n' for letter in letters))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Five folders, none in a circle; and no layer is in the way."""
    write(tmp_path, "tools/layers.txt", "base\nroad\n")
    includes(tmp_path, a="b", b="c", c="", d="", e="")
    return tmp_path


def printed(root: Path, capsys: pytest.CaptureFixture[str], status: int, *options: str) -> list[str]:
    assert check_layers.main([*options, str(root)]) == status
    return capsys.readouterr().out.splitlines()


def circle(root: Path, letters: str) -> None:
    """Of one folder to the next, by files that are in no circle themselves."""
    for by, of in zip(letters, letters[1:] + letters[0], strict=True):
        write(root, f"src/road/{by}/{by}.cpp", f'#include "road/{of}/{of}.hpp"\n')


def test_none_is_said(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(tree, capsys, 0) == ["layers: in order; folders in circles: none"]
    assert printed(tree, capsys, 0, "--circles") == ["layers: in order; folders in circles: none"]


@pytest.mark.parametrize(
    ("of", "way"),
    [
        ({"d": "e", "e": "d"}, "src/road/d/d.hpp:1: files include each other in a circle: src/road/d/d.hpp -> src/road/e/e.hpp -> src/road/d/d.hpp"),
        ({"c": "da", "d": "e", "e": ""}, "-> ".join(f"src/road/{each}/{each}.hpp " for each in "abca").rstrip()),
        ({"d": "ed", "e": ""}, "src/road/d/d.hpp:2: includes itself"),
        ({"d": "de", "e": "d"}, "src/road/d/d.hpp -> src/road/e/e.hpp -> src/road/d/d.hpp"),
    ],
)
def test_a_circle_of_files_is_an_error_whatever_is_recorded(tree: Path, capsys: pytest.CaptureFixture[str], of: dict[str, str], way: str) -> None:
    includes(tree, **of)
    write(tree, RECORD, "road: 5\n")
    lines = printed(tree, capsys, 1)
    assert any(line.endswith(way) for line in lines), lines


@pytest.mark.parametrize(
    ("circles", "record", "said"),
    [
        (["abc"], "", "layer road: 3 folders include each other in a circle, where there were no: src/road/a, src/road/b, src/road/c"),
        (["abc"], "road: 2\n", "road: 3 folders include each other in a circle, where there were 2"),
        (["abc", "de"], "road: 3\n", "road: 3 and 2 folders include each other in a circle, where there were 3"),
        (["abc", "de"], "road: 2 2 1\n", "road: 3 and 2 folders include each other in a circle, where there were 2 and 2 and 1"),
        (["abc"], "road: 4\n", "road: 3 folders in a circle, where there were 4: write 'road: 3', so that it stays so"),
        (["ab", "cde"], "road: 5\n", "where there were 5: write 'road: 3 2', so that it stays so"),
        ([], "road: 2\n", "road: no folders in a circle, where there were 2: take its line out"),
        ([], "gone: 2\n", "gone: no folders in a circle, where there were 2: take its line out"),
        (["abc"], "road: 3\nroad 3\n", "tools/folder_circles.txt:2: not of the form 'LAYER: SIZE...'"),
    ],
)
def test_circles_of_folders_are_as_recorded(tree: Path, capsys: pytest.CaptureFixture[str], circles: list[str], record: str, said: str) -> None:
    for letters in circles:
        circle(tree, letters)
    write(tree, RECORD, record)
    (line, summary) = printed(tree, capsys, 1)
    assert line.startswith(f"{RECORD}:")
    assert said in line
    assert summary.startswith("layers: not in order; folders in circles: ")


def test_what_is_recorded_passes_and_is_counted(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    circle(tree, "abc")
    circle(tree, "de")
    write(tree, RECORD, "# by layer\n\nroad: 3 2\n")
    assert printed(tree, capsys, 0) == ["layers: in order; folders in circles: road 5"]


def test_the_list_has_each_pair_of_folders_with_an_include(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    circle(tree, "de")
    includes(tree, a="de", d="c")
    write(tree, "src/road/d/more.cpp", '#include "road/d/d.hpp"\n#include "road/e/e.hpp"\n')
    write(tree, RECORD, "road: 2\n")
    assert printed(tree, capsys, 0, "--circles")[:-1] == [
        "layer road: a circle of 2 folders",
        "  src/road/d -> src/road/e: 2 (first src/road/d/d.cpp:1 e.hpp)",
        "  src/road/e -> src/road/d: 1 (first src/road/e/e.cpp:1 d.hpp)",
    ]


def test_a_folder_within_another_is_one_of_its_own(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "src/road/d/d.cpp", '#include "road/d/deep/inner.hpp"\n')
    write(tree, "src/road/d/deep/inner.hpp", '#include "../d.hpp"\n')
    assert "2 folders include each other in a circle" in printed(tree, capsys, 1)[0]


def test_public_folders_are_apart_from_private_ones_and_hold_their_details(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "include/octavo/road/road.hpp", '#include "octavo/road/detail/parts.hpp"\n')
    write(tree, "include/octavo/road/other.hpp")
    write(tree, "include/octavo/road/detail/parts.hpp", '#include "octavo/road/other.hpp"\n')
    write(tree, "src/road/road.cpp", '#include "road/d/d.hpp"\n#include "octavo/road/road.hpp"\n')
    write(tree, "src/road/d/d.cpp", '#include "octavo/road/road.hpp"\n')
    assert printed(tree, capsys, 0) == ["layers: in order; folders in circles: none"]


def test_a_private_detail_is_a_folder_of_its_own(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tree, "src/road/d/d.cpp", '#include "road/d/detail/inner.hpp"\n')
    write(tree, "src/road/d/detail/inner.hpp", '#include "road/d/d.hpp"\n')
    assert "2 folders include each other in a circle" in printed(tree, capsys, 1)[0]
