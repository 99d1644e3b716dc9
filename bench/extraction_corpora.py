"""How well is the main text found, over public corpora, beside Trafilatura and readability-lxml on the same bytes?

    python -m bench.extraction_corpora [--mozilla DIR] [--defuddle DIR] [--trafilatura DIR] [--wcxb DIR] [--pages DIR]
        [--postlight DIR] [--page]

Each folder is a checkout of a project: mozilla/readability (`test/test-pages`), kepano/defuddle (`tests`),
adbar/trafilatura (`tests`: `evaldata.json`, with strings that belong to the text and strings that do not), and the
pages of the article extraction benchmark (`bench.extraction`); that of WCXB holds `ground-truth.json.gz` and `html/KEY.html.gz`;
postlight/parser has the fixtures of titles, names and days (`bench.metadata`). Nothing is downloaded. readability-lxml is measured where
it is installed.

Mozilla, Defuddle and WCXB: F1 of words, with their multiplicity, as a mean over pages; for Defuddle also the share of
expected sentences of four words and more that stand in the output. Trafilatura: precision and recall of its strings.
The reference pages: as in `bench.extraction`. A second check is of fidelity: each line of the output must stand in the
page, letter by letter and digit by digit, without regard to white space and signs.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any, cast

from lxml import html
from trafilatura import bare_extraction

import bench.metadata as bench_metadata
from askance.extract.page import extract_page
from askance.extract.text.decoding import decode_text
from bench.extraction import CORPORA, PAGE, load_articles, shares

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_UNREADABLE = re.compile(
    r"<\?xml[^>]{0,200}\?>|[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
_MARKS = re.compile(r"[*_`#>|\\]")
_WRITTEN = re.compile(r"\$|^\s*```")
_LIST_NUMBER = re.compile(r"^ {0,60}(?:[0-9]{1,10}|[a-zA-Z]{1,12})\. ")
_LEAST_WORDS = 4
OURS = "Askance"
_HEAD = re.compile(r"^```json\n.*?\n```\n", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]{0,2000}\]\([^)]{0,2000}\)")
_LINK = re.compile(r"\[([^\]]{0,2000})\]\([^)]{0,2000}\)")
_ADDRESS = re.compile(rb'<!--\s*(\{"url":.*?\})\s*-->')
_LINES = frozenset({
    "p", "div", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "tr", "br", "pre", "blockquote", "section", "article",
    "dt", "dd", "figure", "figcaption", "header", "ul", "ol", "table",
})  # fmt: skip
# How many pages of each kind WCXB's development set has.
_WCXB_KINDS = {
    "article": 793, "service": 165, "product": 119, "collection": 117, "forum": 113, "listing": 99,
    "documentation": 91,
}  # fmt: skip
_ABOUT = """
`python -m bench.extraction_corpora` writes this part, from folders that it is given: Mozilla's Readability, Defuddle, Trafilatura
(their own tests), a part of WCXB and the reference pages above. Mozilla, Defuddle and WCXB: F1 of words, counted with their
multiplicity, as a mean over pages; Trafilatura: of the strings
that it expects and does not; the reference pages: as above. WCXB counts in the same way (its `evaluate.py`: `\\w+` in small letters). The
pages of it that are given are drawn by kind, 35 to 60 of each of seven, so that their mean is not that of its development set, half of
which are articles; below the table stands what the mean comes to with each kind as often as there. Its own figures, of all 1,497 pages:
Trafilatura .791, rs-trafilatura .859. Times are of one process, CPU time, of each page by one extractor after the other. The weights by which blocks are chosen
(`extract/html/selection_weights.py`, a logistic regression) were learned on these corpora, so these figures are of known pages. With
weights learned on half of the pages, the other half came to F1 .951 (Mozilla), .922 (Defuddle), .928 (Trafilatura) and .957
(reference pages).
"""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, and what is expected of it: a text, or strings that belong to it and strings that do not."""

    name: str
    url: str
    html: bytes
    text: str = ""
    inside: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Result:
    """What one extractor reached over a corpus. `sentences` is a share, or nan where none are expected."""

    f1: float
    recall: float
    weighted_f1: float
    sentences: float
    empty: int
    median_ms: float
    total_s: float


def mozilla(folder: Path) -> Iterator[Page]:
    """Yield the pages of Mozilla's Readability."""
    for source in sorted((folder / "test" / "test-pages").glob("*/source.html")):
        expected = (source.parent / "expected.html").read_text(encoding="utf-8")
        url = "http://fakehost/test/page.html"
        yield Page(source.parent.name, url, source.read_bytes(), _text_of(expected))


