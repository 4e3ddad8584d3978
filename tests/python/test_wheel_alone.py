# SPDX-License-Identifier: Apache-2.0
"""What a wheel of ./dev wheel promises beyond any wheel: it needs nothing on the machine, names how old that may be, and has no GPL part by default."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from wheel_kit import outside, run

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "wheel"))
from bare_root import expected, first_example

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

# Of the system itself: every Linux with glibc has these, and the C++ library is in manylinux's list.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2", "libgcc_s.so.1", "libstdc++.so.6"}
CMAKE_LISTS = """cmake_minimum_required(VERSION 3.24)
project(user LANGUAGES CXX)
find_package(octavo REQUIRED)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE octavo::octavo)
"""


@pytest.fixture(scope="module", autouse=True)
def repaired(wheel: Path) -> None:
    if "manylinux" not in wheel.name:
        pytest.skip("this wheel was made by pip wheel, and not by ./dev wheel")


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    return folder


def binaries(unpacked: Path) -> list[Path]:
    return sorted(path for path in unpacked.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF")


def has_fftw(wheel: Path) -> bool:
    return wheel.parent.name == "fftw"


def test_names_its_tag(wheel: Path, unpacked: Path) -> None:
    match = re.fullmatch(r"octavo-[\w.]+-(cp310-cp310|cp311-cp311|cp312-abi3)-manylinux_2_28_x86_64\.whl", wheel.name)
    assert match, wheel.name
    (facts,) = unpacked.glob("*.dist-info/WHEEL")
    assert [line for line in facts.read_text().splitlines() if line.startswith("Tag: ")] == [f"Tag: {match[1]}-manylinux_2_28_x86_64"]
    assert (unpacked / "octavo" / "_core.abi3.so").exists() == match[1].endswith("abi3")


def test_asks_for_nothing_but_the_system(wheel: Path, unpacked: Path) -> None:
    found = binaries(unpacked)
    fftw = {"liboctavo-fftw"} if has_fftw(wheel) else set()
    assert {path.name.split(".")[0] for path in found} == {"liboctavo", "liboctavo-tls", "liboctavo-codecs", "_core", "octavo-server"} | fftw
    for path in found:
        dynamic = run("readelf", "--dynamic", path, folder=unpacked)
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        assert needed - SYSTEM <= {"liboctavo.so"}, path
        places = ":".join(re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)).split(":")
        assert places[0] == ("" if path.name == "liboctavo.so" else "$ORIGIN"), path
        assert all(place.startswith("$ORIGIN") for place in filter(None, places)), path


def test_is_no_newer_than_its_tag(unpacked: Path) -> None:
    newest = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (7, 0, 0)}
    for path in binaries(unpacked):
        for family, version in set(re.findall(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d[\d.]*)", run("readelf", "--version-info", path, folder=unpacked))):
            assert tuple(map(int, version.split("."))) <= newest[family], f"{path.name}: {family}_{version}"


def test_leaves_nothing_to_be_found_by_chance(unpacked: Path) -> None:
    """What it asks for and has no version is Python's, or liboctavo's: no newer function that merely was not there when it was linked."""
    ours = set(run("nm", "--dynamic", "--defined-only", "--format=just-symbols", unpacked / "octavo" / "liboctavo.so", folder=unpacked).split())
    for path in binaries(unpacked):
        asked = re.findall(r"^ +U (\S+)$", run("nm", "--dynamic", "--undefined-only", path, folder=unpacked), re.MULTILINE)
        assert [name for name in asked if "@" not in name and name not in ours and not re.match("_?Py", name)] == [], path


def test_shows_no_names_of_what_is_linked_into_it(unpacked: Path) -> None:
    """Another SQLite, OpenSSL or libstdc++ in the same process is not mixed with ours."""
    for path in binaries(unpacked):
        shown = run("nm", "--dynamic", "--defined-only", path, folder=unpacked).split()
        foreign = [
            name
            for name in shown
            if re.match(r"sqlite3_|io_uring_|SSL_|EVP_|fftwf?_|_ZNSt10filesystem(9file_size|9canonical|10remove_all)|gettid$|str?error", name)
        ]
        assert foreign == [], path


def test_has_no_part_under_the_gpl_unless_asked_for(wheel: Path, unpacked: Path, installed: Path, tmp_path: Path) -> None:
    kernel, terms = run(installed / "bin" / "octavo", "--version", folder=tmp_path).splitlines()[1].split(": ")
    text = b"".join(path.read_bytes() for path in binaries(unpacked))
    assert (kernel == "transforms by FFTW") == has_fftw(wheel) == (b"fftw_execute" in text or b"fftw-3" in text.lower())
    assert ("nothing here is under the GPL" in terms) != has_fftw(wheel)


def test_has_the_notices_of_what_is_in_it(unpacked: Path) -> None:
    notices = {path.stem: path.read_text() for path in unpacked.glob("*.dist-info/licenses/*.txt")}
    assert {"OpenSSL", "SQLite", "liburing", "cereal", "nlohmann-json", "xxHash", "KissFFT", "libstdc++"} <= set(notices)
    assert all("icense" in text or "ublic" in text for text in notices.values())


def test_transforms_a_file(installed: Path, tmp_path: Path) -> None:
    field = np.random.default_rng(5).random((24, 20, 16)).astype("complex128")
    np.save(tmp_path / "a.npy", field)
    run(installed / "bin" / "octavo", "fft", "a.npy", "b.npy", "--memory", "16MiB", "--quiet", folder=tmp_path)
    np.testing.assert_allclose(np.load(tmp_path / "b.npy"), np.fft.fftn(field), rtol=0, atol=1e-9)


def test_the_first_example_runs(root: Path, installed: Path, tmp_path: Path) -> None:
    example = first_example(root / "README.md")
    assert run(installed / "bin" / "python", "-c", example, folder=tmp_path).splitlines() == expected(example)


def test_loads_openssl_of_its_own(installed: Path, tmp_path: Path) -> None:
    code = """
import ctypes, pathlib, octavo
folder = pathlib.Path(octavo.__file__).parent
ctypes.CDLL(folder / "liboctavo-tls.so")
print([line.split()[-1] for line in open("/proc/self/maps") if "libssl" in line or "libcrypto" in line])
"""
    assert run(installed / "bin" / "python", "-c", code, folder=tmp_path) == "[]\n"


def test_cpp_finds_it(root: Path, installed: Path, tmp_path: Path) -> None:
    """README's program, compiled with what the wheel holds: also cereal is the wheel's own."""
    program = re.search(r"^```cpp\n(.*?)^```$", (root / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    assert program is not None
    (tmp_path / "main.cpp").write_text(program[1])
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_LISTS)
    folder = run(installed / "bin" / "octavo", "--cmake-dir", folder=tmp_path).strip()
    assert Path(folder).is_relative_to(installed)
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", ".", "-B", "build", *generator, f"-Doctavo_DIR={folder}", "-DCMAKE_CXX_FLAGS=-H", folder=tmp_path)
    built = subprocess.run(["cmake", "--build", "build"], cwd=tmp_path, env=outside(), capture_output=True, text=True, timeout=600, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    assert f"{installed}/" in "".join(line for line in (built.stdout + built.stderr).splitlines() if line.endswith("cereal/cereal.hpp"))
    assert run(tmp_path / "build" / "user", folder=tmp_path) == "7 after 5\n"
