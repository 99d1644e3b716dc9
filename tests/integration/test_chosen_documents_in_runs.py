"""A question about documents of the library that were chosen is answered from them, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.conversation import Conversation, Outcome
from askance.domain.library import Document, FileRecord, FileState, Filters, Folder, Origin
from askance.domain.messages import Message
from askance.domain.web_pages import SearchScope
from askance.engine.local_library import LONGEST_WHOLE, question_key
from integration.order import assert_legal
from integration.test_follow_ups_in_runs import followed
from integration.test_recall_in_runs import BUILT, page, short_script
from servers.faults import hangs_up
from servers.model_script import ModelScript, verdict
from servers.world import (
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    PAGES,
    WHITLOW,
    RecordedEvents,
    always,
    world,
)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail)
    opened.add([page(url) for url in (LIGHTHOUSE, HARBOUR, GAZETTE, WHITLOW)])
    yield opened
    opened.close()


def chosen(library: SqliteLibrary, *urls: str) -> SearchScope:
    return SearchScope(documents=tuple(library.find(url)[0].id for url in urls))


def sources(on_progress: RecordedEvents) -> set[str]:
    return {source.url for source in on_progress.end.sources}


async def test_only_they_are_evidence_and_nothing_is_searched(library: SqliteLibrary):
    async with world(short_script(), library=library) as w:
        reported = await w.ask(BUILT, narrowing=chosen(library, LIGHTHOUSE, HARBOUR))
        assert w.servers["search"].requests == []
        assert w.servers["web"].requests == []
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.LIBRARY
    assert sources(reported) <= {LIGHTHOUSE, HARBOUR}
    assert LIGHTHOUSE in sources(reported)


async def test_an_answer_from_a_file_that_was_read_in_part_says_so(library: SqliteLibrary):
    url = "file:///notes/an%20old%20map.docx"
    library.add([Document(url, "Old map", PAGES[LIGHTHOUSE], Origin.FILE)])
    library.book.store_folder(Folder("/notes"))
    why = Message("Parts of the file could not be read: {names}.", names="word/footnotes.xml")
    path = "/notes/an old map.docx"
    async with world(short_script(), library=library) as w:
        whole = await w.ask(BUILT, narrowing=chosen(library, url))
        library.book.note([FileRecord(path, "/notes", FileState.INDEXED, why)])
        part = await w.ask(BUILT, narrowing=chosen(library, url))
    assert not whole.end.warnings
    (warning,) = part.end.warnings
    assert warning.values == {"title": "Old map", "why": why}


async def test_what_is_not_among_them_is_not_found_elsewhere(library: SqliteLibrary):
    script = short_script(*[verdict("insufficient", "Lindmouth lighthouse year")] * 4)
    script.answer = ["The sources do not say when it was built."]
    async with world(script, library=library) as w:
        reported = await w.ask(BUILT, narrowing=chosen(library, HARBOUR))
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert sources(reported) == {HARBOUR}


async def test_a_question_that_shares_no_word_with_them_is_answered_from_all_of_them(
    library: SqliteLibrary,
):
    text = ModelScript([], [verdict("sufficient")], ["Both tell of the sea [1][2]."])
    async with world(text, library=library) as w:
        reported = await w.ask(
            "What do these agree on?", narrowing=chosen(library, WHITLOW, HARBOUR)
        )
        prompt = text.of("answer")[0].fenced
    assert sources(reported) == {WHITLOW, HARBOUR}
    assert PAGES[WHITLOW][:60] in prompt
    assert PAGES[HARBOUR][:60] in prompt


async def test_a_book_is_read_where_it_speaks_of_the_question(library: SqliteLibrary):
    url = "http://books.example/long"
    filler = "The sheep of the island graze on the western slope until the autumn. \n\n"
    text = f"{filler * (2 * LONGEST_WHOLE // len(filler))}{PAGES[LIGHTHOUSE]}"
    library.add([Document(url, "A long book", text, Origin.IMPORT)])
    async with world(short_script(), library=library) as w:
        reported = await w.ask(BUILT, narrowing=chosen(library, url))
    assert reported.end.outcome is Outcome.LIBRARY
    assert reported.end.citations[0].quote.startswith("The Lindmouth lighthouse was built in 1871")


async def test_the_conversation_before_has_no_say(library: SqliteLibrary):
    async with world(short_script()) as w:
        first = await w.ask(BUILT)
    conversation = followed(Conversation(), BUILT, first)
    script = short_script(*[verdict("insufficient")] * 4)
    script.answer = ["The sources do not say when it was built."]
    async with world(script, library=library) as w:
        reported = await w.ask(BUILT, conversation, narrowing=chosen(library, HARBOUR))
    assert sources(reported) == {HARBOUR}


async def test_what_they_answered_is_no_answer_to_the_question_as_such(library: SqliteLibrary):
    async with world(short_script(), library=library) as w:
        await w.ask(BUILT, narrowing=chosen(library, LIGHTHOUSE))
    assert library.answers.places(question_key(BUILT)) == ()


async def test_documents_that_are_gone_are_said_to_hold_nothing(library: SqliteLibrary):
    part = chosen(library, LIGHTHOUSE)
    library.remove(part.documents)
    async with world(short_script(), library=library) as w:
        reported = await w.ask(BUILT, narrowing=part)
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.end.sources == ()


async def test_without_a_model_their_passages_are_quoted(library: SqliteLibrary):
    async with world(breaks={"model": always(hangs_up)}, library=library) as w:
        reported = await w.ask("Anything about boats?", narrowing=chosen(library, HARBOUR))
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert sources(reported) == {HARBOUR}


def test_a_search_may_be_kept_to_documents(library: SqliteLibrary):
    (harbour,) = library.find(HARBOUR)
    among = Filters(documents=(harbour.id,))
    assert {hit.url for hit in library.search("Lindmouth", 10, among)} == {HARBOUR}
    assert {record.url for record in library.documents(among)} == {HARBOUR}
