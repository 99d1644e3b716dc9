"""The page with the figures of the window."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from bench.ui_figures import LONG_MS, Gaps, Measured, Memory, percentile

TO_PAINT_MS = 50.0
TO_SOURCE_MS = 150.0
TO_TRAY_S = 1.0
HELD_MB = 150.0
_ALMOST_ALL = 0.99
_USUAL = 0.95
_WIDTH = 100
_GAP_HEAD = ("while", "beats", "p99", "longest", "under 16 ms", "longest, own", "under 16 ms, own")
_OWN = (
    "*Own* leaves out the time for which a thread of the program could have run but no processor was"
    " free: the model, the pages and whatever else the machine does want them too. Where only that"
    " makes a gap too long, the target is *met but for the machine*."
)
_TIMES = (
    "*To the icon*: from the start of the process until its icon asks the panel for a place; the"
    " processor time is that of all its threads. *To the first free turn*: until its event loop"
    " answers, the window built and hidden. *From the socket*: from the moment at which the window"
    " hears what is asked of it. *From the command*: from the start of the process of `askance"
    " toggle`, which a key starts."
)


def render_page(m: Measured) -> str:
    """Return the page as Markdown."""
    parts = [
        "# The window, measured",
        _about(m),
        "## Targets",
        _table(("", "target", "measured", ""), _targets(m)),
        _OWN,
        "## Times",
        _table(("", "times", "median", "p95", "longest"), _times(m)),
        _TIMES,
        "## Gaps between the turns of the window's event loop",
        _table(_GAP_HEAD, _gaps(m)),
        _about_gaps(m),
        "## Memory and rest",
        _table(("MiB", "resident", "its share", "its own", "the readers"), _memories(m)),
        _about_rest(m),
    ]
    return "\n\n".join(p if p[0] in "#|" else fill(p, _WIDTH) for p in parts) + "\n"


def _about(m: Measured) -> str:
    pages = "articles of the extraction benchmark" if m.are_articles else "those of the sample web"
    return (
        "`make bench-ui` writes this page. The real program runs in a process of its own, on a screen"
        " of its own (Xvfb, no window manager), with a panel that takes its icon; `askance toggle`"
        " calls it. A scripted model writes 200 tokens a second over HTTP; the"
        f" pages, {pages}, are fetched from loopback and taken apart by the program's own child"
        " processes. All of that shares one machine with the window."
    )


def _about_gaps(m: Measured) -> str:
    return (
        "A gap is the time from one beat of a 4 ms timer in the window's thread to the next."
        f" The answer of the chat has {m.characters:,} characters and is kept in the history;"
        f" meanwhile {m.pages_extracted:,} pages were taken apart, three at any time. The search"
        f" reads {m.pages_ranked} pages in two rounds, and ranks them; its answer is as long and has"
        f" {m.citations} checked citations. The model comes from a hub on loopback as fast as it can be"
        " read, its page open, until it is checked and chosen. The PDF is dropped on the window, and"
        " asked about; the row ends with the first word of the answer."
    )


def _about_rest(m: Measured) -> str:
    return (
        "*Its share* counts what it shares with other processes in part, *its own* not at all; *the"
        " readers* are the processes that take pages apart, started with the first letter of a"
        " question and let go when no page has come for a while. All of it together is the sum of"
        " its share and of the readers."
        f" Hidden, in {m.idle.seconds:.0f} s the program used {m.idle.cpu_ms:.0f} ms of processor"
        f" time, and its threads woke up {m.idle.wakes} times."
    )


def _targets(m: Measured) -> list[Sequence[str]]:
    to_tray = percentile(m.icons, _USUAL)
    paint, command = percentile(m.paints, _USUAL), percentile(m.commands, _USUAL)
    return [
        _row("Toggle to first paint, warm, p95", f"≤ {TO_PAINT_MS:.0f} ms", f"{paint:.0f} ms",
             is_met=paint <= TO_PAINT_MS),
        ("the same from the start of `askance toggle`", "", f"{command:.0f} ms", ""),
        _row("The first source is painted, after the search's result", f"≤ {TO_SOURCE_MS:.0f} ms",
             f"{max(m.sources):.0f} ms", is_met=max(m.sources) <= TO_SOURCE_MS),
        _row("Start to tray, p95", f"≤ {TO_TRAY_S:.1f} s", f"{to_tray:.2f} s",
             is_met=to_tray <= TO_TRAY_S),
        *_gap_targets("While an answer streams and pages are extracted", m.streaming),
        _long_target("An answer of 32 KB is rendered", m.rendering),
        _long_target("The same with its citations", m.checking),
        _long_target("A model is downloaded", m.downloading),
        _long_target(f"A PDF of {m.pdf_pages} pages is read", m.reading),
        _row("Memory of all processes at rest, after a search", f"≤ {HELD_MB:.0f} MB",
             f"{_megabytes(m.rested):.0f} MB", is_met=_megabytes(m.rested) <= HELD_MB),
        _row("Processor at rest", "0", f"{m.idle.cpu_ms:.0f} ms in {m.idle.seconds:.0f} s",
             is_met=m.idle.cpu_ms == 0),
    ]  # fmt: skip


def _gap_targets(name: str, gaps: Gaps) -> list[Sequence[str]]:
    own = Gaps(gaps.own_ms)
    share = f"{gaps.under_a_frame:.1%}, own {own.under_a_frame:.1%}"
    return [
        _long_target(name, gaps),
        _row("the same, under 16 ms", f"{_ALMOST_ALL:.0%}", share,
             is_met=gaps.under_a_frame >= _ALMOST_ALL, is_own=own.under_a_frame >= _ALMOST_ALL),
    ]  # fmt: skip


def _long_target(name: str, gaps: Gaps) -> Sequence[str]:
    own = Gaps(gaps.own_ms).longest
    text = f"{gaps.longest:.0f} ms, own {own:.0f} ms"
    is_met, is_own = gaps.longest <= LONG_MS, own <= LONG_MS
    return _row(f"{name}: longest gap", f"≤ {LONG_MS:.0f} ms", text, is_met=is_met, is_own=is_own)


def _row(
    name: str, target: str, measured: str, *, is_met: bool, is_own: bool = False
) -> Sequence[str]:
    verdict = "met" if is_met else "met but for the machine" if is_own else "not met"
    return name, target, measured, verdict


def _times(m: Measured) -> list[Sequence[str]]:
    first = [1000 * first for first, _ in m.resumed_s]
    whole = [1000 * whole for _, whole in m.resumed_s]
    rows = {
        "start to the icon, s": ([1000 * s for s in m.icons], 2),
        "processor time until then, s": ([1000 * s for s in m.icon_cpu_s], 2),
        "start to the first free turn, s": ([1000 * s for s in m.turns], 2),
        "to the paint, from the socket, ms": (m.paints, 0),
        "to the paint, from the command, ms": (m.commands, 0),
        "to the first paint of all, from the socket, ms": ([m.first_paint], 0),
        "from a search's result to the first source's paint, ms": (m.sources, 0),
        "a kept conversation: to its end, s": (first, 2),
        "a kept conversation: to its beginning, s": (whole, 2),
    }
    return [_time_row(name, values, digits) for name, (values, digits) in rows.items() if values]


def _time_row(name: str, values: Sequence[float], digits: int) -> Sequence[str]:
    shown = (percentile(values, 0.5), percentile(values, _USUAL), max(values))
    unit = 1000 if digits else 1
    return name, str(len(values)), *(f"{value / unit:.{digits}f}" for value in shown)


def _gaps(m: Measured) -> list[Sequence[str]]:
    rows = {
        "an answer streams, pages are extracted": m.streaming,
        "that answer, 32 KB, is rendered": m.rendering,
        f"{m.pages_ranked} pages are searched, read and ranked": m.searching,
        "their answer streams": m.citing,
        "it is checked and rendered, with its citations": m.checking,
        "a conversation of 200 questions is resumed": m.resuming,
        "the window over it becomes wide, and narrow again": m.widening,
        "1 MB is pasted": m.pasting,
        "a model is downloaded": m.downloading,
        f"a PDF of {m.pdf_pages} pages is read, and asked": m.reading,
    }
    return [_gap_row(name, gaps) for name, gaps in rows.items()]


def _gap_row(name: str, gaps: Gaps) -> Sequence[str]:
    own = Gaps(gaps.own_ms)
    figures = (f"{percentile(gaps.ms, _ALMOST_ALL):.0f}", f"{gaps.longest:.0f}",
               f"{gaps.under_a_frame:.1%}", f"{own.longest:.0f}", f"{own.under_a_frame:.1%}")  # fmt: skip
    return name, f"{len(gaps.ms):,}", *figures


def _memories(m: Measured) -> list[Sequence[str]]:
    rows = {
        "started, never shown": m.fresh,
        "shown": m.shown,
        "hidden again": m.warm,
        "right after a search": m.asked,
        "left alone after it": m.rested,
    }
    return [
        (name, *(f"{mb:.0f}" for mb in (held.resident, held.share, held.own, held.readers)))
        for name, held in rows.items()
    ]


def _megabytes(held: Memory) -> float:
    """All processes together, in millions of bytes."""
    return (held.share + held.readers) * 1.048576


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *(["---:"] * (len(head) - 1))]
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])
