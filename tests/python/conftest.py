# SPDX-License-Identifier: Apache-2.0
"""What all Python tests share: where things are, and how hypothesis searches."""

import os
import signal
import sys
from pathlib import Path

import pytest
from wheel_kit import run

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


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that OCTAVO_TEST_WHEEL names, or that of this tree."""
    if given := os.environ.get("OCTAVO_TEST_WHEEL"):
        return Path(given).absolute()
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", root, "--no-deps", "--no-build-isolation", "-w", folder, folder=folder, seconds=1700)
    (made,) = folder.glob("octavo-*.whl")
    return made


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with nothing but the wheel and what it and its extra for HDF5 depend on."""
    prefix = tmp_path_factory.mktemp("installed") / "venv"
    run(os.environ.get("OCTAVO_TEST_WHEEL_PYTHON", sys.executable), "-m", "venv", prefix, folder=prefix.parent)
    run(prefix / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", f"{wheel}[hdf5]", folder=prefix, seconds=900)
    return prefix
