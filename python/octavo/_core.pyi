# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

def parse_bytes(text: str) -> int: ...
def format_bytes(count: int) -> str: ...

class Storage:
    format: str
    path: str
    shape: list[int]
    chunk: list[int]
    dtype: str
    big_endian: bool
    nbytes: int

def open_storage(path: str, shape: list[int] | None = None, dtype: str | None = None) -> Storage: ...

class Progress:
    step: int
    steps: int
    bytes_done: int
    bytes_total: int
    seconds: float

class ProcessFacts:
    class_name: str
    pid: int
    machine: str
    object: int

class JobReport:
    seconds: float
    bytes_moved: int
    memory_peak: int
    program_peak: int
    memory_budget: int
    road_bytes: int
    computing: float
    processes: int

class Job:
    plan_text: str
    passes: int
    transforms: int
    depth: int
    uses_scratch: bool
    source: Storage
    processes: list[ProcessFacts]
    def run(self, watch: Callable[[Progress], bool] | None = None) -> JobReport: ...

def make_job(
    source: str,
    target: str,
    axes: list[int],
    inverse: bool,
    norm: str,
    memory: int,
    chunks: list[int] | None,
    scratch: str,
    overwrite: bool,
    shape: list[int] | None,
    dtype: str | None,
) -> Job: ...

class ArrayHandle:
    """An open array. Safe to use from several threads; what a call does while another writes the same elements is not defined.

    read and write: elements ``lo + i * step`` (step >= 1) along each axis, as many as the array given is long; never none of them.
    The NumPy array has the handle's number of axes, any strides (negative, permuted), native byte order and aligned elements; that of a
    write may be read-only. Types convert where they are equal, from integers to float and complex, and where nothing is lost (float32 to
    float64, complex64 and complex128; float64 and complex64 to complex128). A write has returned when the handle has the elements, not the disk.
    """

    path: str
    format: str
    shape: list[int]
    page: list[int]
    dtype: str
    writable: bool
    attributes_json: str
    dimension_names_json: str
    def read(self, lo: list[int], step: list[int], out: npt.NDArray[Any]) -> None: ...
    def write(self, lo: list[int], step: list[int], data: npt.NDArray[Any]) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...

def open_array(
    path: str,
    writable: bool,
    memory: int,
    shape: list[int] | None,
    dtype: str | None,
    offset: int,
    big_endian: bool,
) -> ArrayHandle: ...
def create_array(
    path: str,
    format: str,
    shape: list[int],
    dtype: str,
    chunks: list[int],
    devices: list[str],
    map: str,
    attributes_json: str,
    dimension_names_json: str,
    zarr_format: int,
    memory: int,
    overwrite: bool,
) -> ArrayHandle: ...
