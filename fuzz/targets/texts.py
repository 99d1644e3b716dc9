"""Texts that strangers, models and users write: evidence, Markdown, markers, settings, words."""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Collection
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from rich.console import Console

from askance.adapters.storage.history import SqliteHistory
from askance.adapters.storage.traces import load
from askance.app.commands import completions, parse
from askance.citations.check.checking import check_citations
from askance.citations.check.disagreement import compare_answers
from askance.citations.markdown.answer_markers import lift_markers
from askance.citations.markdown.foreign_markers import clean_text
from askance.citations.markdown.safe_markdown import safe_line, safe_markdown
from askance.cli.live import AnswerMarkdown
from askance.config.sources import load_settings
from askance.domain.errors import InputError, SettingsError
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.domain.web_pages import is_web_address
from askance.engine.query_privacy import PrivateWords, Screened
from askance.presentation.answers import fragment_url
from askance.server.openai_text import LinkedStream
from askance.text.ranking.passages import split_paragraphs
from askance.text.ranking.urls import canonical, without_tracking
from askance.ui.overlay.answer.markdown_blocks import BlockStream
from askance.ui.overlay.answer.markup import render
from askance.ui.overlay.conversation.exchange import AnswerDraft
from fuzz.disguises import DISGUISES, FILLER, private_names

