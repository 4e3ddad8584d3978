# SPDX-License-Identifier: Apache-2.0
"""The picture of a power spectrum next to the -5/3 line."""

from pathlib import Path

import numpy as np
from blocks import Array


def draw(path: Path, spectrum: Array, inertial: tuple[int, int], slope: float, title: str, facts: str) -> bool:
    """A PNG of 1000 x 750 points; False where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return False
    k = np.arange(1, len(spectrum))
    first, last = inertial
    # The -5/3 line goes through the middle of the range that was fitted.
    middle = np.exp(np.log(np.array(inertial)).mean())
    level = float(np.exp(np.interp(np.log(middle), np.log(k), np.log(spectrum[1:]))))
    line = np.array([first / 1.6, k[-1]])

    figure = Figure(figsize=(8, 6), dpi=125, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.loglog(k, spectrum[1:], "o", markersize=3.5, color="#0072B2", label="measured")
    axes.loglog(line, 2 * level * (line / middle) ** (-5 / 3), "--", linewidth=2, color="#D55E00", label=r"$k^{-5/3}$, drawn 2× higher")
    axes.axvspan(first, last, color="0.93", zorder=0, label=f"fitted: slope {slope:.3f}".replace("-", "−"))
    axes.set_xlabel("wavenumber k  [cycles per box]", fontsize=13)
    axes.set_ylabel("E(k)  [mean square of the field per unit of k]", fontsize=13)
    axes.set_title(f"{title}\n", fontsize=14, loc="left")
    axes.text(0, 1.02, facts, transform=axes.transAxes, fontsize=10.5, color="0.3")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.tick_params(labelsize=11.5)
    axes.legend(fontsize=12, loc="lower left", frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return True
