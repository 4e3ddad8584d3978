# SPDX-License-Identifier: Apache-2.0
"""A measured volume: the fMRI scan inside nibabel's wheel (2 volumes of 24 slices), transformed and compared with SciPy."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import octavo

AXES = (1, 2, 3)  # space; each of the two volumes by itself


class Missing(Exception):
    """A package that the comparison needs is not installed; its name."""


@dataclass
class Compared:
    source: octavo.Source
    result: octavo.Source
    memory: int
    report: octavo.fft.Report
    error: float  # largest, relative to the largest element


def save_volume(folder: Path) -> Path:
    """The scan as an .npy file of its own integers, axes (time, z, y, x)."""
    try:
        import nibabel
    except ImportError:
        raise Missing("nibabel") from None
    image: Any = nibabel.load(Path(nibabel.__file__).parent / "tests" / "data" / "example4d.nii.gz")
    path = folder / "mri.npy"
    np.save(path, np.ascontiguousarray(np.asarray(image.dataobj).T))  # NIfTI counts x first
    return path


def plan(source: Path, target: Path, memory: int) -> tuple[octavo.fft.Job, int]:
    """A job within the memory, or within the least that the refusal says would do; and that memory."""
    try:
        return octavo.fft.Job(source, target, axes=AXES, memory=memory), memory
    except octavo.Refused as refused:
        least = re.search(r"the least that would do is (\d+) bytes", str(refused))
        if least is None or int(least[1]) <= memory:
            raise
        return octavo.fft.Job(source, target, axes=AXES, memory=int(least[1])), int(least[1])


def compare(folder: Path) -> Compared:
    """Transforms the scan within an eighth of its size, or the least that will do, and compares all with scipy.fft."""
    source, target = save_volume(folder), folder / "mri-spectrum.npy"
    try:
        import scipy.fft
    except ImportError:
        raise Missing("scipy") from None
    found = octavo.info(source)
    job, memory = plan(source, target, found.nbytes // 8)
    report = job.run()
    want = scipy.fft.fftn(np.load(source), axes=AXES)
    error = float(np.abs(np.load(target) - want).max() / np.abs(want).max())
    return Compared(found, octavo.info(target), memory, report, error)
