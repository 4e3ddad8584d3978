# SPDX-License-Identifier: Apache-2.0
"""Which library does the one-dimensional transforms, and the licence that it brings."""

from __future__ import annotations

from collections.abc import Iterator

from octavo import _core
from octavo._src.checking.finding import Finding

SECTION = "transforms"
LICENCES = {"FFTW": "GPL, version 2 or later", "KissFFT": "BSD, 3 clauses"}
FASTER = "OCTAVO_FFTW=ON pip wheel . (in a checkout: FFTW is faster, and under the GPL)"


def find() -> Iterator[Finding]:
    """The first that is there is used."""
    kernels = _core.kernel_names()
    used = kernels[0]
    yield Finding(SECTION, "kernel", used, cure="" if "FFTW" in kernels else FASTER)
    yield Finding(SECTION, "licence", LICENCES.get(used, "unknown"))
    yield Finding(SECTION, "in this build", ", ".join(f"{each} ({LICENCES.get(each, 'unknown')})" for each in kernels))
    terms = "under the GPL where it is passed on" if "FFTW" in kernels else "not under the GPL"
    yield Finding(SECTION, "so this build is", terms)
