"""Every kind of text that a model or a page writes, on every way out: nothing is fetched, run or led to.

Judged by parsers of Markdown and HTML that the program does not ask (`judge`), and by Qt's own.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import pytest
from mcp_types import CallToolResult
from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextDocument
from rich.console import Console

from askance.citations.markdown.safe_markdown import safe_reply
from askance.cli.live import AnswerMarkdown as TerminalAnswer
from askance.domain.characters import clean, clean_event, one_line
from askance.domain.conversation import Conversation, Outcome, Usage
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    GapFound,
    Judged,
    Judging,
    RunEvent,
    SearchStarted,
)
from askance.domain.evidence import (
    Citation,
    Evidence,
    EvidenceBlock,
    Extract,
    ExtractKind,
    Source,
    Support,
)
from askance.domain.history import ConversationRecord, Exchange, to_record
from askance.domain.library import DocumentKind, LibraryHit, LibraryMatches, Origin, SearchMode
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.ports.storage import Client
from askance.domain.web_pages import Page, PageStatus
from askance.engine.evidence_search import _block_text
from askance.presentation.progress import Status
from askance.presentation.transcripts import as_html, as_json, as_markdown
from askance.server.mcp_protocol import _content, _safe_trace, _trace
from askance.server.openai_request import CompletionRequest, Job
from askance.server.openai_stream import CompletionResult, CompletionRunner
from askance.server.tool_results import (
    agentic_result,
    evidence_result,
    failure,
    library_result,
    page_result,
    plain,
    search_result,
)
from askance.ui.design.labels import as_tip
from askance.ui.overlay.answer.copying import AnswerText, as_page, with_sources
from askance.ui.overlay.answer.markup import render
from askance.ui.shell.tray import plain as notified
from sampled import each_row, some_rows
from sanitizing.judge import active_in_html, active_in_markdown
from sanitizing.payloads import HOSTILE
from transcripts.past import conversation, exchange

OWN = "https://own.example/page"
RESOURCE = "askance://source/abc"
_FENCED = re.compile(r"<<<(?:data|web) (\w+)\s.*?\s(?:data|web) \1>>>", re.DOTALL)


def source(text: str) -> Source:
    return Source(1, OWN, text, "own.example", text, True)


def answered(text: str) -> Answered:
    value = f"Built in 1871 [1]. {text}\n\n{text}"
    cited = Citation(1, "Built in 1871", 0, 13, Support.WEAK, text)
    return Answered(
        value, (source(text),), (cited,), Outcome.WEB, 1, Usage(), (Message.verbatim(text),), 900
    )


def from_memory(text: str) -> Answered:
    return Answered(text, (), (), Outcome.MEMORY, 0, Usage(), (), 900)


def events(text: str) -> list[RunEvent]:
    return [
        SearchStarted((text,), 1),
        Judged(Judging.PASSAGES, Sufficiency.PARTIAL, (text,), Message.verbatim(text), 1, 9),
        GapFound((text,), 2),
    ]


def run(text: str, end: object) -> Any:
    return SimpleNamespace(
        id="run",
        end=end,
        question="When?",
        sources=(source(text),),
        extracts=(Extract(1, ExtractKind.PASSAGE, text),),
        events=[(0.1, event) for event in events(text)],
        progress=SimpleNamespace(status=Status(text, text)),
        elapsed_s=1.0,
        completeness=0.5,
    )


def texts_of(result: CallToolResult) -> Iterator[str]:
    """All texts of a result, those of its structured content one by one."""
    yield from (block.text for block in result.content if block.type == "text")
    yield from strings_of(result.structured_content)


def strings_of(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from strings_of(item)
        case dict():
            for key, item in value.items():
                yield str(key)
                yield from strings_of(item)
        case _:
            pass


def hit(text: str) -> LibraryHit:
    return LibraryHit(
        "d", 1, OWN, text, "", 0, text, "", (), 1.0, Origin.WEB, DocumentKind.PAGE, "", "en", text, "2026-11-01",
    )  # fmt: skip


def page(text: str) -> Page:
    return Page(OWN, PageStatus.OK, title=text, markdown=text, published=text)


def evidence(text: str) -> CallToolResult:
    block = EvidenceBlock(1, text, OWN, text, text, text, 9)
    prompt = f"Answer. Question: When?\n\n<<<web 1a2b3c4d\n{_block_text(block)}\nweb 1a2b3c4d>>>"
    return evidence_result(
        Evidence("When?", prompt, 9, (block,), Sufficiency.SUFFICIENT, (Message.verbatim(text),))
    )


def trace(text: str) -> str:
    lines = "\n".join(
        json.dumps(to_record(event, 0.1)) for event in [*events(text), answered(text)]
    )
    return str(_trace("askance://trace/a", _safe_trace(lines), 0).content)


MCP: dict[str, Callable[[str], Iterator[str]]] = {
    "an answer": lambda t: texts_of(search_result(run(t, answered(t)), lambda _: RESOURCE, 3_000)),
    "a cut answer": lambda t: texts_of(search_result(run(t, answered(f"`a {t} b` " * 40)), lambda _: "", 500)),
    "a question back": lambda t: texts_of(search_result(run(t, ClarifyAsked(t)), lambda _: "", 3_000)),
    "a running search": lambda t: texts_of(search_result(run(t, None), lambda _: RESOURCE, 3_000)),
    "an agentic search": lambda t: texts_of(agentic_result(run(t, answered(t)), 0.5, 3_000)),
    "a page": lambda t: texts_of(page_result(page(t), 0, 3_000)),
    "the library": lambda t: texts_of(library_result(LibraryMatches((hit(t),), SearchMode.HYBRID, (Message.verbatim(t),)), 3_000)),
    "evidence": lambda t: texts_of(evidence(t)),
    "an error": lambda t: texts_of(failure(t)),
    "progress": lambda t: iter([plain(t)]),
    "a trace": lambda t: (
        s for line in trace(t).splitlines() for s in (line, *strings_of(json.loads(line)))
    ),
    "a source": lambda t: iter([str(_content("askance://source/a", t, 0, t, OWN).content)]),
}  # fmt: skip


def completion(job: Job | None) -> CompletionRequest:
    return CompletionRequest(
        "askance", "When?", "", Conversation(), job, job is None, False, False, 0
    )


def replied(end: Answered | ClarifyAsked, job: Job | None = None) -> Iterator[str]:
    answering = CompletionRunner(None)  # type: ignore[arg-type]
    reply = answering.reply(Client("tester"), completion(job), end)
    assert isinstance(reply, CompletionResult), reply
    yield reply.shown.text
    for annotation in reply.shown.annotations:
        yield from strings_of({**annotation["url_citation"], "url": ""})
    yield from strings_of(reply.record)


OPENAI: dict[str, Callable[[str], Iterator[str]]] = {
    "an answer": lambda t: replied(answered(t)),
    "an answer from memory": lambda t: replied(from_memory(t)),
    "a question back": lambda t: replied(ClarifyAsked(t)),
    "a title": lambda t: replied(from_memory(t), Job.TITLE),
    "a title in JSON": lambda t: strings_of(json.loads(next(replied(from_memory(json.dumps({"title": t})), Job.TITLE)))),
    "tags in JSON": lambda t: strings_of(json.loads(next(replied(from_memory(json.dumps({"tags": [t]})), Job.TAGS)))),
    "follow-ups in a block": lambda t: strings_of(
        json.loads(next(replied(from_memory(f'```json\n{json.dumps({"follow_ups": [t]})}\n```'), Job.FOLLOW_UPS)))
    ),
    "broken JSON": lambda t: iter([safe_reply('{"title": "' + t + '",}')]),
}  # fmt: skip


def asked(text: str, end: RunEvent) -> Exchange:
    return exchange(1, "When?", *events(text), end, quote=text)


def documents(text: str) -> Iterator[ConversationRecord]:
    for end in (answered(text), from_memory(text), ClarifyAsked(text)):
        yield conversation(asked(text, end), title=text)


@each_row("payload, kind", product(some_rows(HOSTILE, every=6), MCP))
def test_nothing_is_active_in_what_mcp_returns(payload: str, kind: str) -> None:
    for item in MCP[kind](payload):
        assert active_in_markdown(item, {OWN}) == [], item


@each_row("payload, kind", product(some_rows(HOSTILE, every=6), OPENAI))
def test_nothing_is_active_in_a_completion(payload: str, kind: str) -> None:
    for item in OPENAI[kind](payload):
        assert active_in_markdown(item, {OWN}) == [], item


@each_row("payload", some_rows(HOSTILE, every=6))
def test_nothing_is_active_in_a_document(payload: str) -> None:
    for record in documents(payload):
        assert active_in_markdown(as_markdown(record), {OWN}) == []
        assert active_in_html(as_html(record), {OWN}) == []
        whole = json.loads(as_json(record))
        for text in strings_of([whole["title"], whole["exchanges"]]):
            assert active_in_markdown(clean(text), {OWN}, bare=False) == [], text


@each_row("payload", some_rows(HOSTILE, every=6))
def test_nothing_is_active_on_the_clipboard(payload: str) -> None:
    end = clean_event(answered(payload))
    assert isinstance(end, Answered)
    copied = AnswerText(end.answer, end.sources, end.citations, (one_line(payload),))
    assert active_in_html(as_page(copied), {OWN}) == []
    assert active_in_markdown(with_sources(copied), {OWN}, bare=False) == []


class Recording(QTextDocument):
    """Remembers what it is asked to load."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def loadResource(self, type: int, name: QUrl | str) -> object:  # noqa: A002, N802 - Qt's interface
        self.loaded.append(name.toString() if isinstance(name, QUrl) else name)
        return None