KNOWN = (1, 2)
_PLAIN_TAGS = frozenset(
    [
        "a",
        "blockquote",
        "br",
        "code",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_DRAWN = re.compile(
    r"language-\S*(?:html|mermaid|svg)(?!\w)"
)  # `mermaidlike` is no language that anything draws
SOURCES = (
    Source(1, "https://one.example/page", "One", "one.example"),
    Source(2, "https://two.example/page", "Two", "two.example"),
)
EVIDENCE = (
    Extract(1, ExtractKind.PASSAGE, "The lighthouse was built in 1884 by Ann Tolley."),
    Extract(2, ExtractKind.PASSAGE, "The mill is older: it was built in 1794."),
)


def evidence(data: bytes) -> None:
    """Cleaned evidence has no marker that the check of an answer would take for one of ours."""
    clean = clean_text(data.decode("utf-8", "replace"))
    assert lift_markers(clean, frozenset(range(1, 1000))).anchors == (), (
        "a page can cite for itself"
    )


def paragraphs(data: bytes) -> None:
    """Every paragraph of a page stands on it, where it says."""
    text = data.decode("utf-8", "replace")
    for paragraph in split_paragraphs(text):
        assert text[paragraph.offset : paragraph.end].strip()


def citations(data: bytes) -> None:
    """A checked answer is checked: once more changes nothing, and its markers name sources."""
    checked = check_citations(data.decode("utf-8", "replace"), EVIDENCE)
    again = check_citations(checked.text, EVIDENCE)
    assert again.text == checked.text
    assert {citation.n for citation in checked.citations} <= set(KNOWN)
    compare_answers(data.decode("utf-8", "replace"), EVIDENCE)


def markdown(data: bytes) -> None:
    """What the window draws of an answer leads to the web or to a source, and nowhere else."""
    text = data.decode("utf-8", "replace")
    stream = BlockStream()
    for start in range(0, len(text), 7):
        stream.add(text[start : start + 7])
    assert "".join(block.text for block in stream.since(0)) + stream.tail.text == text
    draft = AnswerDraft()
    draft.know(SOURCES)
    draft.add(text)
    assert draft.view is None or text.strip()
    for piece in render(text, KNOWN).pieces:
        for run in (run for paragraph in piece.paragraphs for run in paragraph.runs):
            assert 0 <= run.start <= run.end <= len(text)
            assert not run.url or urlsplit(run.url).scheme in ("http", "https"), run.url


def terminal(data: bytes) -> None:
    """An answer on a terminal sends it no commands."""
    screen = Console(file=io.StringIO(), force_terminal=False, width=80, color_system=None)
    screen.print(AnswerMarkdown(SOURCES, links=False).checked(data.decode("utf-8", "replace"), ()))


def export(data: bytes) -> None:
    """An exported text is harmless, and stays so."""
    parser = MarkdownIt("commonmark").enable(["strikethrough", "table"])
    parser.validateLink = _any_address
    for block in parser.parse(safe_markdown(data.decode("utf-8", "replace"), None)):
        for token in (block, *(block.children or ())):
            assert token.type not in {"image", "html_inline", "html_block"}
            if token.type == "link_open":
                assert is_web_address(str(token.attrs.get("href", "")))


def sanitised(data: bytes) -> None:
    """Hostile Markdown and HTML is inert on each way out, also streamed in pieces and cut anywhere."""
    text = data[1:].decode("utf-8", "replace")
    own = [source.url for source in SOURCES]
    _check_inert(safe_markdown(text, own), own)
    _check_inert(f"[1] {safe_line(text)}", ())
    step = 1 + (data[0] if data else 0) % 13
    stream = LinkedStream(SOURCES)
    for start in range(0, len(text), step):
        stream.add(text[start : start + step])
    _check_inert(stream.text, own)
    stream.close()
    _check_inert(stream.text, own)


def _check_inert(shown: str, own: Collection[str]) -> None:
    """Judge with a viewer that knows HTML, and a parser of HTML, what would be fetched, run or led to."""
    viewer = MarkdownIt("commonmark", {"html": True}).enable(["strikethrough", "table"])
    viewer.validateLink = _any_address
    page = _Rendered()
    page.feed(viewer.render(shown))
    page.close()
    assert not page.active, page.active
    assert {url.partition("#")[0] for url in page.links} <= set(own)


class _Rendered(HTMLParser):
    """Remembers what of a page a browser would fetch, run or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.active: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _PLAIN_TAGS:
            self.active.append(tag)
        for name, value in attrs:
            if (tag, name) == ("a", "href"):
                self.links.append(value or "")
            elif name not in ("class", "start", "style", "title"):
                self.active.append(f"{tag} {name}")
            elif name == "style" and not (value or "").startswith("text-align:"):
                self.active.append(f"{tag} {name}={value}")
            elif name == "class" and _DRAWN.search(value or ""):
                self.active.append(f"{tag} {value}")


def links(data: bytes) -> None:
    """Addresses have one canonical form; a link to a quote keeps its page."""
    url = data.decode("utf-8", "replace")
    canonical(url)
    without_tracking(url)
    assert fragment_url("https://one.example/", url).startswith("https://one.example/")


def command(data: bytes) -> None:
    """What is typed is understood, or said not to be."""
    text = data.decode("utf-8", "replace")
    completions(text)
    parse(text)


def settings(data: bytes) -> None:
    """A file of settings is taken, or refused with a sentence."""
    file = _folder() / "askance.toml"
    file.write_bytes(data)
    try:
        load_settings(file, {})
    except SettingsError:
        return


def trace(data: bytes) -> None:
    """A trace is read, or said to be damaged."""
    file = _folder() / "trace-0-abc.jsonl"
    file.write_bytes(data)
    try:
        load(file)
    except InputError:
        return


def search_words(data: bytes) -> None:
    """A user's words are never the syntax of the history's index."""
    _history().search(data.decode("utf-8", "replace"))


def queries(data: bytes) -> None:
    """No disguise of a private name leaves in a query, whatever stands around it; innocent words all do."""
    which, how, cut, *noise = (*data[:3], *bytes(3 - len(data[:3])), *data[3:])
    private = private_names()[which % len(private_names())]
    kinds = list(DISGUISES)
    disguised = DISGUISES[kinds[how % len(kinds)]](private.name)
    around = bytes(noise).decode("utf-8", "replace")
    before, after = around[: cut % 64], around[cut % 64 :]
    screened = _private_words(which % len(private_names())).screen(
        f"{before} {FILLER} {disguised} {FILLER} {after}"
    )
    assert disguised not in screened.query, "a private name leaves"
    assert private.name.casefold() not in screened.query.casefold(), "a private name leaves"
    innocent = private.asked.split()
    turned = cut % len(innocent)
    query = " ".join([FILLER, *innocent[turned:], *innocent[:turned]])
    assert _private_words(which % len(private_names())).screen(query) == Screened(query)


@cache
def _private_words(which: int) -> PrivateWords:
    private = private_names()[which]
    return PrivateWords(private.asked, [private.told], [f"A {FILLER}."])


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="askance-fuzz-"))


@cache
def _history() -> SqliteHistory:
    history = SqliteHistory(_folder() / "history.db", _unexpected)
    history.begin_exchange(None, "search", "Which is older, the lighthouse or the mill?")
    return history


def _any_address(url: str) -> bool:
    """Let the parser show links that it would leave out itself."""
    return True


def _unexpected(trouble: str) -> None:
    raise AssertionError(trouble)


TARGETS = {
    "evidence": evidence,
    "paragraphs": paragraphs,
    "citations": citations,
    "markdown": markdown,
    "terminal": terminal,
    "export": export,
    "sanitised": sanitised,
    "links": links,
    "command": command,
    "settings": settings,
    "trace": trace,
    "search_words": search_words,
    "queries": queries,
}
