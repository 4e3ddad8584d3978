# SPDX-License-Identifier: Apache-2.0
"""Figure 10 of the paper of file-based messages (paper 004): the time of agg(), all of a distributed array at one member, by the number of members.

Up to 8 members are measured. More are simulated: a tree of pairs, in which on each level a member hands on all that it has, so that T(n) of S bytes is
a * log2(n) + S / b * (1 - 1/n), with a (seconds a message) and b (bytes a second) fitted to the gathers on 2 and 4 members. Those on 8 members are left out
of the fit, and what is simulated for them is printed beside what was measured. 32 members are on one host, as in the paper: within it they are joined by
shared memory, between hosts by the link (measured with two). pPython's send each message by a file. What the simulation has not: a network that several pairs
share, and more members than cores.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from octavo import _core

MEASURED, LEFT_OUT, SIMULATED, ON_A_HOST = (2, 4), 8, tuple(2**k for k in range(1, 12)), 32
WHO = ("shm", "files", "pPython")
GatherOf = Callable[[str, int, int], "float | None"]
Took = dict[str, dict[tuple[int, int], float]]  # seconds by who, members and size


@dataclass(frozen=True)
class Costs:
    message: float  # seconds
    byte: float  # seconds

    def tree(self, members: int, size: float) -> float:
        return self.message * math.log2(members) + self.byte * size * (1 - 1 / members)


def fitted(took: list[tuple[int, int, float]]) -> Costs:
    """Of members, size and seconds. Relative errors count, so that the short ones do."""
    rows = np.array([[math.log2(members), size * (1 - 1 / members)] for members, size, _ in took])
    seconds = np.array([each for _, _, each in took])
    best, *_ = np.linalg.lstsq(rows / seconds[:, None], np.ones(len(seconds)), rcond=None)
    return Costs(max(best[0], 0.0), max(best[1], 0.0))


def simulated(within: Costs, between: Costs, members: int, hosts: int, size: int) -> float:
    return within.tree(members // hosts, size / hosts) + between.tree(hosts, size)


def hosts_of(who: str, members: int) -> int:
    """Of those that were measured: octavo's members by files are on two machines, of which each hands on what it has gathered; pPython's are all alike."""
    return {"shm": 1, "files": 2}.get(who, members)


def costs_of(took: Took) -> dict[str, Costs]:
    costs: dict[str, Costs] = {}
    for who, all_of in took.items():
        known = [(members, size, seconds) for (members, size), seconds in all_of.items() if members != LEFT_OUT]
        if who == "files":
            known = [(2, size, max(1e-9, seconds - costs["shm"].tree(members // 2, size / 2))) for members, size, seconds in known]
        costs[who] = fitted(known)
    return costs


def figure_10(gather_of: GatherOf, sizes: list[int], file: Path) -> None:
    took: Took = {}
    for who in WHO:
        for size in sizes:
            for members in (*MEASURED, LEFT_OUT):
                seconds = gather_of(who, size, members)
                if seconds is not None:
                    took.setdefault(who, {})[members, size] = seconds
                    print(f"{who:>8} {_core.format_bytes(size):>9} on {members}: {seconds * 1000:.3g} ms", flush=True)
    costs = costs_of(took)
    for who, cost in costs.items():
        print(f"{who:>8}: {cost.message * 1e6:.3g} us a message, {1e-9 / cost.byte if cost.byte else math.inf:.3g} GB/s")
        for size in sizes:
            foretold, found = simulated(costs["shm"], cost, LEFT_OUT, hosts_of(who, LEFT_OUT), size), took[who][LEFT_OUT, size]
            print(f"          {_core.format_bytes(size)} on {LEFT_OUT}, left out of it: foretold {foretold * 1000:.3g} ms, measured {found * 1000:.3g} ms")
    drawn(took, costs, sizes, file)


def drawn(took: Took, costs: dict[str, Costs], sizes: list[int], file: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    FigureCanvasAgg(figure)
    for place, size in enumerate(sizes, 1):
        axes = figure.add_subplot(1, len(sizes), place)
        for who, all_of in took.items():
            known = sorted((members, seconds) for (members, each), seconds in all_of.items() if each == size)
            (line,) = axes.plot([members for members, _ in known], [seconds for _, seconds in known], marker="o", label=f"{who}, measured")
            hosts = [max(1, members // ON_A_HOST) if who != "pPython" else members for members in SIMULATED]
            guessed = [simulated(costs["shm"], costs[who], members, of_them, size) for members, of_them in zip(SIMULATED, hosts, strict=True)]
            axes.plot(SIMULATED, guessed, linestyle="--", color=line.get_color(), label=f"{who}, simulated")
        axes.set(title=f"agg() of {_core.format_bytes(size)}", xlabel="members", ylabel="seconds", xscale="log", yscale="log")
        axes.legend()
    figure.savefig(file, dpi=110)
    print(f"drawn in {file}")
