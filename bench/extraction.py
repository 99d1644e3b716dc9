"""How well is the text of an article found? F1 on real pages, and the time that a page takes.

The folder holds `ground-truth.json` (`{key: {"articleBody", "url"}}`) and `html/KEY.html` or `html/KEY.html.gz`, as the
article extraction benchmark of Scrapinghub has them; the score is computed as that benchmark does:
shingles of four words, counted with their multiplicity, shares per page, the means of precision and
recall over all pages, and F1 of these two means.

    python -m bench.extraction [FOLDER]
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median, quantiles
from typing import Any, cast

from trafilatura import bare_extraction

from askance.extract.page import extract_page
from bench.beside import SHARED

OWN_FOLDER = Path(__file__).parents[1] / "tests" / "quality" / "pages"
FOLDER = SHARED / "box" / "data" / "extraction"
PAGE = Path(__file__).parents[1] / "docs" / "bench" / "extraction.md"
CORPORA = "\n## Public corpora\n"
"""Begins what `bench.extraction_corpora` writes."""
SHINGLE_WORDS = 4
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Article:
    """A page as its server sent it, and the text that a person took for its article."""

    key: str
    url: str
    html: bytes
    text: str


@dataclass(frozen=True, slots=True)
class Score:
    """What one extractor reached. Times are milliseconds a page."""

    name: str
    precision: float
    recall: float
    median_ms: float
    p95_ms: float

    @property
    def f1(self) -> float:
        """The harmonic mean of the mean precision and the mean recall."""
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def load_articles(folder: Path) -> list[Article]:
    """Read the pages of a folder."""
    truth = json.loads((folder / "ground-truth.json").read_text(encoding="utf-8"))
    return [
        Article(
            key,
            row["url"],
            _page(folder / "html" / f"{key}.html"),
            row["articleBody"],
        )
        for key, row in truth.items()
    ]


def ours(article: Article) -> str:
    """Extract as the reader does."""
    return extract_page(article.html, article.url, "text/html").markdown


def plain_trafilatura(article: Article) -> str:
    """Extract as the library does by itself."""
    found = cast("Any", bare_extraction(article.html, url=article.url, include_comments=False))
    return found.text if found is not None else ""


def shares(truth: str, found: str) -> tuple[float, float]:
    """Return the precision and the recall of one page; nothing found and nothing there is 1."""
    wanted, got = _shingles(truth), _shingles(found)
    if wanted == got:
        return 1.0, 1.0
    common = (wanted & got).total()
    return (
        common / got.total() if got else 0.0,
        common / wanted.total() if wanted else 0.0,
    )


def measure(name: str, articles: Sequence[Article], extract: Callable[[Article], str]) -> Score:
    """Extract all pages, each three times, and score them; the quickest of the three is its time."""
    times, precisions, recalls = [], [], []
    for article in articles:
        found, took_ms = _timed(extract, article)
        precision, recall = shares(article.text, found)
        times.append(took_ms)
        if found.strip():
            precisions.append(precision)
        recalls.append(recall)
    return Score(name, mean(precisions), mean(recalls), median(times), quantiles(times, n=20)[-1])


def render(scores: Iterable[Score], pages: int, own: Iterable[Score], own_pages: int) -> str:
    """Return the page that tells of the scores, on the reference pages and on the project's own."""
    rows, own_rows = _rows(scores), _rows(own)
    return f"""# Taking the text out of pages, measured

`make bench` writes this page where the reference pages are at hand: {pages} real article pages with
the text that people took for the article. The score is that of the article extraction benchmark of
Scrapinghub (shingles of four words, F1 of the mean precision and the mean recall); the pages belong
to their publishers and are not part of this repository.

| | F1 | precision | recall | median, ms a page | 95th percentile, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
{rows}

Each page is extracted three times, one after another on one core; its time is the shortest of the
three. *Ours* takes off what is hidden, notices consent walls and pages without text, and writes
Markdown; *plain* is the library it stands on, called as its documentation says. Both run in the
same process, so that their ratio means more than the milliseconds of one machine.

## The project's own pages

{own_pages} pages with invented texts, in the manner of a newspaper, a blog, a manual, a forum, a shop and
others, are part of the repository (`tests/quality/pages`); a test holds the score on them everywhere.
In the forum the answers are lost: they look like the comments below an article.

| on the project's own pages | F1 | precision | recall | median, ms a page | 95th percentile, ms |
| --- | ---: | ---: | ---: | ---: | ---: |
{own_rows}
"""


def _rows(scores: Iterable[Score]) -> str:
    return "\n".join(
        f"| {s.name} | {s.f1:.3f} | {s.precision:.3f} | {s.recall:.3f}"
        f" | {s.median_ms:.0f} | {s.p95_ms:.0f} |"
        for s in scores
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and write the page; say so where there is nothing to measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.extraction", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER)
    parser.add_argument("--out", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    if not (options.folder / "ground-truth.json").exists():
        sys.stdout.write("extraction: the reference pages are not at hand; nothing is measured.\n")
        return
    articles, own_articles = load_articles(options.folder), load_articles(OWN_FOLDER)
    scores = [
        measure("ours", articles, ours),
        measure("plain Trafilatura", articles, plain_trafilatura),
    ]
    own = [
        measure("Askance", own_articles, ours),
        measure("plain Trafilatura", own_articles, plain_trafilatura),
    ]
    page = render(scores, len(articles), own, len(own_articles))
    if options.out.exists():  # the last part is of another bench
        _, mark, corpora = options.out.read_text(encoding="utf-8").partition(CORPORA)
        page += mark + corpora
    options.out.write_text(page, encoding="utf-8")
    for score in scores:
        sys.stdout.write(
            f"extraction: {score.name}: F1 {score.f1:.3f}, {score.median_ms:.0f} ms a page\n"
        )


def _page(path: Path) -> bytes:
    packed = path.with_name(f"{path.name}.gz")
    return path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())


def _timed(extract: Callable[[Article], str], article: Article) -> tuple[str, float]:
    found, best_s = "", float("inf")
    for _ in range(3):
        began = time.perf_counter()
        found = extract(article)
        best_s = min(best_s, time.perf_counter() - began)
    return found, best_s * 1000


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    words = _WORD.findall(text)
    count = max(1, len(words) - SHINGLE_WORDS + 1)
    return Counter(tuple(words[i : i + SHINGLE_WORDS]) for i in range(count) if words[i:])


if __name__ == "__main__":
    main()
