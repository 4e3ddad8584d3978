# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from typing import Any

import numpy.typing as npt

def parse_bytes(text: str) -> int: ...
def format_bytes(count: int) -> str: ...
def all_processes() -> list[dict[str, Any]]: ...
def all_roads() -> list[dict[str, Any]]: ...
def send_signal(agent: int, incarnation: int, object: int, pid: int, signal: int) -> None: ...
def machine_facts() -> dict[str, Any]: ...
def saved_objects(prefix: str, home: str) -> list[dict[str, Any]]: ...
def restore_saved(name: str, home: str) -> dict[str, Any]: ...

class Storage:
    @property
    def format(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def chunk(self) -> list[int]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def big_endian(self) -> bool: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def files(self) -> list[str]: ...
    @property
    def spec(self) -> str: ...
    @property
    def zarr_version(self) -> int: ...
    fill_json: str
    fill_is_missing: bool
    attributes_json: str
    dimension_names_json: str

def open_storage(
    path: str, shape: list[int] | None = None, dtype: str | None = None, offset: int = 0, big_endian: bool = False, part: bool = False
) -> Storage: ...
def create_storage(
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
    fill_json: str = "",
) -> Storage: ...
def remove_storage(path: str) -> None: ...
def store_storage(
    path: str, shape: list[int], chunk: list[int], write_chunk: list[int], dtype: str, unit_bytes: int, spec: str, server: list[str]
) -> Storage: ...
def serve_stores(open: Callable[[str], Any]) -> None: ...

class ArrayHandle:
    def __init__(self, storage: Storage, format: str, memory: int, writable: bool) -> None: ...
    @property
    def format(self) -> str: ...
    @property
    def storage(self) -> Storage: ...
    @property
    def path(self) -> str: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def page(self) -> list[int]: ...
    @property
    def dtype(self) -> str: ...
    @property
    def writable(self) -> bool: ...
    @property
    def attributes_json(self) -> str: ...
    @property
    def dimension_names_json(self) -> str: ...
    @property
    def processes(self) -> list[ProcessFacts]: ...
    def read(self, lo: list[int], step: list[int], out: npt.NDArray[Any]) -> None: ...
    def write(self, lo: list[int], step: list[int], data: npt.NDArray[Any]) -> None: ...
    def flush(self) -> None: ...
    def close(self) -> None: ...

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
    interpreters: int

class TargetOptions: ...

def target_options(
    format: str | None,
    chunks: list[int] | None,
    devices: list[str],
    map: str,
    zarr_version: int,
    unit_bytes: int,
    several_writers: bool,
    create: Callable[[str, list[int], list[int], str, str, str, str], Storage] | None,
) -> TargetOptions: ...

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
    source: Storage,
    target: str,
    target_as: TargetOptions,
    copy: bool,
    axes: list[int],
    inverse: bool,
    norm: str,
    memory: int,
    cores: int,
    scratch: str,
    overwrite: bool,
) -> Job: ...
