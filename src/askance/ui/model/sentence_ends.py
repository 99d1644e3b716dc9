"""Full stops in front of the markers that stand before them, as they are printed: `before.[1]`.

The check sets a marker into its sentence, and a model behind it. To show both alike, the pieces of
a line change places; each keeps where it stands in the text, so that a doubt ends where it did.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from askance.ui.model.inline import Run, Style

_BETWEEN = " ,;\t"
_BLANKS = " \t"
_STOP = re.compile(r"[。！？]++[”’」』]*+|[.!?…]++[”\"’»]*+(?![^\W_])")
# Behind these no sentence ends: one has ended already, a bracket has only begun.
_NO_WORD = tuple(".!?…。！？,;:|([{")


def stops_first(line: Sequence[Run]) -> list[Run]:
    """Return the runs of a line, the end of a sentence before the markers that precede it."""
    moved: list[Run] = []
    i = 0
    while i < len(line):
        end = i + _run_of_markers(line, i)
        if end == i:
            moved.append(line[i])
            i += 1
            continue
        stop = _stop(line[end]) if end < len(line) and _is_behind_words(moved) else ""
        if stop:
            behind = line[end]
            cut = behind.start + len(stop)
            blank = _cut_blank_end(moved)
            moved += [replace(behind, text=stop, end=cut), *blank, *line[i:end]]
            moved.append(behind.behind(len(stop)))
            end += 1
        else:
            moved += line[i:end]
        i = end
    return moved


def _run_of_markers(line: Sequence[Run], start: int) -> int:
    """Return how many runs from a place on are markers and what parts them."""
    count = 0
    for i in range(start, len(line)):
        if line[i].n:
            count = i + 1 - start
        elif not count or line[i].style & Style.CODE or line[i].text.strip(_BETWEEN):
            break
    return count


def _is_behind_words(before: Sequence[Run]) -> bool:
    text = "".join(run.text for run in before[-2:]).rstrip(_BLANKS)
    return bool(text) and not text.endswith(_NO_WORD)


def _stop(run: Run) -> str:
    """Return what ends a sentence at the start of a run."""
    found = None if run.style & Style.CODE else _STOP.match(run.text)
    return found.group() if found else ""


def _cut_blank_end(runs: list[Run]) -> list[Run]:
    """Take the blanks off the end, and return them as a run if there are any."""
    last = runs.pop()
    kept = last.text.rstrip(_BLANKS)
    at = last.start + len(kept)
    if kept:
        runs.append(replace(last, text=kept, end=at))
    return [last.behind(len(kept))] if kept != last.text else []
