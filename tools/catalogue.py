"""Finds every text that the window shows, and keeps the catalogues of its languages in step.

    python -m tools.catalogue            bring the catalogues up to date and compile them
    python -m tools.catalogue --check    say what is missing, and change nothing

Texts are found by reading the code: `Message("…")` and `Remedy("…")` wherever they are said, `tr("…")`,
`term("…")` and `plural("…", "…", n)` where the window is, and the help of the settings that it shows. A translation stays as long as its text does. What is new stands in
the catalogue as unfinished, for Qt Linguist or an editor.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import PySide6

from askance.presentation import answers
from askance.ui.settings.page_tables import PAGES
from askance.ui.shell.catalogues import CONTEXT

SOURCES = Path(__file__).parents[1] / "src" / "askance"
LANGUAGES = SOURCES / "ui" / "shell" / "languages"
_FOLDERS = ("app", "cli", "presentation", "ui")
# What is called so in every language.
_NAMES = {"Ollama", "English", "Deutsch"}
_PAGES = "ui/settings/page_tables.py"
_CALLS = ("tr", "term", "plural")
_MESSAGES = ("Message", "Remedy")
# What the system, containers and search engines say in few words; see `Message.term`.
_FOREIGN = (
    *("No route to host", "Network is unreachable", "Connection reset by peer"),
    *("Connection refused", "No such file or directory", "Permission denied"),
    *("No space left on device", "Read-only file system", "Not a directory", "Is a directory"),
    *("timed out", "timeout", "too many requests", "access denied", "CAPTCHA"),
    *("exited", "restarting", "created", "paused", "dead"),
)

Key = tuple[str, str]
"""A text, and its singular where the text is a plural."""


@dataclass(slots=True)
class Text:
    """One text, and the files in which it stands."""

    source: str
    singular: str = ""
    files: list[str] = field(default_factory=list[str])

    @property
    def key(self) -> Key:
        """What it is known by in a catalogue."""
        return self.source, self.singular


def texts() -> list[Text]:
    """Return all texts, in the order of their files."""
    found: dict[Key, Text] = {}
    for file, source, singular in (*_written(), *_foreign()):
        text = found.setdefault((source, singular), Text(source, singular))
        if file not in text.files:
            text.files.append(file)
    return list(found.values())


def translations(file: Path) -> dict[Key, tuple[str, ...]]:
    """Return the finished translations of a catalogue: one form of a text, or one for each number."""
    if not file.exists():
        return {}
    known: dict[Key, tuple[str, ...]] = {}
    for message in ElementTree.parse(file).iter("message"):  # noqa: S314 - our own file
        translation = message.find("translation")
        if translation is None or translation.get("type"):
            continue
        forms = [form.text or "" for form in translation.iter("numerusform")]
        key = message.findtext("source") or "", message.findtext("comment") or ""
        known[key] = tuple(forms or [translation.text or ""])
    return known


def write(file: Path, language: str, wanted: list[Text], known: dict[Key, tuple[str, ...]]) -> None:
    """Write a catalogue with these texts, and the translations that are known of them."""
    root = ElementTree.Element("TS", version="2.1", language=language, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = CONTEXT
    for text in wanted:
        context.append(_message(text, known.get(text.key)))
    ElementTree.indent(root, " " * 4)
    body = ElementTree.tostring(root, encoding="unicode")
    header = '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n'
    file.write_text(f"{header}{body}\n", encoding="utf-8")


def compiled(file: Path, into: Path) -> None:
    """Compile a catalogue into what the window reads.

    Raises:
        subprocess.CalledProcessError: it is not well formed.
    """
    name = "lrelease.exe" if sys.platform == "win32" else "lrelease"
    tool = Path(PySide6.__file__).with_name(name)
    subprocess.run([tool, "-silent", file, "-qm", into], check=True)  # noqa: S603 - our own tool


def main(arguments: list[str]) -> int:
    """Bring all catalogues up to date, or say what they lack."""
    wanted = texts()
    lacking = 0
    for file in sorted(LANGUAGES.glob("askance_*.ts")):
        known = translations(file)
        missing = [text for text in wanted if text.key not in known]
        lacking += len(missing)
        for text in missing:
            sys.stdout.write(f"{file.name}: {text.source!r}, in {', '.join(text.files)}\n")
        if "--check" not in arguments:
            write(file, file.stem.partition("_")[2], wanted, known)
            compiled(file, file.with_suffix(".qm"))
    sys.stdout.write(f"{len(wanted)} texts, {lacking} translations missing\n")
    return 1 if lacking else 0


def _written() -> Iterator[tuple[str, str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        file = path.relative_to(SOURCES)
        if file.as_posix() == _PAGES:
            yield from _settings()
        calls = (*_MESSAGES, *_CALLS) if file.parts[0] in _FOLDERS else _MESSAGES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and (text := _said(node, calls)):
                yield file.as_posix(), text[-1], "".join(text[:-1])


def _foreign() -> Iterator[tuple[str, str, str]]:
    for text in _FOREIGN:
        yield "domain/messages.py", text, ""


def _settings() -> Iterator[tuple[str, str, str]]:
    """The texts of the pages of the settings, which are a table without calls."""
    for page in PAGES:
        rows = page.rows
        texts = [page.title, page.about, *(text for row in rows for text in (row.label, row.about))]
        texts += [text for row in rows for option in row.options for text in option[1:]]
        names = {*answers.LANGUAGES.values(), *_NAMES}
        for text in dict.fromkeys(texts):
            if text and text not in names and not text.endswith("%"):
                yield _PAGES, text, ""


def _said(call: ast.Call, calls: tuple[str, ...]) -> list[str]:
    """Return the text of a call; of a plural both of its forms."""
    if not isinstance(call.func, ast.Name) or call.func.id not in calls:
        return []
    many = 2 if call.func.id == "plural" else 1
    return [
        a.value
        for a in call.args[:many]
        if isinstance(a, ast.Constant) and isinstance(a.value, str)
    ]


def _message(text: Text, forms: tuple[str, ...] | None) -> ElementTree.Element:
    message = ElementTree.Element("message")
    for file in text.files:
        ElementTree.SubElement(message, "location", filename=f"../../{file}")
    ElementTree.SubElement(message, "source").text = text.source
    translation = ElementTree.Element("translation")
    if text.singular:
        message.set("numerus", "yes")
        ElementTree.SubElement(message, "comment").text = text.singular
        for form in forms or ("", ""):
            ElementTree.SubElement(translation, "numerusform").text = form
    else:
        translation.text = "".join(forms or ())
    if forms is None:
        translation.set("type", "unfinished")
    message.append(translation)
    return message


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
