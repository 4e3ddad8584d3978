# SPDX-License-Identifier: Apache-2.0
"""What g++ links with so that the result runs on machines older than this one: glibc 2.28 and GLIBCXX_3.4.24, which is manylinux_2_28.

make(folder) fills the folder with
- glibc's libraries as stubs, with the names and versions of 2.28, and its start files: made by zig, whose wheel holds the lists;
- libstdc++.so.6 as a stub: the names of this machine's, without those of a newer version than the policy allows (a version never gains names, so
  what is left is what the old library has);
- libstdc++_newer.a: what is newer and needed, from the compiler's own libstdc++.a. Its headers are ahead of the old library; the new parts go into
  our libraries, as Red Hat's gcc-toolset does it for the manylinux images;
- libc_newer.a: what is newer in glibc (newer_glibc.c).
libc.so and libstdc++.so are linker scripts that look into the stub first.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
GLIBC = "2.28"
# The newest that auditwheel's policy for manylinux_2_28 allows, and those it allows beside them.
NEWEST = {"GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11)}
# Without state of their own: a second copy of them beside the old library's does no harm.
NEWER_PARTS = (
    *("fs_path", "fs_ops", "fs_dir", "floating_from_chars", "floating_to_chars", "sstream-inst", "lt5-sstream-inst"),
    *("condition_variable", "memory_resource"),
)
SECTIONS = {"OBJECT": (".bss", "object"), "TLS": ('.tbss,"awT",@nobits', "tls_object")}
STUBS = {"libm.so.6": "libm.so", "libpthread.so.0": "libpthread.so", "libdl.so.2": "libdl.so", "librt.so.1": "librt.so", "libresolv.so.2": "libresolv.so"}


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    result = subprocess.run([str(part) for part in command], cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise SystemExit(f"wheel: {' '.join(str(part) for part in command)}\n{result.stdout}{result.stderr}")
    return result.stdout


def glibc_stubs(folder: Path) -> None:
    """zig makes them in its cache, for a program that links with all of them; they are found there by their names."""
    cache, source = folder / "zig-cache", folder / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    libraries = ["-lm", "-lpthread", "-ldl", "-lrt", "-lresolv"]
    caches = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    run(sys.executable, "-m", "ziglang", "cc", "-target", f"x86_64-linux-gnu.{GLIBC}", "-pie", source, "-o", folder / "empty", *libraries, cwd=folder, **caches)
    for name in ("libc.so.6", "libld.so.2", "libc_nonshared.a", "Scrt1.o", *STUBS):
        found = [path for path in cache.rglob(name) if path.stat().st_size > 0]
        if len(found) != 1:
            raise SystemExit(f"wheel: zig made {len(found)} files {name}, and not one. Another version of ziglang than was tried?")
        shutil.copy(found[0], folder / name)
    for name, link in STUBS.items():
        (folder / link).symlink_to(name)
    shutil.rmtree(cache)


def old_enough(version: str) -> bool:
    family, _, numbers = version.partition("_")
    if family not in NEWEST or not re.fullmatch(r"[\d.]+", numbers):
        return version in ("CXXABI_FLOAT128", "CXXABI_TM_1")
    return tuple(int(part) for part in numbers.split(".")) <= NEWEST[family]


def exported(library: Path) -> Iterator[tuple[str, str, str, int]]:
    """Name, version, type and size of each symbol that one can link with (name@@version)."""
    line = re.compile(r"\s*\d+:\s+[0-9a-f]+\s+(\w+)\s+(FUNC|OBJECT|IFUNC|TLS|NOTYPE)\s+\w+\s+DEFAULT\s+\d+\s+(\S+?)@@(\S+)")
    for text in run("readelf", "--dyn-syms", "--wide", library).splitlines():
        if match := line.match(text):
            yield match[3], match[4], match[2], int(match[1], 0)


def libstdcxx_stub(folder: Path, library: Path) -> None:
    """Sizes and types matter: a program may keep its own copy of an object (std::cout)."""
    versions: dict[str, list[str]] = {}
    assembly = []
    for name, version, kind, size in exported(library):
        if not old_enough(version):
            continue
        versions.setdefault(version, []).append(name)
        section, word = SECTIONS.get(kind, (".text", "function"))
        space = 1 if word == "function" else max(size, 1)
        assembly.append(f".section {section}\n.balign 32\n.globl {name}\n.type {name}, @{word}\n.size {name}, {size}\n{name}: .zero {space}\n")
    (folder / "stub.s").write_text("".join(assembly) + '.section .note.GNU-stack,"",@progbits\n')
    (folder / "stub.map").write_text("".join(f"{version} {{ global: {'; '.join(names)}; }};\n" for version, names in sorted(versions.items())))
    stub = ["-shared", "-nostdlib", "-Wl,-soname,libstdc++.so.6", f"-Wl,--version-script,{folder / 'stub.map'}"]
    run("g++", *stub, folder / "stub.s", "-o", folder / "libstdc++.so.6")


def newer_parts(folder: Path) -> None:
    archive = Path(run("g++", "-print-file-name=libstdc++.a").strip())
    names = [f"{name}.o" for name in NEWER_PARTS if f"{name}.o" in run("ar", "t", archive).split()]
    run("ar", "x", archive, *names, cwd=folder)
    hidden = ["-O2", "-fPIC", "-fvisibility=hidden", "-ffunction-sections", "-c"]
    run("g++", "-std=c++20", *hidden, HERE / "newer_libstdcxx.cpp", "-o", folder / "newer_libstdcxx.o")
    run("gcc", *hidden, HERE / "newer_glibc.c", "-o", folder / "newer_glibc.o")
    run("ar", "rcs", "libstdc++_newer.a", *names, "newer_libstdcxx.o", cwd=folder)
    run("ar", "rcs", "libc_newer.a", "newer_glibc.o", cwd=folder)
    for name in names:
        (folder / name).unlink()


def make(folder: Path) -> None:
    """Takes half a minute, most of it zig's."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    glibc_stubs(folder)
    libstdcxx_stub(folder, Path(run("g++", "-print-file-name=libstdc++.so").strip()).resolve())
    newer_parts(folder)
    both = "libc.so.6 libc_nonshared.a libc_newer.a AS_NEEDED ( libdl.so.2 libld.so.2 )"
    (folder / "libc.so").write_text(f"GROUP ( {both} )\n")
    (folder / "libstdc++.so").write_text("GROUP ( libstdc++.so.6 libstdc++_newer.a )\n")


if __name__ == "__main__":
    make(Path(sys.argv[1]).resolve())
