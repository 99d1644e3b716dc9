"""The benchmark's picture: ink on paper, the program as it ships in one accent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bench.costs import Speed
from bench.figures import Figures

PAPER, INK, QUIET, BAR, ACCENT = "#fbfaf6", "#22211e", "#716d64", "#c9c4b8", "#b5451b"
SIZE_INCHES = (8.0, 6.2)
# Twice the size at which it is looked at.
DPI = 200


def draw_chart(rows: Mapping[str, Figures], speed: Speed, file: Path) -> None:
    """Write a PNG with a bar for each variant; the first is the program as it ships."""
    with mpl.rc_context({"font.family": "DejaVu Sans", "font.size": 9.5, "text.color": INK}):
        figure = Figure(figsize=SIZE_INCHES, dpi=DPI, facecolor=PAPER)
        left, right = figure.subplots(
            1, 2, sharey=True, gridspec_kw={"left": 0.26, "right": 0.965, "top": 0.79,
                                            "bottom": 0.05, "wspace": 0.16}
        )  # fmt: skip
        _draw_bars(
            left, rows, "Prompt tokens evaluated", lambda f: f.evaluated, lambda v: f"{v:,.0f}"
        )
        _draw_bars(
            right,
            rows,
            "Seconds to the answer’s first token",
            lambda f: f.first_token_s,
            lambda v: f"{v:.1f}",
        )
        left.set_yticks(range(len(rows)), list(rows))
        left.invert_yaxis()
        for label in left.get_yticklabels()[:1]:
            label.set(color=ACCENT, fontweight="bold")
        figure.text(0.025, 0.94, "What each part saves", fontsize=13.5, fontweight="bold")
        count = next(iter(rows.values())).questions
        figure.text(
            0.025,
            0.89,
            f"Means over {count} questions. Assumed: {speed.prefill:g} prompt tokens evaluated and"
            f" {speed.decode:g} tokens written a second.",
            color=QUIET,
        )
        # Without the version of the library, the same figures give the same file.
        figure.savefig(file, facecolor=PAPER, metadata={"Software": None})


def _draw_bars(
    axes: Axes,
    rows: Mapping[str, Figures],
    title: str,
    value_of: Callable[[Figures], float],
    show: Callable[[float], str],
) -> None:
    values = [value_of(figures) for figures in rows.values()]
    colours = [ACCENT, *[BAR] * (len(values) - 1)]
    bars = axes.barh(range(len(values)), values, height=0.56, color=colours)
    axes.bar_label(bars, [show(v) for v in values], padding=4, color=INK)
    axes.set_title(title, loc="left", fontsize=9.5, fontweight="bold", color=INK, pad=7)
    axes.set_xlim(0, 1.17 * max(values))
    axes.set_facecolor(PAPER)
    axes.spines[:].set_visible(False)
    axes.spines["left"].set(visible=True, color=INK, linewidth=0.8)
    axes.xaxis.set_visible(False)
    axes.tick_params(axis="y", length=0, pad=6, labelcolor=INK)
