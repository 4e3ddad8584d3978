# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: where things are, and how hypothesis searches."""

import os
import signal
import sys
from pathlib import Path

import pytest

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would every program they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(ROOT / ".cache" / "hypothesis"))

from hypothesis import HealthCheck, settings  # noqa: E402  (reads the folder above when imported)

# By default the same examples each time: a red run can be repeated. HYPOTHESIS_PROFILE=search looks for new ones.
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=50, suppress_health_check=QUIET)
settings.register_profile("search", deadline=None, max_examples=1000, print_blob=True, suppress_health_check=QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout the tests belong to."""
    return ROOT


@pytest.fixture(scope="session")
def octavo_command() -> str:
    """The command line's entry point, as ./dev build writes it."""
    command = Path(sys.prefix) / "bin" / "octavo"
    if not command.exists():
        pytest.fail(f"{command} is missing: run ./dev build first")
    return str(command)
