# SPDX-License-Identifier: Apache-2.0
"""Draws figures 7 to 9 of the paper of file-based messages (paper 004): POINTS.json of ./dev bench link --figure FILE.png, and FILE.png.

Figures 7 and 8 are measured: seconds of a message by its size, within a host and between hosts. Figure 9 is a broadcast of 32 bytes by the number of
processes: measured on up to 16, and simulated to 131,072 with costs that are fitted to what was measured. 4 hosts x 4 is left out of the fit, and what is
simulated for it is printed beside what was measured. 32 processes are on a host, as in the paper.

Trees (octavo, pPython, Open MPI): a level within a host costs one thing, a level between hosts another. octavo's hosts are joined by the program's own, which
hands on what goes from one to another: it is a server that has a file to put for each of them, one after the other, and that is counted, too.
A central directory is a server: each call of each process takes its time, one after the other. A process that waits looks again after 1 ms, or when all others
have been answered, whichever is later; then it opens, reads and closes. So it has no bend until the server is full, and is a straight line from there on.

All "hosts" that were measured share two cores; each process is counted for that. Of those that are simulated, the 32 of a host share as many.

What this has not: networks that several pairs share, and more cores.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROADS = {
    True: ("a level within a host", "the first level between", "a further host", "a process that shares the cores"),
    False: ("the first level within a host", "a further one", "a level between"),
}
Place = tuple[int, int]  # hosts, processes on each
ON_A_HOST, LEFT_OUT, SIMULATED = 32, (4, 4), (32, 128, 512, 2048, 8192, 32768, 131072)
PAUSE, CALLS_BEHIND = 1e-3, 3  # seconds between two looks; what follows the look that finds
Features = Callable[[Place], list[float]]


def levels(count: int) -> int:
    return math.ceil(math.log2(count))


def tree(at: Place) -> list[float]:
    return [1.0 if at[1] > 1 else 0.0, float(max(0, levels(at[1]) - 1)), float(levels(at[0]))]


def tree_by_a_hub(at: Place) -> list[float]:
    """Beside the first level between hosts: a file that the hub puts for each further one; and all processes that share the cores."""
    return [float(levels(at[1])), 1.0 if at[0] > 1 else 0.0, float(max(0, at[0] - 2)), float(min(at[0] * at[1], ON_A_HOST) - 1)]


def fitted(took: dict[Place, float], features: Features) -> np.ndarray:
    """Costs, none of which is below nothing. Relative errors count, so that the short ones do."""
    rows, seconds = np.array([features(at) for at in took]), np.array(list(took.values()))
    kept = list(range(rows.shape[1]))
    while kept:
        found, *_ = np.linalg.lstsq(rows[:, kept] / seconds[:, None], np.ones(len(seconds)), rcond=None)
        if (found >= 0).all():
            break
        del kept[int(np.argmin(found))]
    costs = np.zeros(rows.shape[1])
    costs[kept] = found if kept else 0.0
    return costs


def central(at: Place, base: float, call: float) -> float:
    """Half a round of looks until the lock file is seen on average; the last of all sees it after a whole one."""
    count = at[0] * at[1]
    return base + max(PAUSE, count * call) + CALLS_BEHIND * count * call


def fitted_server(took: dict[Place, float]) -> tuple[float, float]:
    """The base and a call: a search, as the bend is no matter of a line."""
    best, found = math.inf, (0.0, 0.0)
    for call in np.geomspace(1e-7, 1e-2, 400):
        rest = [seconds - central(at, 0.0, call) for at, seconds in took.items()]
        base = max(0.0, float(np.median(rest)))
        wrong = sum((central(at, base, call) / seconds - 1) ** 2 for at, seconds in took.items())
        if wrong < best:
            best, found = wrong, (base, float(call))
    return found


def model_of(who: str, took: dict[Place, float]) -> tuple[Callable[[Place], float], str]:
    """What it takes at a place, and the costs in words."""
    if who.startswith("central"):
        base, call = fitted_server(took)
        return lambda at: central(at, base, call), f"{base * 1e6:.3g} us, and {call * 1e6:.3g} us of the server a call"
    features = tree_by_a_hub if who == "octavo by files" else tree
    costs = fitted(took, features)
    named = ROADS[features is tree_by_a_hub]
    return lambda at: float(np.dot(features(at), costs)), ", ".join(f"{cost * 1e6:.3g} us {name}" for cost, name in zip(costs, named, strict=True))


def place_of(text: str) -> Place:
    hosts, members = text.split(" x ")
    return int(hosts), int(members)


def simulated(points: dict[str, dict[str, float]]) -> dict[str, Callable[[Place], float]]:
    """Prints what is simulated of each, and what of it is known to be right."""
    models = {}
    for who, seconds in points.items():
        took = {place_of(at): each for at, each in seconds.items()}
        known = {at: each for at, each in took.items() if at != LEFT_OUT}
        models[who], words = model_of(who, known)
        print(f"{who}: {words}")
        if LEFT_OUT in took:
            foretold, found = models[who](LEFT_OUT) * 1e6, took[LEFT_OUT] * 1e6
            print(f"    4 hosts x 4, left out: foretold {foretold:.4g} us, measured {found:.4g} us, off by {foretold / found - 1:+.0%} (wanted: 30 %)")
        for count in (2048, 8192, 131072):
            print(f"    {count} processes, simulated: {models[who]((count // ON_A_HOST, ON_A_HOST)) * 1e3:.4g} ms")
    return models


def drawn(points: dict[str, dict[str, dict[str, float]]], models: dict[str, Callable[[Place], float]], file: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 4.5), layout="constrained")
    FigureCanvasAgg(figure)
    for place, (number, which) in enumerate(((7, "within a host"), (8, "between hosts")), 1):
        axes = figure.add_subplot(1, 3, place)
        for who, seconds in points[which].items():
            axes.plot([int(size) for size in seconds], list(seconds.values()), marker="o", label=who)
        axes.set(title=f"figure {number}: a message {which}", xlabel="bytes", ylabel="seconds", xscale="log", yscale="log")
        axes.legend()
    axes = figure.add_subplot(1, 3, 3)
    for who, seconds in points["broadcast"].items():
        known = sorted((math.prod(place_of(at)), each) for at, each in seconds.items())
        (line,) = axes.plot([count for count, _ in known], [each for _, each in known], marker="o", linestyle="", label=f"{who}, measured")
        axes.plot(SIMULATED, [models[who]((count // ON_A_HOST, ON_A_HOST)) for count in SIMULATED], linestyle="--", color=line.get_color())
    axes.set(title="figure 9: a broadcast of 32 B (dashed: simulated)", xlabel="processes", ylabel="seconds", xscale="log", yscale="log")
    axes.legend()
    figure.savefig(file, dpi=110)
    print(f"drawn in {file}")


def main(points: Path, file: Path) -> None:
    known = json.loads(points.read_text())
    models = simulated(known["broadcast"])
    try:
        drawn(known, models, file)
    except ModuleNotFoundError as missing:
        print(f"not drawn: {missing}; pip install matplotlib, then: python {sys.argv[0]} {points} {file}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
