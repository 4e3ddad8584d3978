# SPDX-License-Identifier: Apache-2.0
"""The wheel, as a user has it: built from the tree, installed into a new environment, used where the tree is not.

Takes minutes the first time (it compiles the library). OCTAVO_TEST_WHEEL=FILE tests a wheel that is there already, OCTAVO_TEST_WHEEL_PYTHON with
another Python: so ./dev wheel tests each that it made. What only those promise (old machines, no packages) is in test_wheel_alone.py.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from wheel_kit import outside, run

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    """The files in it."""
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def test_holds_every_file_of_the_package(root: Path, names: set[str]) -> None:
    package = root / "python" / "octavo"
    wanted = {f"octavo/{path.relative_to(package)}" for path in package.rglob("*") if path.suffix in (".py", ".pyi") or path.name == "py.typed"}
    assert {"octavo/py.typed", "octavo/_core.pyi", "octavo/_src/store_server.py", "octavo/_src/stores/contract.py"} <= wanted
    assert wanted - names == set()


def test_holds_the_library_its_server_and_what_cpp_needs(names: set[str]) -> None:
    assert {"octavo/liboctavo.so", "octavo/liboctavo-tls.so", "octavo/liboctavo-codecs.so", "octavo/octavo-server"} <= names
    assert any(re.fullmatch(r"octavo/_core\.[\w.-]+\.so", name) for name in names)
    assert {name.split("/")[0] for name in names if not name.split("/")[0].endswith(".dist-info")} == {"octavo"}
    assert {"octavo/include/octavo/octavo.hpp", "octavo/include/cereal/cereal.hpp", "octavo/cmake/octavo-config.cmake"} <= names
    assert [name for name in names if "__pycache__" in name or name.endswith(".cpp")] == []
    beside = [name for name in names if name.endswith((".hpp", ".cmake")) and not name.startswith(("octavo/include/", "octavo/cmake/"))]
    assert beside == []


def test_says_what_it_is_and_needs(root: Path, wheel: Path, names: set[str]) -> None:
    (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
    with zipfile.ZipFile(wheel) as opened:
        told = Parser().parsestr(opened.read(metadata).decode())
    package_version = re.search(r'__version__ = "(.*)"', (root / "python/octavo/__init__.py").read_text())
    assert package_version is not None
    assert (told["Name"], told["Version"], told["Requires-Python"]) == ("octavo", package_version[1], ">=3.10")
    assert set(told.get_all("Provides-Extra") or []) == {"hdf5", "plot"}
    needs = {re.split(r"[^\w-]", each)[0] for each in told.get_all("Requires-Dist") or [] if "extra ==" not in each}
    assert needs == {"cloudpickle", "numpy", "rich", "typer", "zarr"}


def test_importing_starts_nothing(installed: Path, tmp_path: Path) -> None:
    code = """
import json, os, sys
import octavo
print(json.dumps({"file": octavo.__file__, "threads": len(os.listdir("/proc/self/task")), "heavy": sorted({"numpy", "zarr", "h5py"} & set(sys.modules)),
                  "children": open(f"/proc/self/task/{os.getpid()}/children").read()}))
"""
    found = json.loads(run(installed / "bin" / "python", "-c", code, folder=tmp_path))
    assert Path(found["file"]).is_relative_to(installed)
    assert (found["threads"], found["heavy"], found["children"]) == (1, [], "")


def test_loads_its_own_library(installed: Path, tmp_path: Path) -> None:
    code = "from octavo import _core; print(open('/proc/self/maps').read())"
    mapped = {Path(each) for each in re.findall(r"/\S*\.so\b\S*", run(installed / "bin" / "python", "-c", code, folder=tmp_path))}
    ours = {each for each in mapped if each.name.split(".")[0] in ("liboctavo", "_core")}
    assert len(ours) == 2
    assert all(each.is_relative_to(installed) for each in ours)


def test_command_line(installed: Path, tmp_path: Path) -> None:
    command = installed / "bin" / "octavo"
    told = run(command, "--help", folder=tmp_path)
    assert all(name in told for name in ("fft", "ifft", "copy", "info"))
    run(installed / "bin" / "python", "-c", "import numpy; numpy.save('a.npy', numpy.ones((8, 4)))", folder=tmp_path)
    assert run(command, "info", "a.npy", folder=tmp_path) == "a.npy: npy, 8 x 4 float64, 256 B\n"


def test_is_typed(installed: Path, tmp_path: Path) -> None:
    """mypy finds the types of what is installed, and they are those of the source."""
    program = tmp_path / "program.py"
    program.write_text("import octavo\nreveal_type(octavo.open_array('a.npy').shape)\nocto: str = octavo.fft.fftn('a.npy', out='b.npy')\n")
    mypy = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--python-executable",
        str(installed / "bin" / "python"),
        "--cache-dir",
        str(tmp_path / "cache"),
        str(program),
    ]
    result = subprocess.run(mypy, cwd=tmp_path, env=outside(), capture_output=True, text=True, timeout=300, check=False)
    if "No module named mypy" in result.stderr:
        pytest.skip("mypy is not installed: ./dev lint does")
    assert "tuple[int, ...]" in result.stdout or "tuple[builtins.int, ...]" in result.stdout, result.stdout
    assert 'has type "Array"' in result.stdout, result.stdout
    assert "Found 1 error" in result.stdout, result.stdout


def test_the_tutorial_holds_for_it(root: Path, installed: Path, tmp_path: Path) -> None:
    if run(installed / "bin" / "python", "-c", "import sys; print(sys.version_info < (3, 11))", folder=tmp_path) == "True\n":
        pytest.skip("zarr, which the tutorial uses, asks for Python 3.11")
    run(installed / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "xarray", "h5netcdf", folder=tmp_path)  # it shows that, too
    told = run(sys.executable, root / "tools" / "run_docs.py", "--prefix", installed, root / "docs" / "tutorial.md", folder=tmp_path, seconds=900)
    assert " 0 do not" in told
    assert told.count(": ok") >= 10
