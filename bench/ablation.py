"""What does each rule of the page reader bring? Each is switched off by itself, and everything is measured again.

    python -m bench.ablation --cache FILE [--mozilla DIR] [--defuddle DIR] [--trafilatura DIR] [--wcxb DIR] [--pages DIR]
        [--postlight DIR] [--cases DIR] [--thin N] [--only WORD]

The folders are those of `bench.extraction_corpora`; `--cases` is a folder of pages (`*/*.html`) of which only is counted
how many are read differently. The ways to hide a text (`bench.hidden_text`) are always measured. A first run
reads all pages and notes for each rule the pages on which it does something; switched off, only those are read
again. Results are collected in the cache: an interrupted run goes on where it ended. `--thin` takes every
Nth page of each corpus.

`bench/ablation_switches.py` is the table of rules.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import multiprocessing
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from types import GeneratorType
from typing import Any, cast

from lxml import html

import askance.extract
from askance.extract.page import extract_page
from bench.ablation_switches import SWITCHES, Switch, Touch
from bench.extraction import shares
from bench.extraction_corpora import Page, defuddle, mozilla, overlap, reference, trafilatura, wcxb
from bench.hidden_text import WORDS, load_ways
from bench.metadata import RIGHT, load_fixtures, outcome_of

_LOADERS = {
    "mozilla": mozilla,
    "defuddle": defuddle,
    "trafilatura": trafilatura,
    "wcxb": wcxb,
    "pages": reference,
}
_ROOT = Path(askance.extract.__path__[0])
_PROCESSES = 2
CASES = "cases"


@dataclass(frozen=True, slots=True)
class Read:
    """A page as it was read."""

    markdown: str
    title: str
    byline: str
    published: str
    reason: str


Points = dict[str, tuple[float, float]]
"""By measure: the points that a page gets, and how many it could."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A page, and the points that it gets as it is read."""

    name: str
    url: str
    html: bytes
    score: Callable[[Read], Points]

    def read(self) -> Read:
        """Read it as it is read now."""
        found = extract_page(self.html, self.url, "text/html")
        day, why = found.published or "", str(found.reason)
        return Read(found.markdown, found.title, found.byline, day, why)


def samples_of(chosen: dict[str, Any]) -> Iterator[Sample]:
    """Yield the pages of all measures that there are folders for."""
    for name, load in _LOADERS.items():
        pages = list(load(chosen[name])) if chosen[name] else []
        for page in pages[:: chosen["thin"]]:
            yield Sample(page.name, page.url, page.html, partial(_points_of, name, page))
    fixtures = load_fixtures(chosen["postlight"]) if chosen["postlight"] else []
    for fixture in fixtures[:: chosen["thin"]]:
        score = partial(_fields_right, fixture.expected)
        yield Sample(fixture.name, fixture.url, fixture.html, score)
    for way in load_ways("hidden"):
        yield Sample(way.name, "http://lindmouth.example/", way.page().encode(), _is_hidden)
    for way in load_ways("seen"):
        yield Sample(way.name, "http://lindmouth.example/", way.page().encode(), _is_seen)
    for file in sorted(chosen["cases"].glob("*/*.html")) if chosen["cases"] else ():
        name = f"{file.parent.name}/{file.name}"
        yield Sample(name, "https://pages.example/a", file.read_bytes(), lambda _: {CASES: (0, 1)})


def _points_of(name: str, page: Page, read: Read) -> Points:
    if page.inside:
        plain = " ".join(read.markdown.split())
        right = sum(text in plain for text in page.inside)
        wrong = sum(text in plain for text in page.outside)
        return {name: (2 * right, right + wrong + len(page.inside))}
    if name == "pages":
        precision, recall = shares(page.text, read.markdown)
        return {name: (2 * precision * recall / ((precision + recall) or 1), 1)}
    return {name: (overlap(page.text, read.markdown)[0], 1)}


def _fields_right(expected: dict[str, str], read: Read) -> Points:
    found = {"title": read.title, "author": read.byline, "date": read.published}
    return {f: (outcome_of(f, text, found[f]) == RIGHT, 1) for f, text in expected.items()}


def _is_hidden(read: Read) -> Points:
    return {"hidden": ("CANARY" not in str(read) and "\U000e0043" not in read.markdown, 1)}


