"""How much of the words of people's files is read, beside a program that is made for them?

    python -m bench.file_corpora FOLDER... [--pandoc PROGRAM] [--soffice PROGRAM] [--page] [--least SHARE]

Each folder is a checkout of a project with files to test readers with (pandoc's `test`, Tika's test documents,
mammoth's `tests`); it is named by its last part. Nothing is downloaded. For each kind of file the table says how many
files the peer finds words in, how many of these are read, which share of the peer's words stands in what is read
(with their multiplicity; as a mean over files, and over all words), and how many others are refused. A file that is refused
counts as none of its words. `--least` names the files of which a smaller share is read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from xml.etree import ElementTree

from askance.domain.file_formats import format_of
from askance.domain.web_pages import PageStatus
from askance.extract.page import extract_page
from askance.text.languages.scripts import CJK
from bench.file_peers import by_libreoffice, cells, slides

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "files.md"
UNREAD = Path(__file__).with_name("unread_by_pandoc.txt")
# Where words have no spaces between them, each program parts them otherwise: there letters are compared.
_WORD = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_UNSEEN = "Cf"
_SEEN_HYPHEN = re.compile(r"(?<=\d)\u00ad|\u00ad(?=\d)")
_PEER_TIMEOUT_S = 120
# Not presentations, in which it names each slide.
_OF_PANDOC = (".docx", ".docm", ".odt", ".epub", ".fb2", ".ipynb", ".rtf")
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PARAGRAPHS = frozenset({f"{_TEXT}p", f"{_TEXT}h"})
_SPACES = frozenset({f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break"})
_MOST_PARTS = 1_000
_ABOUT = """# People's files, measured

`python -m bench.file_corpora FOLDER... --page` writes this page, from folders that it is given. Words are compared
without case and with their multiplicity; a file that is refused counts as none of its words. A peer's words are no truth:
pandoc numbers lists and repeats alternative texts, and leaves out headers, footers, comments and text boxes; of RTF it takes
every code page for Windows-1252, and `bench/unread_by_pandoc.txt` names such files; LibreOffice, which decodes them, is the
second peer of RTF. Of presentations and spreadsheets the peer
is what their XML holds: every paragraph of slides, notes and OpenDocument files (footers of each slide too, no slide numbers), the text in cells of workbooks, and none of their numbers.
"""

Peer = Callable[[Path], str | None]


@dataclass(frozen=True, slots=True)
class Measured:
    """A file that its peer finds words in: how many, and how many of them are read; `why` it is refused.

    `neighbours` is the share of the pairs of words that stand side by side for both.
    """

    corpus: str
    kind: str
    path: Path
    words: int
    found: int
    why: str = ""
    neighbours: float = 0.0

    @property
    def share(self) -> float:
        """The share of the peer's words that is read."""
        return self.found / self.words


