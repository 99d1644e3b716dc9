"""Evidence for small models measured: how much of the gold is in the prompt, beside a dump of the same pages.

`ask` fetches evidence for one question and says as a line of JSON what the prompt holds and what the pages
held that were read for it, in the shape that a runner of questions understands. `report` sums up the output of
many: files `ID.jsonl` of a folder, and a file of the questions with their `id`, `kind` and `gold` passages.

    python -m bench.evidence_prompts ask [--max-tokens N] QUESTION
    python -m bench.evidence_prompts report FOLDER QUESTIONS [--max-tokens N]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.config.sources import load_settings
from askance.domain.evidence import EvidenceRequest
from askance.domain.phases import Sufficiency
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web_pages import Page, PageStatus
from askance.engine.prompts import ContextBudget
from askance.text.ranking.scoring import containment, shingles
from askance.text.ranking.urls import canonical

# A gold passage counts as kept where so much of it stands in a text: the runner's own measure.
STORED = 0.6


@dataclass
class Recording:
    """A reader that remembers the pages that it gave."""

    inner: PageReader
    pages: dict[str, Page] = field(default_factory=dict[str, Page])

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read a page. See `PageReader.read`."""
        page = await self.inner.read(url, sent=sent, known=known)
        if page.status is PageStatus.OK:
            self.pages[canonical(url)] = page
        return page


async def ask(question: str, max_tokens: int) -> dict[str, Any]:
    """Fetch evidence, and return the prompt and the dump."""
    folders = find_folders(os.environ)
    settings = load_settings(folders.settings_file, os.environ, {})
    ranking: list[str] = []

    def emit(event: object) -> None:
        if urls := getattr(event, "urls", None):
            ranking[:] = [canonical(url) for url in urls]

    async with open_app(settings, folders) as app:
        assert app.evidence is not None
        recording = Recording(app.reader)
        fetching = app.evidence()
        fetching = replace(fetching, parts=replace(fetching.parts, reader=recording))
        began = time.monotonic()
        found = await fetching.fetch(question, EvidenceRequest(max_tokens), emit=emit)
        took_s = time.monotonic() - began
    order = sorted(
        recording.pages, key=lambda url: ranking.index(url) if url in ranking else len(ranking)
    )
    return {
        "type": "answered",
        "answer": "",
        "sources": [],
        "outcome": "insufficient",
        "rounds": 1,
        "warnings": [str(warning) for warning in found.warnings],
        "prompt": found.prompt,
        "estimate": found.tokens,
        "sufficiency": found.sufficiency,
        "blocks": len(found.blocks),
        "took_s": round(took_s, 3),
        "dump": "\n\n".join(recording.pages[url].markdown for url in order),
    }


def report(folder: Path, questions: Path, max_tokens: int) -> str:
    """Return the figures as a table: the prompt, the dump, and the dump cut to the prompt's tokens."""
    known = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    rows = [(question, row) for question in known if (row := _row(folder, question["id"]))]
    kinds = dict.fromkeys(question["kind"] for question, _ in rows)
    texts: dict[str, Callable[[dict[str, Any]], str]] = {
        "prompt": lambda row: row["prompt"],
        "whole pages": lambda row: row["dump"],
        "pages cut there": lambda row: _cut(row["dump"], max_tokens),
    }
    cost = ContextBudget(0, 0).cost
    lines = [
        "| questions | text | all gold kept | tokens, median | most |",
        "|---|---|---:|---:|---:|",
    ]
    for kind in kinds:
        of_kind = [(q, row) for q, row in rows if q["kind"] == kind]
        for name, text_of in texts.items():
            tokens = [cost(text_of(row)) for _, row in of_kind]
            gold = [(q, row) for q, row in of_kind if q["gold"]]
            stored = sum(_keeps(text_of(row), q["gold"]) for q, row in gold)
            share = f"{stored / len(gold):.2f}" if gold else ""
            lines.append(
                f"| {kind} ({len(of_kind)}) | {name} | {share} | {median(tokens):,.0f} | {max(tokens):,} |"
            )
    took = median(row["took_s"] for _, row in rows)
    lines += [
        "",
        f"Largest prompt by its own estimate: {max(row['estimate'] for _, row in rows):,} tokens. Blocks in the "
        f"median: {median(row['blocks'] for _, row in rows):g}. Median time: {took:.2f} s as measured.",
    ]
    for kind in kinds:
        text = Counter(row["sufficiency"] for q, row in rows if q["kind"] == kind)
        message = ", ".join(f"{text[level]} {level}" for level in Sufficiency)
        lines.append(f"Said of {kind}: {message}.")
    missed = [q["id"] for q, row in rows if q["gold"] and not _keeps(row["prompt"], q["gold"])]
    lines += ["", f"Missed: {', '.join(missed)}"]
    return "\n".join(lines)


def _row(folder: Path, number: str) -> dict[str, Any] | None:
    for file in sorted(folder.rglob(f"{number}.jsonl")):
        lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
        if lines:
            return json.loads(lines[-1])
    return None


def _keeps(text: str, gold: Sequence[dict[str, str]]) -> bool:
    held = shingles(text)
    return all(containment(shingles(passage["text"]), held) >= STORED for passage in gold)


def _cut(text: str, max_tokens: int) -> str:
    """Return the longest beginning of a text that has no more tokens, to a hundredth of it."""
    cost = ContextBudget(0, 0).cost
    if cost(text) <= max_tokens:
        return text
    low, high = 0, len(text)
    while high - low > len(text) // 100 + 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(text[:middle]) <= max_tokens else (low, middle)
    return text[:low]


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask")
    asking.add_argument("question")
    reporting = commands.add_parser("report")
    reporting.add_argument("folder", type=Path)
    reporting.add_argument("questions", type=Path)
    for one in (asking, reporting):
        one.add_argument("--max-tokens", type=int, default=2000)
    chosen = parser.parse_args()
    if chosen.command == "ask":
        text = json.dumps(asyncio.run(ask(chosen.question, chosen.max_tokens)))
    else:
        text = report(chosen.folder, chosen.questions, chosen.max_tokens)
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    main()
