"""How long should a passage be? Recall of the gold span for our own passages and for fixed windows.

The data folder holds `passages.jsonl.gz` (`pid`, `title`, `text`; the paragraphs of an article in
their order) and `squad_chunk_recall.jsonl` (`article`, `question`, `answers`, and how the paragraph
with the answer begins). Every article is one page, and every question is asked of its own article.

    python -m bench.passages FOLDER [--every N]
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from askance.domain.evidence import Passage
from askance.domain.web_pages import Page, PageStatus
from askance.engine.prompts import ContextBudget
from askance.text.ranking.scoring import Budget, FoundPage, PassageSelector

SIZES = (120, 160, 200, 250, 300, 500)
WINDOWS = (150, 200, 350)
TOPS = (1, 2, 3, 5)
TOKENS = (1500, 2000)
NEAR_COPY = 0.8
# As the web prints it: so many sentences a paragraph, in turn.
SENTENCES = (1, 2, 1, 3)
_SENTENCE_BREAK = re.compile(r"(?<=[.!?]) +(?=[A-Z0-9\"“(])")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and where its answers stand: half-open ranges of the article's words."""

    article: str
    question: str
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to print the articles and to cut them. Every layout keeps the order of the words."""

    name: str
    pages: dict[str, Page]
    max_words: int


@dataclass(frozen=True, slots=True)
class Row:
    """Shares of questions whose answer is among the passages, and the words of a passage."""

    name: str
    words: float
    tops: tuple[float, ...]
    within: tuple[float, ...]


def load_articles(folder: Path) -> dict[str, list[str]]:
    """Return the paragraphs of each SQuAD article, in order."""
    articles: dict[str, list[str]] = defaultdict(list)
    with gzip.open(folder / "passages.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            source, _, rest = row["pid"].partition(":")
            if source == "squad":
                articles[rest.rpartition(":")[0]].append(" ".join(row["text"].split()))
    return dict(articles)


def load_questions(folder: Path, articles: dict[str, list[str]]) -> Iterator[Asked]:
    """Yield the questions whose answer can be found in the paragraph that is said to hold it."""
    with (folder / "squad_chunk_recall.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            paragraphs = articles[row["article"]]
            opening = " ".join(row["paragraph"].split())
            place = next((i for i, p in enumerate(paragraphs) if p.startswith(opening)), None)
            if place is None:
                continue
            before = sum(len(p.split()) for p in paragraphs[:place])
            spans = tuple(_spans(paragraphs[place], row["answers"], before))
            if spans:
                yield Asked(row["article"], row["question"].strip(), spans)


def _spans(paragraph: str, answers: Sequence[str], before: int) -> Iterator[tuple[int, int]]:
    for answer in answers:
        wanted = " ".join(answer.split())
        for match in re.finditer(re.escape(wanted), paragraph):
            first = len(paragraph[: match.start() + 1].split()) - 1
            yield before + first, before + len(paragraph[: match.end()].split())


def print_whole(paragraphs: Sequence[str]) -> str:
    """Print an article as its author wrote it."""
    return "\n\n".join(paragraphs)


def print_broken(paragraphs: Sequence[str]) -> str:
    """Print an article as the web does: a paragraph every one to three sentences."""
    sizes = cycle(SENTENCES)
    found: list[str] = []
    for paragraph in paragraphs:
        rest = iter(_SENTENCE_BREAK.split(paragraph))
        while taken := list(islice(rest, next(sizes))):
            found.append(" ".join(taken))
    return "\n\n".join(found)


def print_windows(paragraphs: Sequence[str], size: int) -> str:
    """Print an article as blocks of `size` words, each of which is then a passage of its own."""
    words = " ".join(paragraphs).split()
    return "\n\n".join(" ".join(words[i : i + size]) for i in range(0, len(words), size))


def layouts(articles: dict[str, list[str]]) -> Iterator[Layout]:
    """Yield every layout that is compared."""
    whole = {name: _page(name, print_whole(texts)) for name, texts in articles.items()}
    broken = {name: _page(name, print_broken(texts)) for name, texts in articles.items()}
    yield Layout("own paragraphs", whole, SIZES[-1])
    for size in SIZES:
        yield Layout(f"broken, joined up to {size}", broken, size)
    for size in WINDOWS:
        pages = {name: _page(name, print_windows(texts, size)) for name, texts in articles.items()}
        yield Layout(f"windows of {size}", pages, size)


def measure(layout: Layout, questions: Sequence[Asked]) -> Row:
    """Ask every question of its article, as a round of a run would."""
    governor = ContextBudget(8192, 0)
    tops, within = [0] * len(TOPS), [0] * len(TOKENS)
    words = passages = 0
    for asked in questions:
        page = layout.pages[asked.article]
        best = _select(asked, page, layout, Budget(10**6, passages=max(TOPS)), governor)
        words += sum(len(p.text.split()) for p in best)
        passages += len(best)
        first = next((i for i, p in enumerate(best) if _holds(p, page, asked)), len(best))
        for i, top in enumerate(TOPS):
            tops[i] += first < min(top, len(best))
        for i, tokens in enumerate(TOKENS):
            chosen = _select(asked, page, layout, Budget(tokens), governor)
            within[i] += any(_holds(p, page, asked) for p in chosen)
    total = len(questions)
    return Row(
        layout.name,
        words / passages,
        tuple(n / total for n in tops),
        tuple(n / total for n in within),
    )


def _select(
    asked: Asked, page: Page, layout: Layout, budget: Budget, governor: ContextBudget
) -> tuple[Passage, ...]:
    selector = PassageSelector(asked.question, max_words=layout.max_words, near_copy=NEAR_COPY)
    return selector.select([FoundPage(page, ())], budget, governor.cost).passages


def _holds(passage: Passage, page: Page, asked: Asked) -> bool:
    first = len(page.markdown[: passage.offset].split())
    end = first + len(passage.text.split())
    return any(first <= start and stop <= end for start, stop in asked.spans)


def _page(name: str, markdown: str) -> Page:
    return Page(name, PageStatus.OK, title=name.replace("_", " "), markdown=markdown)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every layout and write a Markdown table, a row as soon as it is known."""
    parser = argparse.ArgumentParser(description="Measure passage sizes.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth question")
    options = parser.parse_args(arguments)
    articles = load_articles(options.folder)
    questions = list(load_questions(options.folder, articles))[:: options.every]
    heads = [f"top {n}" for n in TOPS] + [f"{n:,} tokens" for n in TOKENS]
    _write(f"{len(questions)} questions, {len(articles)} articles\n")
    _write(f"| passages | words | {' | '.join(heads)} |")
    _write("|---|---:|" + "---:|" * len(heads))
    for layout in layouts(articles):
        row = measure(layout, questions)
        shares = " | ".join(f"{share:.3f}".lstrip("0") for share in (*row.tops, *row.within))
        _write(f"| {row.name} | {row.words:.0f} | {shares} |")


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