def unread_by(file: Path) -> dict[str, str]:
    """Return the names of files that a peer does not read as they are shown, with the reason, as a file lists them."""
    lines = file.read_text("utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {name: reason for reason, name in rows}


def words_of(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(words_in(text))


def neighbours(text: str, expected: str) -> float:
    """Return which share of the pairs of neighbouring words of a text another one has, too."""
    wanted, found = (Counter(pairwise(words_in(one))) for one in (expected, text))
    return (wanted & found).total() / max(wanted.total(), 1)


def words_in(text: str) -> list[str]:
    """Return the words of a text; soft hyphens, marks of direction and the like, which nobody sees, are left out.

    A soft hyphen beside a digit is one that is seen: nothing is hyphenated there.
    """
    folded = unicodedata.normalize("NFKC", _SEEN_HYPHEN.sub("-", text)).casefold()
    if not folded.isascii():
        folded = "".join(sign for sign in folded if unicodedata.category(sign) != _UNSEEN)
    return _WORD.findall(folded)


def read(path: Path) -> tuple[str, str]:
    """Return the text of a file as the library reads it, and why it has none."""
    form = format_of(path)
    if form is None:
        return "", "files of this kind are not read"
    data, done, texts = path.read_bytes(), 0, list[str]()
    for _ in range(_MOST_PARTS):
        content_type = (
            f"{form.content_type}; first={done}" if form.is_in_parts else form.content_type
        )
        found = extract_page(data, path.as_uri(), content_type)
        if found.status is not PageStatus.OK:
            return "\n".join(texts), "" if texts else str(found.detail)
        texts.append(found.markdown)
        more = found.detail.values.get("next", found.detail.values.get("pages"))
        if not form.is_in_parts or not isinstance(more, int) or more <= done:
            break
        done = more
    return "\n".join(texts), ""


def pandoc(program: str) -> Peer:
    """Return what pandoc reads of a file."""

    def text_of(path: Path) -> str | None:
        suffix = re.sub("m$", "x", path.suffix.lower().removeprefix("."))
        try:
            ran = subprocess.run(  # noqa: S603 - a program that was named
                [program, "-f", suffix, "-t", "plain", "--wrap=none", str(path)],
                capture_output=True,
                timeout=_PEER_TIMEOUT_S,
                check=True,
            )
        except (subprocess.SubprocessError, OSError):
            return None
        return ran.stdout.decode("utf-8", "replace")

    return text_of


def peers(arguments: argparse.Namespace) -> dict[str, tuple[str, Peer]]:
    """Return for each ending of names the peer that reads such files, with its name."""
    found: dict[str, tuple[str, Peer]] = dict.fromkeys((".ods", ".odp"), ("XML", paragraphs))
    found |= dict.fromkeys((".pptx", ".pptm"), ("XML", slides))
    found |= dict.fromkeys((".xlsx", ".xlsm"), ("XML", cells))
    if arguments.pandoc:
        found |= dict.fromkeys(_OF_PANDOC, ("pandoc", pandoc(arguments.pandoc)))
    return found


def paragraphs(path: Path) -> str | None:
    """Return all paragraphs and headings that the XML of an OpenDocument file holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            tree = ElementTree.fromstring(archive.read("content.xml"))  # noqa: S314 - corpora that were named
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, OSError):
        return None
    named = (each for each in tree.iter() if each.tag in _PARAGRAPHS)
    return "\n".join("".join(_told(each)) for each in named)


def _told(element: ElementTree.Element) -> Iterator[str]:
    """Yield the text of a paragraph without that of the paragraphs in it; spaces and tabs are elements."""
    yield element.text or ""
    for child in element:
        if child.tag not in _PARAGRAPHS:
            yield " " if child.tag in _SPACES else "".join(_told(child))
        yield child.tail or ""


def measure(folder: Path, readers: dict[str, tuple[str, Peer]]) -> list[Measured]:
    """Measure all files of a folder that have a peer."""
    measured: list[Measured] = []
    for path in sorted(folder.resolve().rglob("*")):
        suffix = path.suffix.lower()
        if suffix not in readers or not path.is_file():
            continue
        expected = words_of(readers[suffix][1](path) or "")
        if not expected:
            continue
        text, why = read(path)
        found = sum((words_of(text) & expected).values())
        kind = suffix.removeprefix(".").upper()
        measured.append(Measured(folder.name, kind, path, expected.total(), found, why))
    return measured


def table(measured: Iterable[Measured], readers: dict[str, tuple[str, Peer]]) -> str:
    """Return a row for each kind of file in each corpus, and one for each kind in all of them."""
    rows: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    for one in measured:
        rows[one.kind, one.corpus].append(one)
        rows[one.kind, "all"].append(one)
    lines = [
        "| kind | corpus | peer | files with words | read | share, mean | share, of all words |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for (kind, corpus), files in sorted(
        rows.items(), key=lambda row: (row[0][0], row[0][1] == "all", row[0][1])
    ):
        peer = readers[f".{kind.lower()}"][0]
        whole = sum(one.found for one in files) / sum(one.words for one in files)
        is_read = sum(not one.why for one in files)
        lines.append(
            f"| {kind} | {corpus} | {peer} | {len(files)} | {is_read} "
            f"| {mean(one.share for one in files):.3f} | {whole:.3f} |"
        )
    return "\n".join(lines)


def name_small(measured: Iterable[Measured], least: float) -> None:
    """Name the files of which a smaller share is read."""
    for one in sorted(measured, key=lambda one: one.share):
        if one.share < least:
            sys.stderr.write(f"{one.share:.3f} {one.words:7} {one.path} {one.why}\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the folders that are given and print the table; with `--page` write it into docs/bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--pandoc", default=shutil.which("pandoc"), help="the program pandoc")
    parser.add_argument(
        "--soffice", default=shutil.which("soffice"), help="the program LibreOffice"
    )
    parser.add_argument("--page", action="store_true", help="write docs/bench/files.md")
    parser.add_argument("--least", type=float, default=0.0, help="name files with a smaller share")
    chosen = parser.parse_args(arguments)
    readers = peers(chosen)
    measured = [one for folder in chosen.folders for one in measure(folder, readers)]
    name_small(measured, chosen.least)
    written = table(measured, readers)
    unread = unread_by(UNREAD)
    if some := [one for one in measured if one.kind == "RTF" and one.path.name not in unread]:
        written += f"\n\nWithout the files of {UNREAD.name}:\n\n{table(some, readers)}"
    rtf = [path for folder in chosen.folders for path in folder.resolve().rglob("*.rtf")]
    if chosen.soffice and rtf:
        texts = by_libreoffice(chosen.soffice, rtf)
        office: dict[str, tuple[str, Peer]] = {".rtf": ("LibreOffice", texts.get)}
        beside = [one for folder in chosen.folders for one in measure(folder, office)]
        name_small(beside, chosen.least)
        written += f"\n\nRTF beside LibreOffice:\n\n{table(beside, office)}"
    sys.stdout.write(f"{written}\n")
    if chosen.page:
        PAGE.write_text(f"{_ABOUT}\n{written}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
