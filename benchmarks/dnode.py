# SPDX-License-Identifier: Apache-2.0
"""./dev bench dnode [--full] [--only WORD] [--plot FILE.png]: the tables of "Targeting distributed systems in FastFlow", as streams.

Matrices (1,024 of 256 x 256 and 64 of 512 x 512; all 8,192 with --full) and 256 images of 256 KiB and 1.7 MB as efficiency: what the stream takes against a
loop in one thread, on two cores. Hosts are two network namespaces with one pinned core each, with and without a limit of 1 Gbit/s; they need root. Then 8 bytes
round four nodes, and the bandwidth of 1 KiB, 4 KiB and 1 MiB. benchmarks/programs/dnode.cpp is what runs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from kit.report import Limit, Result, write_lines

ROOT = Path(__file__).resolve().parents[1]
BINARY = ROOT / "build" / "release" / "bin" / "dnode"
CORES = 2
LONGEST = 300.0
PLACES = ("threads", "processes", "hosts", "ethernet")
IMAGE_BYTES = (256 << 10, 1_700_000)
MESSAGES = {1 << 10: 20_000, 4 << 10: 10_000, 1 << 20: 500}
# The paper's best with 16 cores a host: FastFlow alone on 16 cores, then on two hosts by Ethernet, as efficiency.
PAPER = {"matrices 256": (13.6 / 16, 20.8 / 32), "matrices 512": (1.0, 39.2 / 32), "images small": (11.5 / 16, 8 / 32), "images medium": (12 / 16, 8.5 / 32)}

Found = dict[str, dict[str, float]]  # by experiment and place


def measured(*words: object) -> float | None:
    """None: it cannot be had here, and why is said."""
    try:
        done = subprocess.run([str(BINARY), *map(str, words)], capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired:
        print(f"  {' '.join(map(str, words))}: more than {LONGEST:g} s", flush=True)
        return None
    if done.returncode != 0:
        print(f"  {' '.join(map(str, words))}: {done.stderr.strip()}", flush=True)
        return None
    return float(done.stdout)


def efficiency(name: str, *words: object) -> dict[str, float]:
    alone = measured(*words, "loop")
    found: dict[str, float] = {}
    for place in PLACES if alone is not None else ():
        seconds = measured(*words, place)
        if seconds is not None and alone is not None:
            found[place] = alone / seconds / CORES
    print(
        f"  {name:16}" + "".join(f"{place} {value:5.2f}   " for place, value in found.items()) + "paper, 1 and 2 hosts {:.2f} {:.2f}".format(*PAPER[name]),
        flush=True,
    )
    return found


def tables(only: str, *, full: bool) -> Found:
    work = {
        "matrices 256": ("matrices", 256, 8192 if full else 1024),
        "matrices 512": ("matrices", 512, 8192 if full else 64),
        "images small": ("images", IMAGE_BYTES[0], 256),
        "images medium": ("images", IMAGE_BYTES[1], 256),
    }
    print("efficiency on two cores", flush=True)
    found = {name: efficiency(name, *words) for name, words in work.items() if only in name}
    for place in PLACES:
        if "latency" in only or not only:
            trip = measured("latency", 2000 if place != "threads" else 20_000, place)
            if trip is not None:
                found.setdefault("latency", {})[place] = trip * 1e6
                print(
                    f"  8 bytes round four nodes, {place}: {trip * 1e6:.1f} us, a half {trip * 5e5:.1f} us (paper: 69 and 27)",
                    flush=True,
                )
        for size, count in MESSAGES.items():
            if "bandwidth" in only or not only:
                rate = measured("bandwidth", size, count, place)
                if rate is not None:
                    found.setdefault(f"bandwidth {size}", {})[place] = rate * 8e-9
                    print(f"  messages of {size} bytes, {place}: {rate * 8e-9:.2f} Gbit/s", flush=True)
    return found


def plot(found: Found, file: Path) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    names = [name for name in PAPER if name in found]
    for number, place in enumerate(PLACES):
        axes.bar([at + 0.2 * number for at in range(len(names))], [found[name].get(place, 0.0) for name in names], 0.18, label=place)
    axes.set(ylabel="efficiency", ylim=(0, 1.1), xticks=[at + 0.3 for at in range(len(names))], xticklabels=names)
    axes.legend()
    figure.savefig(file, dpi=110)


def results(found: Found) -> list[Result]:
    made = []
    for name, by_place in found.items():
        for place, value in by_place.items():
            if name in PAPER:
                made.append(Result(f"dnode {name}, {place}", [value], "efficiency", Limit("one loop a core", 1.0)))
            elif name == "latency":
                made.append(Result(f"dnode {name}, {place}", [value], "us", Limit("threads", by_place.get("threads", value)), lower_is_better=True))
            else:
                made.append(Result(f"dnode {name}, {place}", [value], "Gbit/s", Limit("processes", by_place.get("processes", value))))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all 8,192 matrices, as in the paper")
    parser.add_argument("--only", default="", help="matrices, images, latency or bandwidth")
    parser.add_argument("--plot", type=Path, help="a picture of the efficiency")
    parser.add_argument("--json", type=Path, help="a line for each figure")
    wanted = parser.parse_args()
    found = tables(wanted.only, full=wanted.full)
    if wanted.plot:
        plot(found, wanted.plot)
    if wanted.json:
        write_lines(results(found), wanted.json)


if __name__ == "__main__":
    sys.exit(main())
