# SPDX-License-Identifier: Apache-2.0
"""The tools behind ./dev: each finds what it is there to find, and is silent where nothing is wrong."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_format
import check_layers
import check_sizes
import requirements
import run_docs
import run_tests
import source_files


def write(root: Path, name: str, text: str = "") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Four layers, all in order; a feature uses the endpoint, its parts do not."""
    write(tmp_path, "tools/layers.txt", "# lowest first\nbase\nroad\nprocess\nfft  # uses both\n")
    write(tmp_path, "include/octavo/base/error.hpp", "#include <string>\n")
    write(tmp_path, "include/octavo/road/ring.hpp", '#include "octavo/base/error.hpp"\n')
    write(tmp_path, "include/octavo/octavo.hpp", "#include <octavo/road/ring.hpp>\n")
    write(tmp_path, "src/base/error.cpp", '#include "octavo/base/error.hpp"\n')
    write(tmp_path, "src/road/inner.hpp", "#include <vector>\n")
    write(tmp_path, "src/process/endpoint.hpp", '#include "process/serve/queue.hpp"\n')
    write(tmp_path, "src/process/serve/queue.hpp", "#include <deque>\n")
    write(tmp_path, "src/process/locks/lock.cpp", '#include "process/endpoint.hpp"\n')
    write(tmp_path, "src/fft/plan.cpp", '#include "octavo/road/ring.hpp"\n#include "road/inner.hpp"\n#include <cereal/cereal.hpp>\n')
    write(tmp_path, "src/server.cpp", '#include "octavo/octavo.hpp"\n#include "road/inner.hpp"\n')
    return tmp_path


def test_layers_in_order_pass(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_layers.main([str(tree)]) == 0
    assert capsys.readouterr().out == "layers: in order; folders in circles: none\n"


@pytest.mark.parametrize(
    ("name", "include", "complaint"),
    [
        ("src/base/log.cpp", '#include "octavo/road/ring.hpp"', 'layer base includes "octavo/road/ring.hpp": road comes after base'),
        ("src/base/log.cpp", "#  include <octavo/road/ring.hpp>", "road comes after base"),
        ("src/base/log.cpp", '#include "road/inner.hpp"', "road comes after base"),
        ("src/base/log.cpp", '#include "../road/inner.hpp"', "road comes after base"),
        ("src/base/log.cpp", '#include "octavo/fft/not_yet.hpp"', "fft comes after base"),
        ("src/base/deep/er/log.cpp", '#include "road/inner.hpp"', "road comes after base"),
        ("include/octavo/base/log.hpp", '#include "octavo/road/ring.hpp"', "road comes after base"),
        ("include/octavo/road/log.hpp", '#include "road/inner.hpp"', 'the public header includes the private "road/inner.hpp"'),
        ("src/road/log.cpp", '#include "octavo/octavo.hpp"', "stands above all layers"),
        ("src/odd/log.cpp", "", "the folder odd is no layer"),
        ("src/process/serve/deep/log.cpp", '#include "process/endpoint.hpp"', "a part of an endpoint includes the endpoint that owns it"),
        ("src/process/polling/log.hpp", '#include "../endpoint.hpp"', "a part of an endpoint includes the endpoint that owns it"),
    ],
)
def test_broken_layer_is_found_with_its_line(tree: Path, capsys: pytest.CaptureFixture[str], name: str, include: str, complaint: str) -> None:
    write(tree, name, f"{include}\n" if not include else f"// first line\n{include}\n")
    assert check_layers.main([str(tree)]) == 1
    (line, _) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{name}:{2 if include else 1}: ")
    assert complaint in line


def test_sizes_within_bounds_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "a.cpp", "void f() {\n" + "  g();\n" * 58 + "}\n" + "namespace n {\n" + "int x;\n" * 100 + "}\n")
    write(tmp_path, "LICENSE", "text\n" * 500)
    assert check_sizes.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "sizes: within bounds\n"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("a.cpp", "int x;\n" * 401, "a.cpp:1: 401 lines; a file has at most 400"),
        ("a.cpp", "int x;\n\nvoid f(int) {\n" + "  g();\n" * 59 + "}\n", "a.cpp:3: 61 lines in 'void f(int)'"),
        ("a.hpp", "class A {\n  // {\n  A() : x_(1) {\n" + '    if (x_) { g("}"); }\n' * 60 + "  }\n  int x_;\n};\n", "a.hpp:3: 62 lines"),
        ("a.hpp", "namespace n {\ntemplate <class T>\n  requires C<T>\nauto f(T) {\n" + "  g('{', 1'000);\n" * 70 + "}\n}\n", "a.hpp:2: "),
        ("a.py", "def f():\n" + "    g()\n" * 60, "a.py:1: 61 lines in 'f'"),
    ],
)
def test_too_large_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, complaint: str) -> None:
    write(tmp_path, name, text)
    assert check_sizes.main([str(tmp_path)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(complaint)


def test_crowded_folder_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(21):
        write(tmp_path, f"src/{number}.txt")
    assert check_sizes.main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "src/: 21 files; a folder has at most 20\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("// Who must not wait does not read.\n", ["1: 'Who'"]),
        ("int a;  // of one thread. Whoever has it writes\n", ["1: 'Whoever'"]),
        ("int a;\n// Before the object ends: its caller, and who asked,\n// hear of it.\n", ["2: 'and who'"]),
        ("// It is told to the process and\n// who asked.\n", ["2: 'and who'"]),
        ("// The reader sleeps; he is woken.\nint b;  // his\n", ["1: 'he'", "2: 'his'"]),
        ("// It is given to\nint b;  // who\n", ["2: 'who'"]),
        ("// The agent knows who reads: the thread who asked, those who did; https://x.org/who\n", []),
        ('throw error("and who asked");  // the history, there, then\n', []),
    ],
)
def test_a_comment_without_a_subject_is_found(tmp_path: Path, text: str, found: list[str]) -> None:
    write(tmp_path, "src/base/log.cpp", text)
    write(tmp_path, "tests/unit/log_test.cpp", text)
    assert list(check_format.headless(tmp_path)) == [
        f"src/base/log.cpp:{each} in a comment has no noun: say which thread, process, object or program" for each in found
    ]