@pytest.mark.usefixtures("qapp")
@each_row("payload", some_rows(HOSTILE, every=6))
def test_the_window_loads_nothing_and_leads_to_sources_alone(payload: str) -> None:
    end = clean_event(answered(payload))
    assert isinstance(end, Answered)
    drawn = render(end.answer, {1}, end.citations, {OWN})
    urls = {run.url for p in drawn.pieces for para in p.paragraphs for run in para.runs if run.url}
    assert urls <= {OWN}
    for markup in (as_tip(payload), as_page(AnswerText(end.answer, end.sources, end.citations))):
        document = Recording()
        document.setHtml(markup)
        document.setTextWidth(400)
        assert document.loaded == []
    assert not re.search("[<>&]", notified(payload))


@each_row("payload", some_rows(HOSTILE, every=6))
def test_a_terminal_gets_no_sequence_and_no_foreign_link(payload: str) -> None:
    end = clean_event(answered(payload))
    assert isinstance(end, Answered)
    screen = Console(file=io.StringIO(), force_terminal=True, width=80, color_system=None)
    screen.print(TerminalAnswer(end.sources, links=True).checked(end.answer, end.citations))
    screen.print(TerminalAnswer(end.sources, links=True).draft(end.answer))
    written = screen.file.getvalue()  # type: ignore[attr-defined]
    linked = re.findall(r"\x1b\]8;[^;]*;([^\x1b]*)\x1b\\", written)
    assert {url.partition("#")[0] for url in linked if url} <= {OWN}
    rest = re.sub(r"\x1b\]8;[^\x1b]*\x1b\\|\x1b\[[\d;]*m", "", written)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]", rest)
    assert one_line(payload).isprintable()


