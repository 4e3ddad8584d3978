# SPDX-License-Identifier: Apache-2.0
"""A measured volume: the fMRI scan inside nibabel's wheel (2 volumes of 24 slices), transformed and compared with SciPy.

A NIfTI file is a header and then the elements, so Octavo reads it as it is: a raw file with an offset.
"""

import gzip
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import octavo as ov
from blocks import ACCESS, Array

SCAN = "example4d.nii.gz"
AXES = (-3, -2, -1)  # space; each volume by itself


class Missing(Exception):
    """A package that the comparison needs is not installed; its name."""


@dataclass
class Volume:
    """Where the elements lie in an uncompressed .nii file. NIfTI counts x first and in Fortran order: in C order the shape is reversed."""

    path: Path
    shape: tuple[int, ...]
    dtype: str
    offset: int
    big_endian: bool
    elements: Array  # as nibabel reads them, with this shape


@dataclass
class Compared:
    volume: Volume
    result: ov.source.Source
    memory: int
    report: ov.job.Report
    error: float  # of the .npy file's transform: the largest, relative to the largest element
    raw_error: float  # of the .nii file's


def volume(folder: Path, name: str = SCAN) -> Volume:
    """One of nibabel's own files, decompressed into the folder."""
    try:
        import nibabel
    except ImportError:
        raise Missing("nibabel") from None
    packed, path = Path(nibabel.__file__).parent / "tests" / "data" / name, folder / "mri.nii"
    with gzip.open(packed) if packed.suffix == ".gz" else packed.open("rb") as source, path.open("wb") as target:
        shutil.copyfileobj(source, target)
    image: Any = nibabel.load(path)
    stored, proxy = image.header.get_data_dtype(), image.dataobj
    return Volume(path, image.shape[::-1], stored.name, proxy.offset, image.header.endianness == ">", np.asarray(proxy.get_unscaled()).T)


def plan(source: Path, target: Path, memory: int) -> tuple[ov.Job, int]:
    """A job within the memory, or within the least that the refusal says would do; and that memory."""
    try:
        return ov.Job(source, target, axes=AXES, memory=memory), memory
    except ov.Refused as refused:
        least = re.search(r"the least that would do is (\d+) bytes", str(refused))
        if least is None or int(least[1]) <= memory:
            raise
        return ov.Job(source, target, axes=AXES, memory=int(least[1])), int(least[1])


def compare(folder: Path, name: str = SCAN) -> Compared:
    """Transforms the scan from its .nii file, and from an .npy file within an eighth of its size or the least that will do: all against scipy.fft."""
    scan = volume(folder, name)
    try:
        import scipy.fft
    except ImportError:
        raise Missing("scipy") from None
    want = scipy.fft.fftn(scan.elements, axes=AXES)

    def error(got: Array) -> float:
        return float(np.abs(got - want).max() / np.abs(want).max())

    raw = ov.open_array(scan.path, shape=scan.shape, dtype=scan.dtype, offset=scan.offset, big_endian=scan.big_endian, memory=ACCESS)
    with raw, ov.fft.fftn(raw, axes=AXES, out=folder / "mri-raw-spectrum.npy", memory=ACCESS, progress=False) as spectrum:
        raw_error = error(spectrum[...])

    source, target = folder / "mri.npy", folder / "mri-spectrum.npy"
    np.save(source, np.ascontiguousarray(scan.elements))
    job, memory = plan(source, target, scan.elements.nbytes // 8)
    report = job.run()
    return Compared(scan, ov.info(target), memory, report, error(np.load(target)), raw_error)
