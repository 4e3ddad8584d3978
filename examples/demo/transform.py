# SPDX-License-Identifier: Apache-2.0
"""The transforms of the demo, all by Octavo within the budget, and their numbers for people."""

import octavo as ov
from octavo.progress import Bar


def transform(job: ov.Job) -> ov.job.Report:
    """Runs it with a progress bar."""
    with Bar() as bar:
        return job.run(bar.show)


def size(count: int) -> str:
    """Bytes for people."""
    unit = "GiB" if count >= 2**30 else "MiB" if count >= 2**20 else "KiB"
    value = count / {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10}[unit]
    return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"


def summary(plan: str) -> list[str]:
    """Of a plan what is done in which pass, without how."""
    return [line for line in plan.splitlines()[1:] if line.startswith(("1 pass", "pass ")) or " passes, " in line]


def memory_kept(report: ov.job.Report) -> bool:
    """Whether the processes stayed within the budget and 2 MiB for each."""
    return report.memory_peak - report.program_peak <= report.memory_budget + report.processes * 2**21


def memory_line(report: ov.job.Report) -> str:
    """Peak against the budget, and where this Python program was."""
    peak, program = size(report.memory_peak - report.program_peak), size(report.program_peak)
    return f"peak {peak} of {size(report.memory_budget)} (and 2 MiB for each of {report.processes} processes); this Python program {program}"