def _is_seen(read: Read) -> Points:
    return {"seen": (WORDS in read.markdown, 1)}


@cache
def _modules() -> list[Any]:
    names = (m.name for m in pkgutil.walk_packages(askance.extract.__path__, "askance.extract."))
    return [importlib.import_module(name) for name in names if ".sandbox" not in name]


def _owner_of(place: str) -> tuple[Any, str]:
    module, _, path = place.partition(":")
    owner: Any = importlib.import_module(f"askance.extract.{module}")
    *classes, name = path.split(".")
    for each in classes:
        owner = getattr(owner, each)
    return owner, name


@contextmanager
def patched(place: str, new: Callable[[Any], Any]) -> Iterator[None]:
    """Put something in the place of a function, in all modules that have imported it."""
    owner, name = _owner_of(place)
    old = owner.__dict__[name]
    owners = [owner, *(module for module in _modules() if module.__dict__.get(name) is old)]
    made = new(old)
    for each in owners:
        setattr(each, name, made)
    try:
        yield
    finally:
        for each in owners:
            setattr(each, name, old)


def _watched(switch: Switch, new: Any, touched: set[str]) -> Callable[[Any], Any]:
    """Return what notes a rule as one that does something, where its result is not what it is switched off."""

    def watch(old: Any) -> Any:
        if not callable(old) or switch.touch is Touch.ALL:
            touched.add(switch.name)
            return old

        def watching(*args: Any, **options: Any) -> Any:
            off = None if switch.touch is Touch.CALL else new(*args, **options)
            # What returns nothing changes a tree.
            tree = next((a for a in args if hasattr(a, "itertext")), None) if off is None else None
            before = html.tostring(tree) if tree is not None else None
            result = old(*args, **options)
            if isinstance(result, GeneratorType):
                result = list(cast("Iterable[Any]", result))
            is_same = result == off or not (result or off)
            is_other = tree is not None and html.tostring(tree) != before
            if switch.touch is Touch.CALL or is_other or not is_same:
                touched.add(switch.name)
            return result

        return watching

    return watch


_samples: list[Sample] = []


def _read_watched(number: int) -> tuple[int, Read, list[str]]:
    touched: set[str] = set()
    with ExitStack() as stack:
        for switch in SWITCHES:
            for place, new in switch.off.items():
                stack.enter_context(patched(place, _watched(switch, new, touched)))
        return number, _samples[number].read(), sorted(touched)


def _read_without(task: tuple[str, list[int]]) -> tuple[str, dict[str, Any]]:
    name, numbers = task
    switch = next(switch for switch in SWITCHES if switch.name == name)
    with ExitStack() as stack:
        for place, new in switch.off.items():
            stack.enter_context(patched(place, lambda _, new=new: new))
        return name, {str(n): asdict(_samples[n].read()) for n in numbers}


def measure(results: Path, only: str) -> tuple[dict[int, Read], dict[str, dict[int, Read]]]:
    """Return how all pages are read, and for each rule those that are read differently without it."""
    base: dict[int, Read] = {}
    touched: dict[str, list[int]] = {}
    changed: dict[str, dict[int, Read]] = {}
    for line in results.read_text("utf-8").splitlines() if results.exists() else ():
        row = json.loads(line)
        if "base" in row:
            base[row["base"]] = Read(**row["read"])
            for name in row["touched"]:
                touched.setdefault(name, []).append(row["base"])
        else:
            changed[row["switch"]] = {int(n): Read(**read) for n, read in row["reads"].items()}
    context = multiprocessing.get_context("fork")
    with results.open("a", encoding="utf-8") as file, context.Pool(_PROCESSES) as pool:
        missing = [n for n in range(len(_samples)) if n not in base]
        for number, read, names in pool.imap_unordered(_read_watched, missing, chunksize=8):
            base[number] = read
            for name in names:
                touched.setdefault(name, []).append(number)
            row = {"base": number, "read": asdict(read), "touched": names}
            file.write(json.dumps(row) + "\n")
    with (
        results.open("a", encoding="utf-8") as file,
        context.Pool(_PROCESSES, maxtasksperchild=1) as pool,
    ):
        tasks = [
            (switch.name, touched.get(switch.name, []))
            for switch in SWITCHES
            if switch.name not in changed and only in switch.name
        ]
        tasks.sort(key=lambda task: len(task[1]))
        for name, reads in pool.imap_unordered(_read_without, tasks):
            changed[name] = {int(n): Read(**read) for n, read in reads.items()}
            file.write(json.dumps({"switch": name, "reads": reads}) + "\n")
            file.flush()
            sys.stderr.write(f"{name}: {len(reads)} pages\n")
    for reads in changed.values():
        for number in [n for n, read in reads.items() if read == base[n]]:
            del reads[number]
    return base, changed