def test_what_passed_is_looked_at_again_only_when_it_or_what_it_includes_changed(tmp_path: Path) -> None:
    header = write(tmp_path, "include/octavo/base/a.hpp", "int a;\n")
    source = write(tmp_path, "src/base/a.cpp", '#include "octavo/base/a.hpp"\n')

    def passed() -> source_files.PassedBefore:
        source_files._includes_of.cache_clear()
        return source_files.PassedBefore(tmp_path, "tidy", "settings")

    assert not passed().has(source)
    passed().add(source)
    assert passed().has(source)
    assert not source_files.PassedBefore(tmp_path, "tidy", "other settings").has(source)
    assert not passed().has(source, ["another command"])
    header.write_text("int b;\n")
    assert not passed().has(source)


def test_products_of_a_build_are_not_sources(tmp_path: Path) -> None:
    for name in ("build/a.cpp", ".venv/b.cpp", "src/c.cpp"):
        write(tmp_path, name)
    assert source_files.source_files(tmp_path, (".cpp",)) == [tmp_path / "src/c.cpp"]


def test_totals_tell_a_skipped_test_from_one_that_could_not_run() -> None:
    report = """<testsuite>
      <testcase name="a" status="run"/>
      <testcase name="b" classname="b" status="fail"><failure message=""/><system-out>1
2 is wrong
</system-out></testcase>
      <testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
      <testcase name="d" status="notrun"><skipped message="Unable to find executable"/></testcase>
      <testcase name="e" status="disabled"><skipped message="Disabled"/></testcase>
    </testsuite>"""
    found = run_tests.count_report(report)
    assert (str(found), found.names) == ("1 passed, 2 failed, 2 skipped", ["b\n    1\n    2 is wrong", "d"])
    pytests = '<testsuites><testsuite><testcase name="a"/><testcase classname="x.y" name="b"><error>it</error></testcase></testsuite></testsuites>'
    found = run_tests.count_report(pytests)
    assert (str(found), found.names) == ("1 passed, 1 failed", ["x.y b\n    it"])


def test_a_step_that_fails_without_a_report_is_a_failure() -> None:
    broken = run_tests.run(run_tests.Step("broken", ["false"]))
    assert (broken.failed, broken.names) == (1, ["broken"])
    assert str(run_tests.run(run_tests.Step("fine", ["true"]))) == "0 passed, 0 failed"