@pytest.mark.parametrize(
    "kind", [k for k in MCP if k not in ("an error", "progress", "a question back")]
)
def test_what_a_page_says_stands_between_the_fences(kind: str) -> None:
    """Titles and quotes as well: a client's model reads all of it."""
    word = "Zebulonic"
    for item in MCP[kind](word):
        if word not in item or kind == "a trace":
            continue
        outside = _FENCED.sub("", item)
        for line in outside.splitlines():
            # Ours: what the model wrote, and what it was asked or doing.
            assert word not in line or line.startswith(
                (
                    "Built",
                    word,
                    "No answer",
                    "Iteration",
                    "- ",
                    "`a ",
                    f"[1] weak {OWN}#:~:text=",
                    f"{OWN}#",
                )
            ), line


def test_a_trace_stands_between_fences() -> None:
    lines = [json.loads(line) for line in trace("Zebulonic").splitlines()]
    opening, closing = (i for i, line in enumerate(lines) if line["type"] == "data")
    nonce = lines[opening]["text"].removeprefix("<<<data ")
    assert lines[closing]["text"] == f"data {nonce}>>>"
    inside = lines[opening + 1 : closing]
    assert all("Zebulonic" not in json.dumps(line) for line in lines if line not in inside)


def test_the_address_of_a_source_is_canonical_outside_of_fences() -> None:
    bad = Source(1, f"{OWN}?x=![x](https://evil.example/)<img src=x>`", "t", "own.example")
    end = Answered("x [1]", (bad,), (), Outcome.WEB, 1, Usage(), (), 1)
    for item in texts_of(search_result(run("x", end), lambda _: "", 3_000)):
        assert active_in_markdown(item, {OWN, bad.url}) == [] or "evil.example/%29" in item
        assert "](http" not in item
        assert "<img" not in item