def defuddle(folder: Path) -> Iterator[Page]:
    """Yield the pages of Defuddle."""
    expected = {file.stem.lower(): file for file in (folder / "tests" / "expected").glob("*.md")}
    for source in sorted((folder / "tests" / "fixtures").glob("*.html")):
        data = source.read_bytes()
        if file := expected.get(source.stem.lower()):
            found = _ADDRESS.search(data)
            url = json.loads(found[1])["url"] if found else f"https://{source.stem}"
            text = _PICTURE.sub("", _HEAD.sub("", file.read_text(encoding="utf-8"), count=1))
            yield Page(source.stem, url, data, _LINK.sub(r"\1", text))


def trafilatura(folder: Path) -> Iterator[Page]:
    """Yield the pages of Trafilatura."""
    tests = folder / "tests"
    rows = json.loads((tests / "evaldata.json").read_text(encoding="utf-8"))
    for url, row in sorted(rows.items()):
        files = (tests / place / row["file"] for place in ("cache", "eval"))
        if file := next((file for file in files if file.is_file()), None):
            inside, outside = (tuple(map(_plain, row[key])) for key in ("with", "without"))
            yield Page(row["file"], url, file.read_bytes(), "", inside, outside)


def wcxb(folder: Path) -> Iterator[Page]:
    """Yield pages of WCXB."""
    rows = json.loads(gzip.decompress((folder / "ground-truth.json.gz").read_bytes()))
    drawn = Counter(row["type"] for row in rows.values())
    for key, row in rows.items():
        page = gzip.decompress((folder / "html" / f"{key}.html.gz").read_bytes())
        weight = _WCXB_KINDS[row["type"]] / drawn[row["type"]]
        yield Page(key, row["url"], page, row["main_content"], weight=weight)


def reference(folder: Path) -> Iterator[Page]:
    """Yield the reference pages of `bench.extraction`."""
    for article in load_articles(folder):
        yield Page(article.key, article.url, article.html, article.text)


def ours(page: Page) -> str:
    """Extract as the reader does."""
    return extract_page(page.html, page.url, "text/html").markdown


def library(page: Page, *, comments: bool) -> str:
    """Extract with Trafilatura as it is."""
    found = cast("Any", bare_extraction(page.html, url=page.url, include_comments=comments))
    if found is None:
        return ""
    return f"{found.text or ''}\n{(found.comments or '') if comments else ''}"


def readability(page: Page) -> str:
    """Extract with readability-lxml."""
    module = cast("Any", importlib.import_module("readability"))
    try:
        return _text_of(module.Document(page.html).summary())
    except module.readability.Unparseable:
        return ""


def extractors() -> Mapping[str, Callable[[Page], str]]:
    """Return what is compared, by name."""
    found: dict[str, Callable[[Page], str]] = {
        OURS: ours,
        "Trafilatura": lambda page: library(page, comments=False),
        "Trafilatura with comments": lambda page: library(page, comments=True),
    }
    try:
        importlib.import_module("readability")
    except ImportError:
        return found
    return {**found, "readability-lxml": readability}


def measure(
    pages: Sequence[Page], extractors: Mapping[str, Callable[[Page], str]], *, shingles: bool
) -> tuple[dict[str, Result], list[tuple[str, str]]]:
    """Have each extractor read each page and compare; return also the lines of ours that do not stand in their page.

    Each page is read by one after the other, so that whatever else a machine does falls on all alike.
    `shingles` counts as `bench.extraction` does.
    """
    outputs: dict[str, list[str]] = {by: [] for by in extractors}
    seconds: dict[str, list[float]] = {by: [] for by in extractors}
    for page in pages:
        for by, extract in extractors.items():
            begun = time.process_time()
            outputs[by].append(extract(page))
            seconds[by].append(time.process_time() - begun)
    results = {
        by: _result(list(zip(pages, outputs[by], strict=True)), seconds[by], shingles=shingles)
        for by in extractors
    }
    return results, _unfaithful(zip(pages, outputs[OURS], strict=True))


def _result(
    pairs: Sequence[tuple[Page, str]], seconds: Sequence[float], *, shingles: bool
) -> Result:
    f1, recall, weighted = _shingled(pairs) if shingles else _compared(pairs)
    sentences = [_said(page.text, output) for page, output in pairs if page.text]
    expected = sum(count for _, count in sentences)
    return Result(
        f1,
        recall,
        weighted,
        sum(found for found, _ in sentences) / expected if expected else float("nan"),
        sum(not output.strip() for _, output in pairs),
        1000 * median(seconds),
        sum(seconds),
    )


def _unfaithful(pairs: Iterable[tuple[Page, str]]) -> list[tuple[str, str]]:
    """Return the lines of outputs that do not stand in their page, with the names of their pages."""
    found: list[tuple[str, str]] = []
    for page, output in pairs:
        # Formulas and the languages of code are written anew, from what the page keeps for programs; the numbers
        # of lists are the browser's.
        lines = [
            _LIST_NUMBER.sub("", line) for line in output.splitlines() if not _WRITTEN.search(line)
        ]
        letters = _letters(_text_of(page.html))
        found += [(page.name, line) for line in lines if _letters(line) not in letters]
    return found


