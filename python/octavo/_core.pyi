# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable

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
