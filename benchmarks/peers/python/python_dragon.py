# SPDX-License-Identifier: Apache-2.0
"""DragonHPC for ./dev bench python: multiprocessing's Pipe and Process as Dragon has them, run by its own command."""

import dragon  # type: ignore[import-not-found, unused-ignore] # noqa: F401, I001 (first: it changes multiprocessing)
import multiprocessing

import python_multiprocessing
from python_answering import Timing, say


def main() -> None:
    multiprocessing.set_start_method("dragon")
    python_multiprocessing.FORKING = multiprocessing.get_context("dragon")
    timing = Timing()
    python_multiprocessing.pipes(timing, "DragonHPC Pipe")
    say(timing.figures)


if __name__ == "__main__":
    main()