def test_steps_beside_each_other_run_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Each waits for the other's file. What they print is not mixed, and each has its own result."""
    monkeypatch.setattr(run_tests, "REPORTS", tmp_path)
    script = "touch {0}; for i in $(seq 3000); do if [ -e {1} ]; then echo {0} is there; exit {2}; fi; sleep 0.01; done; exit 9"
    first, second = (["sh", "-c", script.format(tmp_path / ours, tmp_path / theirs, status)] for ours, theirs, status in (("a", "b", 0), ("b", "a", 3)))
    steps = [run_tests.Step("one", first, one_test=True, beside="pair"), run_tests.Step("two more", second, beside="pair")]
    (fine, _), (broken, line) = run_tests.run_beside(steps)
    assert (str(fine), str(broken), broken.names) == ("1 passed, 0 failed", "0 passed, 1 failed", ["two more"])
    assert line.endswith("two more: 0 passed, 1 failed")
    assert (tmp_path / "two-more.log").read_text() == f"{tmp_path / 'b'} is there\n"
    said = capfd.readouterr().out
    assert said.index("the output of two more") < said.index(f"{tmp_path / 'b'} is there")


def test_a_step_runs_after_another_that_succeeded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_tests, "REPORTS", tmp_path)
    there = tmp_path / "there"
    makes, looks = ["sh", "-c", f"sleep 0.2; touch {there}"], ["sh", "-c", f"[ -e {there} ]"]
    found = run_tests.run_beside(
        [run_tests.Step("make", makes, one_test=True, beside="pair"), run_tests.Step("look", looks, one_test=True, beside="pair", after="make")]
    )
    assert [str(totals) for totals, _ in found] == ["1 passed, 0 failed"] * 2
    found = run_tests.run_beside([run_tests.Step("make", ["false"], beside="pair"), run_tests.Step("look", looks, one_test=True, beside="pair", after="make")])
    assert [(str(totals), totals.names) for totals, _ in found] == [("0 passed, 1 failed", ["make"]), ("0 passed, 0 failed", [])]
    assert "look: make failed" in found[1][1]


def test_requirements_are_those_of_the_groups() -> None:
    text = '[build-system]\nrequires = ["b"]\n[project]\ndependencies = ["d"]\n[dependency-groups]\ntest = ["t"]\nlint = ["l"]\n'
    assert requirements.requirements(text, ["run", "lint"]) == ["b", "d", "l"]


DOCUMENT = """# Title
<!-- run -->
```sh
echo one > file; cat file
```
<!-- output -->

```
one
```
```sh
false
```
<!-- build -->
```cpp
int answer() { return 42; }
```
"""


def test_marked_examples_run_and_others_do_not(tmp_path: Path) -> None:
    assert run_docs.check(write(tmp_path, "a.md", DOCUMENT)) == (3, 0)


@pytest.mark.parametrize(("right", "wrong"), [("cat file", "cat fill"), ("one\n```", "two\n```"), ("return 42", "return x")])
def test_a_wrong_example_is_found(tmp_path: Path, right: str, wrong: str) -> None:
    assert run_docs.check(write(tmp_path, "a.md", DOCUMENT.replace(right, wrong)))[1] >= 1


HEADER = """// SPDX-License-Identifier: Apache-2.0
// What it is for.
//
//   int two = add(1, 1);
//   return two;
//
// A-1 A clause
//     that goes on.
#pragma once
//   no sample
int add(int, int);
"""


def with_header(root: Path, frame: str | None, without: str = "") -> Path:
    write(root, "docs/samples/without.txt", without)
    if frame is not None:
        write(root, "docs/samples/math/add.cpp", frame)
    return write(root, "include/octavo/math/add.hpp", HEADER)


def test_the_sample_of_a_header_is_compiled_in_its_file(tmp_path: Path) -> None:
    block = run_docs.block_of_header(with_header(tmp_path, "int main() {\n  // sample 1\n  two += 0;\n  // sample\n}\n"), tmp_path)
    assert block is not None
    assert (block.mark, block.text) == ("run", "int main() {\n  int two = add(1, 1);\n  two += 0;\n  return two;\n}\n")
    block = run_docs.block_of_header(with_header(tmp_path, "int two() {\n// sample\n}\n"), tmp_path)
    assert block is not None
    assert block.mark == "build"


@pytest.mark.parametrize(
    ("frame", "without", "text"),
    [(None, "", "no docs/samples/math/add.cpp"), ("// sample 1\n", "", "no place for: return two;"), ("// sample\n", "math/add\n", "take math/add out")],
)
def test_a_sample_that_nothing_compiles_is_an_error(tmp_path: Path, frame: str | None, without: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        run_docs.block_of_header(with_header(tmp_path, frame, without), tmp_path)


def test_a_sample_may_be_left_out_by_name(tmp_path: Path) -> None:
    assert run_docs.block_of_header(with_header(tmp_path, None, "math/add\n"), tmp_path) is None


def test_a_mark_before_no_block_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stands before no block"):
        run_docs.check(write(tmp_path, "a.md", "<!-- run -->\nno block\n"))