def _compared(pairs: Sequence[tuple[Page, str]]) -> tuple[float, float, float]:
    if any(page.inside for page, _ in pairs):
        return _judged(pairs)
    rows = [overlap(page.text, output) for page, output in pairs]
    weights = [page.weight for page, _ in pairs]
    weighted = sum(f1 * weight for (f1, _), weight in zip(rows, weights, strict=True))
    f1, recall = mean(row[0] for row in rows), mean(row[1] for row in rows)
    return f1, recall, weighted / sum(weights)


def _judged(pairs: Sequence[tuple[Page, str]]) -> tuple[float, float, float]:
    right = wrong = missing = 0
    for page, output in pairs:
        plain = _plain(output)
        found = sum(string in plain for string in page.inside)
        right, missing = right + found, missing + len(page.inside) - found
        wrong += sum(string in plain for string in page.outside)
    f1 = 2 * right / (2 * right + wrong + missing)
    return f1, right / (right + missing), f1


def _shingled(pairs: Sequence[tuple[Page, str]]) -> tuple[float, float, float]:
    rows = [shares(page.text, output) for page, output in pairs]
    precision, recall = mean(row[0] for row in rows), mean(row[1] for row in rows)
    f1 = 2 * precision * recall / (precision + recall)
    return f1, recall, f1


def overlap(wanted: str, output: str) -> tuple[float, float]:
    """Return F1 and recall of the words of a text."""
    expected, found = _words(wanted), _words(output)
    common = (expected & found).total()
    precision = common / found.total() if found else 0.0
    recall = common / expected.total() if expected else 0.0
    return (2 * precision * recall / (precision + recall) if common else 0.0), recall


def _said(expected: str, output: str) -> tuple[int, int]:
    sentences = (_WORD.findall(_MARKS.sub("", s).lower()) for s in _SENTENCE_END.split(expected))
    whole = " ".join(_WORD.findall(output.lower()))
    found = [" ".join(words) in whole for words in sentences if len(words) >= _LEAST_WORDS]
    return sum(found), len(found)


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))


def _plain(text: str) -> str:
    return " ".join(text.split())


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _text_of(source: str | bytes) -> str:
    if not source.strip():
        return ""
    text = decode_text(source, "text/html") if isinstance(source, bytes) else source
    tree = cast("Any", html).document_fromstring(_UNREADABLE.sub("", text))
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.tag in {"script", "style"}:
            if element.getparent() is not None:
                element.drop_tree()
        elif element.tag in _LINES:
            element.text = f"\n{element.text or ''}"
            element.tail = f"\n{element.tail or ''}"
    return tree.text_content()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the folders that are given and print the table; with `--page` write it into docs/bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    loaders = {
        "mozilla": mozilla,
        "defuddle": defuddle,
        "trafilatura": trafilatura,
        "wcxb": wcxb,
        "pages": reference,
    }
    for name in (*loaders, "postlight"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument(
        "--page", action="store_true", help="write the table into docs/bench/extraction.md"
    )
    chosen = vars(parser.parse_args(arguments))
    lines = [
        "| corpus (pages) | extractor | F1 | recall | expected sentences | empty | ms a page, median | total / Trafilatura's |",
        "|---|---|---|---|---|---|---|---|",
    ]
    weighted: list[str] = []
    for name, load in loaders.items():
        if chosen[name] is None:
            continue
        pages = list(load(chosen[name]))
        results, odd = measure(pages, extractors(), shingles=load is reference)
        for by, result in results.items():
            sentences = "" if result.sentences != result.sentences else f"{result.sentences:.3f}"
            lines.append(
                f"| {name} ({len(pages)}) | {by} | {result.f1:.3f} | {result.recall:.3f} | {sentences} "
                f"| {result.empty} | {result.median_ms:.0f} | {result.total_s / results['Trafilatura'].total_s:.2f} |"
            )
        if load is wcxb:
            figures = (f"{by} {result.weighted_f1:.3f}" for by, result in results.items())
            weighted = ["", f"F1 over WCXB with each kind weighted as above: {', '.join(figures)}."]
        lines.append(
            f"| {name} ({len(pages)}) | lines that do not stand in their page | {len(odd)} | | | | | |"
        )
        sys.stderr.writelines(f"{page}: {line[:160]}\n" for page, line in odd[:20])
    table = "\n".join([*lines, *weighted])
    if chosen["postlight"] is not None:
        fixtures = bench_metadata.load_fixtures(chosen["postlight"])
        counts = bench_metadata.render(bench_metadata.measure(fixtures))
        table += f"\n\nTitles, names and days of the {len(fixtures)} fixtures of Postlight's parser:\n\n{counts.rstrip()}"
    sys.stdout.write(f"{table}\n")
    if chosen["page"]:
        before = PAGE.read_text(encoding="utf-8").partition(CORPORA)[0]
        PAGE.write_text(f"{before}{CORPORA}{_ABOUT}\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