def render(base: dict[int, Read], changed: dict[str, dict[int, Read]]) -> str:
    """Return the table: what each measure loses without each rule, F1 in thousandths, all others in cases."""
    points = {n: _samples[n].score(read) for n, read in sorted(base.items())}
    sums = _sums(points.values())
    lines = [
        f"| rule | lines | pages | {' | '.join(sums)} |",
        f"|---|{'---:|' * (len(sums) + 2)}",
        f"| *with all* | | | {' | '.join(f'{_value(m, its):.4g}' for m, its in sums.items())} |",
    ]
    for switch in SWITCHES:
        if (reads := changed.get(switch.name)) is None:
            continue
        scores = {n: _samples[n].score(read) for n, read in reads.items()}
        without = _sums((points | scores).values())
        cells = [_cell(m, _value(m, without[m]) - _value(m, its)) for m, its in sums.items()]
        cells[-1] = str(sum(CASES in its for its in scores.values()) or "")
        pages = sum(not its.keys().isdisjoint(_LOADERS) for its in scores.values())
        lines.append(f"| {switch.name} | {lines_of(switch)} | {pages} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _sums(points: Iterable[Points]) -> Points:
    sums: Points = {}
    for its in points:
        for measure, (got, of) in its.items():
            before = sums.get(measure, (0, 0))
            sums[measure] = before[0] + got, before[1] + of
    return sums


def _value(measure: str, points: tuple[float, float]) -> float:
    return points[0] / points[1] if measure in _LOADERS else points[0]


def _cell(measure: str, change: float) -> str:
    scale, digits = (1000, 2) if measure in _LOADERS else (1, 0)
    return f"{scale * change:+.{digits}f}" if abs(change) > 5e-6 else ""


def lines_of(switch: Switch) -> int:
    """Count the lines of a rule: of its functions, and of what stands in their module for them alone."""
    found = 0
    for module, names in switch.places().items():
        source = (_ROOT / f"{module.replace('.', '/')}.py").read_text()
        if not names:
            found += source.count("\n")
            continue
        parts = [(part, _names_made(part)) for part in ast.parse(source).body]
        gone = {name.split(".")[0] for name in names if "." not in name}
        methods = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
        found += sum(_length(m) for m in methods for n in names if n.partition(".")[2] == m.name)
        more = True
        while more:
            used = {n for part, own in parts if not own & gone for n in _names_used(part, own)}
            more = {n for _, own in parts for n in own if n[0] == "_" or n in gone} - used - gone
            needed = {n for part, own in parts if own & gone for n in _names_used(part, own)}
            more &= needed
            gone |= more
        found += sum(_length(part) for part, own in parts if own & gone)
    return found


def _names_made(part: ast.stmt) -> set[str]:
    if isinstance(part, ast.Assign | ast.AnnAssign):
        targets = part.targets if isinstance(part, ast.Assign) else [part.target]
        return {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return {part.name} if isinstance(part, ast.FunctionDef | ast.ClassDef) else set()


def _names_used(part: ast.stmt, own: set[str]) -> set[str]:
    return {n.id for n in ast.walk(part) if isinstance(n, ast.Name)} - own


def _length(part: ast.stmt) -> int:
    return (part.end_lineno or part.lineno) - part.lineno + 1


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name in (*_LOADERS, "postlight", "cases"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--thin", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args(arguments)
    _samples[:] = samples_of(vars(options))
    base, changed = measure(options.cache, options.only)
    sys.stdout.write(f"{render(base, changed)}\n")


if __name__ == "__main__":
    main()
