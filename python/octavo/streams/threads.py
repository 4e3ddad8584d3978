# SPDX-License-Identifier: Apache-2.0
"""The threads of BLAS and OpenMP in a stage's workers: together as many as there are cores, unless the environment says a number."""

from __future__ import annotations

import importlib
import importlib.util
import os

SAID_BY = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS")


def limit_threads(threads: int) -> None:
    """In the process of a worker. Libraries that it loads later read the environment; those that are loaded are told, where threadpoolctl is installed."""
    if threads < 1 or any(name in os.environ for name in SAID_BY):
        return
    os.environ.update(dict.fromkeys(SAID_BY, str(threads)))
    if importlib.util.find_spec("threadpoolctl") is not None:
        importlib.import_module("threadpoolctl").threadpool_limits(threads)
