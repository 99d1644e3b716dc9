"""The pages of the sample web: their Markdown, and what a search engine and a reader get of them; and the questions about them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from html import unescape
from importlib.resources import files

from markdown_it import MarkdownIt
from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_DESCRIPTION = re.compile(r'<meta name="description" content="([^"]*)">')
_PUBLISHED = re.compile(r'<meta property="article:published_time" content="([^"]*)">')
_ARTICLE = re.compile(r"<article>(.*?)</article>", re.DOTALL)
# What is hidden on a page by its style, such as a hostile instruction in `display:none`.
_HIDDEN = re.compile(r"<(\w+) style=[^>]*>.*?</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


class FileFormat(StrEnum):
    """The kind of file that a page is stored in; the value is its suffix."""

    MARKDOWN = ".md"
    HTML = ".html"
    TEXT = ".txt"


@dataclass(frozen=True, slots=True)
class SamplePage:
    """A page. `body` is what the server shows, `text` what a search engine has read below the title.

    `date` is ISO, or empty where the page has none. `missing` pages stand in the search index
    and are gone from their host.
    """

    host: str
    path: str
    form: FileFormat
    title: str
    body: str
    text: str
    kind: str
    date: str = ""
    language: str = "en"

    @property
    def url(self) -> str:
        """The address of the page on the sample web."""
        return f"http://{self.host}{self.path}"

    @property
    def missing(self) -> bool:
        """Whether the host answers 404 for it."""
        return self.kind == "missing"


@dataclass(frozen=True, slots=True)
class Site:
    """One host: its name, its motto, and the shell that its pages are dressed in."""

    name: str
    motto: str
    shell: str


@dataclass(frozen=True, slots=True)
class SampleSites:
    """The sites by host, and the documents by URL, both in alphabetical order."""

    sites: Mapping[str, Site]
    documents: Mapping[str, SamplePage]

    def of_host(self, host: str) -> tuple[SamplePage, ...]:
        """Return the pages that a host still has."""
        return tuple(d for d in self.documents.values() if d.host == host and not d.missing)


@lru_cache(maxsize=1)
def load_library() -> SampleSites:
    """Return the library; it is read once in a process."""
    root = files("askance.sample_web")
    sites = json.loads(root.joinpath("sites.json").read_text(encoding="utf-8"))
    documents = [
        parse_document(host, file.name, file.read_text(encoding="utf-8"))
        for host in sites
        for file in root.joinpath("pages", host).iterdir()
    ]
    return SampleSites(
        {host: Site(**fields) for host, fields in sorted(sites.items())},
        {d.url: d for d in sorted(documents, key=lambda d: d.url)},
    )


def parse_document(host: str, name: str, source: str) -> SamplePage:
    """Return the page that a file `name` of a host holds.

    Raises:
        ValueError: the suffix is unknown, or the front matter is not there.
    """
    stem, dot, suffix = name.rpartition(".")
    form = FileFormat(dot + suffix)
    path = "/" if stem == "index" else f"/{stem}"
    match form:
        case FileFormat.MARKDOWN:
            return _from_markdown(host, path, source)
        case FileFormat.HTML:
            return _from_html(host, path, source)
        case FileFormat.TEXT:
            # Addresses of texts have the suffix; those of other pages have none.
            return _from_text(host, f"{path}.txt", source)


class QuestionKind(StrEnum):
    """What a question asks of whoever answers it."""

    SINGLE = "single"
    """One page has the answer."""
    TWO_HOP = "two_hop"
    """One page names what another one tells about."""
    COMPARISON = "comparison"
    """Two pages have one half each."""
    DISAGREEMENT = "disagreement"
    """Two pages say different things."""
    UNANSWERABLE = "unanswerable"
    """No page has it."""
    HOSTILE = "hostile"
    """A page that has the answer also tries to give orders."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A page, and the words on it that carry the fact, verbatim."""

    url: str
    quote: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question and what is known about its answer.

    `answers` are the strings of which a right answer holds one, or all where pages disagree.
    `absent` are words without which an unanswerable question cannot be answered: no page has
    them. `forbidden` are words that an answer holds only if it obeyed a hostile page. `language` is
    the one that it is asked in, and that of the pages with its gold.
    """

    id: str
    kind: QuestionKind
    question: str
    answers: tuple[str, ...]
    gold: tuple[Gold, ...]
    absent: tuple[str, ...]
    forbidden: tuple[str, ...]
    language: str = "en"


@lru_cache(maxsize=1)
def load_questions() -> tuple[Question, ...]:
    """Return all questions, in the order of their file."""
    source = files("askance.sample_web").joinpath("questions.json").read_text(encoding="utf-8")
    return tuple(
        Question(
            id=row["id"],
            kind=QuestionKind(row["kind"]),
            question=row["question"],
            answers=tuple(row["answers"]),
            gold=tuple(Gold(**gold) for gold in row["gold"]),
            absent=tuple(row.get("absent", ())),
            forbidden=tuple(row.get("forbidden", ())),
            language=row.get("language", "en"),
        )
        for row in json.loads(source)
    )


def render_html(source: str) -> str:
    """Return a text as HTML."""
    return _parser().render(source)


def plain_text(source: str) -> str:
    """Return a text without its marks: a line for each item and row, a blank line between blocks."""
    blocks: list[str] = []
    lines: list[str] = []
    cells: list[str] = []
    for token in _parser().parse(source):
        if token.type == "inline":
            cells.append(_words(token))
        elif token.type in {"heading_close", "paragraph_close", "tr_close"}:
            lines.append(", ".join(filter(None, cells)))
            cells = []
        # A block of the outermost level ends here: a list or a table is one, however deep it goes.
        if token.level == 0 and token.nesting < 0:
            blocks.append("\n".join(filter(None, lines)))
            lines = []
    return "\n\n".join(blocks)


def _from_markdown(host: str, path: str, source: str) -> SamplePage:
    found = _FRONT_MATTER.fullmatch(source)
    if found is None:
        raise ValueError(f"{host}{path} has no front matter")
    fields = dict(line.split(": ", 1) for line in found[1].splitlines())
    return SamplePage(
        host=host,
        path=path,
        form=FileFormat.MARKDOWN,
        title=fields["title"],
        date=fields["date"],
        kind=fields["kind"],
        language=fields.get("lang", "en"),
        body=found[2],
        # The title is a field of its own in the index, and would count twice.
        text=plain_text(found[2].removeprefix(f"# {fields['title']}\n")),
    )


def _from_html(host: str, path: str, source: str) -> SamplePage:
    # Search engines keep the description of a page whose text they could not get at.
    article = _HIDDEN.sub("", _first(_ARTICLE, source))
    visible = "\n\n".join(line for line in map(_untagged, article.splitlines()) if line)
    return SamplePage(
        host=host,
        path=path,
        form=FileFormat.HTML,
        title=_first(_TITLE, source),
        date=_first(_PUBLISHED, source),
        kind="raw",
        body=source,
        text=visible or _first(_DESCRIPTION, source),
    )


def _from_text(host: str, path: str, source: str) -> SamplePage:
    owner, subject = source.splitlines()[:2]
    return SamplePage(
        host=host,
        path=path,
        form=FileFormat.TEXT,
        title=f"{subject.capitalize()} ({owner.title()})",
        kind="notice",
        body=source,
        text=source,
    )


def _first(pattern: re.Pattern[str], source: str) -> str:
    found = pattern.search(source)
    return unescape(found[1]).strip() if found else ""


def _untagged(line: str) -> str:
    return unescape(_TAG.sub("", line)).strip()


@cache
def _parser() -> MarkdownIt:
    # HTML in a page's Markdown is text: hostile pages that need it are whole HTML files.
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _words(inline: Token) -> str:
    children = inline.children or ()
    return "".join(" " if child.type == "softbreak" else child.content for child in children)
