"""What other programs read of files, for `bench.file_corpora`; of presentations and workbooks, what their XML holds."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

_SLIDES = re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)\d{1,6}\.xml")
_SHEETS = re.compile(r"xl/worksheets/sheet\d{1,6}\.xml")
_STRINGS = "xl/sharedStrings.xml"
_UNREAD = (zipfile.BadZipFile, KeyError, ElementTree.ParseError, OSError, ValueError, IndexError)
_AS_TEXT = "txt:Text (encoded):UTF8"
_OFFICE_TIMEOUT_S = 600
# What the reading of a phonetic guide says again is no text of a cell.
_GUIDE = "rPh"


def by_libreoffice(program: str, paths: Sequence[Path]) -> dict[Path, str]:
    """Return what LibreOffice reads of RTF files: it starts once for all of them."""
    texts: dict[Path, str] = {}
    with TemporaryDirectory() as made:
        # Files of one name in two folders would be written into one.
        links = {Path(made, f"{n}{path.suffix}"): path for n, path in enumerate(paths)}
        for link, path in links.items():
            link.symlink_to(path)
        command = [program, f"-env:UserInstallation={Path(made, 'profile').as_uri()}", "--headless"]
        command += [
            "--infilter=Rich Text Format",
            "--convert-to",
            _AS_TEXT,
            "--outdir",
            made,
            *map(str, links),
        ]
        subprocess.run(command, capture_output=True, timeout=_OFFICE_TIMEOUT_S, check=False)  # noqa: S603 - a program that was named
        for link, path in links.items():
            if (written := link.with_suffix(".txt")).is_file():
                texts[path] = written.read_text("utf-8-sig", "replace")
    return texts


def slides(path: Path) -> str | None:
    """Return all paragraphs of the slides and notes of a presentation, footers too, without the numbers of slides."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = [name for name in archive.namelist() if _SLIDES.fullmatch(name)]
            trees = [ElementTree.fromstring(archive.read(name)) for name in parts]  # noqa: S314 - corpora that were named
    except _UNREAD:
        return None
    return "\n".join(
        "".join(_texts(one)) for tree in trees for one in tree.iter() if _name(one) == "p"
    )


def cells(path: Path) -> str | None:
    """Return the texts of the cells of a workbook; not its numbers, which each program shows otherwise."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            shared = ElementTree.fromstring(archive.read(_STRINGS)) if _STRINGS in names else ()  # noqa: S314
            strings = ["".join(_texts(one)) for one in shared]
            sheets = [
                ElementTree.fromstring(archive.read(n))  # noqa: S314
                for n in names
                if _SHEETS.fullmatch(n)
            ]
            return "\n".join(
                _cell(one, strings) for sheet in sheets for one in sheet.iter() if _name(one) == "c"
            )
    except _UNREAD:
        return None


def _cell(cell: ElementTree.Element, strings: list[str]) -> str:
    kind, value = cell.get("t", ""), next((v.text for v in cell if _name(v) == "v"), None)
    if kind == "s":
        return strings[int(value)] if value else ""
    return (value or "") if kind == "str" else "".join(_texts(cell)) if kind == "inlineStr" else ""


def _texts(element: ElementTree.Element) -> Iterator[str]:
    """Yield the texts in an element; ends of lines and tabs are elements."""
    match _name(element):
        case "t":
            yield element.text or ""
        case "br" | "tab":
            yield " "
        case "fld" if element.get("type") == "slidenum":
            pass
        case name if name != _GUIDE:
            for child in element:
                yield from _texts(child)
        case _:
            pass


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]
