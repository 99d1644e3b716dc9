"""Recall: what is in the library answers before the web is asked, and in its place; so do documents that were chosen."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.conversation import Conversation, Outcome, Turn
from askance.domain.events import (
    Answered,
    Failed,
    Judged,
    LibraryRecalled,
    Planned,
    SearchStarted,
    WarningCode,
)
from askance.domain.evidence import Support
from askance.domain.library import (
    EVERY,
    Document,
    DocumentKind,
    FileRecord,
    FileState,
    Filters,
    Folder,
    Origin,
)
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.web_pages import Recency, SearchScope
from askance.engine.local_library import LONGEST_WHOLE, question_key, stands_alone
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from integration.test_follow_ups_in_runs import followed
from servers.faults import hangs_up
from servers.model_script import ModelScript, plan, verdict
from servers.world import (
    GAP,
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    PAGES,
    QUESTION,
    TITLES,
    WHITLOW,
    RecordedEvents,
    World,
    always,
    knowing_model,
    the_answer,
    where,
)
from servers.world import (
    credulous as world,
)

BUILT = "When was the Lindmouth lighthouse built?"
IN_1871 = "The Lindmouth lighthouse was built in 1871 [1]."
YESTERDAY = datetime(2026, 11, 19, 8, tzinfo=UTC)
LONG_AGO = datetime(2025, 1, 2, 8, tzinfo=UTC)


@pytest.fixture
def library(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail, lambda: YESTERDAY)
    yield opened
    opened.close()


def page(url: str, *, origin: Origin = Origin.WEB, read: datetime = YESTERDAY) -> Document:
    text = f"# {TITLES[url]}\n\n{PAGES[url]}\n"
    return Document(url, TITLES[url], text, origin, fetched_at=read.isoformat(timespec="seconds"))


def short_script(*judge: object) -> ModelScript:
    return ModelScript(
        [plan("Lindmouth lighthouse")],
        list(judge) or [verdict("sufficient")],  # type: ignore[arg-type]
        [IN_1871],
    )


def roles(w: World) -> list[str]:
    return [call.role for call in w.script.calls]


def cited(on_progress: RecordedEvents) -> list[tuple[str, str]]:
    """What is cited, and the quote that carries it."""
    urls = {source.n: source.url for source in on_progress.end.sources}
    return [(urls[citation.n], citation.quote) for citation in on_progress.end.citations]


async def test_what_the_web_answered_yesterday_is_answered_with_the_network_off(
    library: SqliteLibrary,
):
    first = await run_in_world(library=library)
    assert first.end.outcome is Outcome.WEB
    gone = {"search": always(hangs_up), "web": always(hangs_up)}
    async with world(
        knowing_model(judge=[verdict("sufficient")]), breaks=gone, library=library
    ) as w:
        reported = await w.ask()
        assert w.servers["search"].requests == []
        assert w.servers["web"].requests == []
        assert roles(w) == ["judge", "answer"]
    assert_legal(reported.events)
    assert (reported.end.outcome, reported.end.rounds) == (Outcome.LIBRARY, 0)
    assert reported.end.answer.count("[") == first.end.answer.count("[")
    assert sorted(cited(reported)) == sorted(cited(first))
    assert {citation.support for citation in reported.end.citations} == {Support.SUPPORTED}
    assert all(source.kept and source.origin is Origin.WEB for source in reported.end.sources)
    [recalled] = reported.of(LibraryRecalled)
    assert recalled.sufficiency is Sufficiency.SUFFICIENT
    assert recalled.completeness >= recalled.threshold == pytest.approx(0.8)


async def test_the_same_question_in_other_words_is_recalled_where_a_page_tells_it(
    library: SqliteLibrary,
):
    library.add([page(LIGHTHOUSE)])
    async with world(short_script(), library=library) as w:
        reported = await w.ask("In which year was the lighthouse of Lindmouth built?")
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.LIBRARY
    assert not reported.of(Planned)


async def test_what_the_library_lacks_is_all_that_is_searched(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE)])
    asked = "Which engineer built the Lindmouth lighthouse in 1871?"
    script = ModelScript(
        [plan("no")], [verdict("partial", GAP), verdict("sufficient")], [the_answer]
    )
    async with world(script, library=library) as w:
        reported = await w.ask(asked)
        assert GAP in w.searxng.heard
        assert LIGHTHOUSE not in script.of("answer")[0].fenced.partition(WHITLOW)[0]
    assert_legal(reported.events)
    assert "plan" not in roles(w), "the judge has said what to search"
    assert reported.end.outcome is Outcome.WEB
    numbers = {source.url: source for source in reported.end.sources}
    assert numbers[LIGHTHOUSE].n == 1
    assert numbers[LIGHTHOUSE].kept
    assert not numbers[WHITLOW].kept


async def test_what_one_document_lacks_another_may_have(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE), page(WHITLOW)])
    script = ModelScript([], [verdict("partial", GAP), verdict("sufficient")], [the_answer])
    async with world(script, library=library) as w:
        reported = await w.ask("Which engineer built the Lindmouth lighthouse in 1871?")
        assert w.servers["search"].requests == []
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.LIBRARY
    assert {source.url for source in reported.end.sources} == {LIGHTHOUSE, WHITLOW}
    assert [judged.round for judged in reported.of(Judged)] == [0, 0]


async def test_a_library_that_does_not_tell_it_costs_no_call(library: SqliteLibrary):
    library.add([page(WHITLOW)])
    reported = await run_in_world(library=library)
    assert not reported.of(LibraryRecalled)
    assert reported.of(Planned)
    assert reported.end.outcome is Outcome.WEB


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("When was the Lindmouth lighthouse built, and is it open today?", YESTERDAY),
        ("What is the latest news of the Lindmouth lighthouse?", YESTERDAY),
        ("What did the Lindmouth lighthouse cost in 2026?", YESTERDAY),
        (BUILT, LONG_AGO),
    ],
    ids=["today", "latest", "this year", "read long ago"],
)
async def test_what_may_have_changed_is_searched(
    library: SqliteLibrary, question: str, read: datetime
):
    library.add([page(LIGHTHOUSE, read=read)])
    reported = await run_in_world(short_script(), question, library=library)
    assert reported.of(SearchStarted)
    assert not reported.of(LibraryRecalled)


async def test_files_of_ones_own_do_not_age(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE, origin=Origin.FILE, read=LONG_AGO)])
    reported = await run_in_world(short_script(), BUILT, library=library)
    assert reported.end.outcome is Outcome.LIBRARY


async def test_where_the_web_is_out_of_reach_old_pages_answer_and_it_is_said(
    library: SqliteLibrary,
):
    library.add([page(LIGHTHOUSE, read=LONG_AGO)])
    script = ModelScript([plan("x")], [verdict("sufficient")], [IN_1871])
    reported = await run_in_world(
        script, BUILT, breaks={"search": always(hangs_up)}, library=library
    )
    assert reported.end.outcome is Outcome.LIBRARY
    assert WarningCode.LIBRARY_ALONE in reported.warned
    assert cited(reported)[0][0] == LIGHTHOUSE


async def test_where_neither_web_nor_library_is_there_the_run_fails(library: SqliteLibrary):
    reported = await run_in_world(breaks={"search": always(hangs_up)}, library=library)
    assert isinstance(reported.end, Failed)


@pytest.mark.parametrize(
    "settings", [{"search.enabled": False}, {"library.recall": "only"}], ids=["no web", "only"]
)
async def test_without_the_web_nothing_is_asked_but_model_and_library(
    library: SqliteLibrary, settings: dict[str, object]
):
    library.add([page(LIGHTHOUSE, read=LONG_AGO)])
    async with world(short_script(), settings=settings, library=library) as w:
        reported = await w.ask("What is the Lindmouth lighthouse like today?")
        empty = await w.ask("Who painted the ceiling of the chapel?")
        assert w.servers["search"].requests == []
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.LIBRARY
    assert not reported.of(SearchStarted)
    assert empty.end.outcome is Outcome.INSUFFICIENT
    assert empty.end.answer == "I could not find anything about this in your library."


async def test_without_the_web_the_conversation_counts_and_with_the_library_alone_it_does_not(
    library: SqliteLibrary,
):
    first = await run_in_world(short_script(), BUILT)
    conversation = followed(Conversation(), BUILT, first)
    outcomes: dict[str, Outcome] = {}
    for name, settings in {
        "no web": {"search.enabled": False},
        "only": {"library.recall": "only"},
    }.items():
        async with world(short_script(), settings=settings, library=library) as w:
            reported = await w.ask("Was the Lindmouth lighthouse built in 1871?", conversation)
            outcomes[name] = reported.end.outcome
    assert outcomes == {"no web": Outcome.HISTORY, "only": Outcome.INSUFFICIENT}


async def test_a_fresh_question_does_not_ask_the_library(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE)])
    reported = await run_in_world(
        short_script(), BUILT, settings={"library.recall": "never"}, library=library
    )
    assert reported.end.outcome is Outcome.WEB


async def test_a_narrowed_question_is_answered_from_its_part_of_the_web_alone(
    library: SqliteLibrary,
):
    library.add([page(LIGHTHOUSE)])
    text = "The basin of Lindmouth was dredged in 1868 [1]."
    script = ModelScript([plan("x")], [verdict("sufficient")] * 2, [text])
    async with world(script, library=library) as w:
        reported = await w.ask(BUILT, narrowing=SearchScope(("harbour.example",), Recency.YEAR))
        received, asked = list(w.searxng.heard), w.servers["search"].requests
        read = w.read()
        assert {request.query["time_range"] for request in asked} == {"year"}
    assert_legal(reported.events)
    assert not reported.of(LibraryRecalled)
    assert received
    assert all(query.endswith(" site:harbour.example") for query in received)
    assert read == [HARBOUR]
    assert reported.end.outcome is not Outcome.LIBRARY
    assert list(library.answers.places(question_key(BUILT))) == []


async def test_without_a_model_the_library_is_quoted_where_it_tells_it(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE)])
    async with world(breaks={"model": always(hangs_up)}, library=library) as w:
        reported = await w.ask(BUILT)
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert "built in 1871" in reported.end.answer
    assert reported.end.rounds == 0


@pytest.mark.parametrize("web", [True, False], ids=["search is down", "no web"])
async def test_what_has_nothing_to_do_with_the_question_is_not_shown_for_want_of_better(
    library: SqliteLibrary, web: bool
):
    library.add([page(LIGHTHOUSE, read=LONG_AGO), page(WHITLOW)])
    down = {"model": always(hangs_up), "search": always(hangs_up)}
    reported = await run_in_world(
        None,
        "Which town did the singer with the granite voice grow up in?",
        breaks=down,
        settings={"search.enabled": web},
        library=library,
    )
    if web:
        assert isinstance(reported.end, Failed)
    else:
        assert reported.end.outcome is Outcome.INSUFFICIENT
        assert reported.end.sources == ()


async def test_a_writer_who_does_not_find_it_in_the_library_has_the_web_searched(
    library: SqliteLibrary,
):
    library.add([page(LIGHTHOUSE)])
    script = ModelScript(
        [plan("Lindmouth lighthouse")],
        [verdict("sufficient"), verdict("sufficient")],
        ["The sources do not say when it was built.", IN_1871],
    )
    reported = await run_in_world(script, BUILT, library=library)
    assert reported.of(SearchStarted)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.answer.startswith("The Lindmouth lighthouse was built in 1871")


@pytest.mark.parametrize(
    ("said", "threshold", "outcome"),
    [(0.9, 0.8, Outcome.LIBRARY), (0.6, 0.8, Outcome.WEB), (0.6, 0.5, Outcome.LIBRARY)],
)
async def test_the_model_may_score_how_complete_it_is(
    library: SqliteLibrary, said: float, threshold: float, outcome: Outcome
):
    library.add([page(LIGHTHOUSE)])
    script = short_script({"completeness": said, **verdict("sufficient")}, verdict("sufficient"))
    settings = {"library.completeness": "model", "library.completeness_threshold": threshold}
    reported = await run_in_world(script, BUILT, settings=settings, library=library)
    assert reported.end.outcome is outcome
    assert reported.of(LibraryRecalled)[0].completeness == pytest.approx(said)


async def test_only_an_answer_is_kept_and_only_where_the_settings_say_so(library: SqliteLibrary):
    async with world(short_script(), settings={"library.keep_pages": False}, library=library) as w:
        assert isinstance((await w.ask(BUILT)).end, Answered)
    assert library.documents(EVERY, 10) == ()
    async with world(breaks={"search": always(hangs_up)}, library=library) as w:
        assert isinstance((await w.ask(BUILT)).end, Failed)
    assert library.documents(EVERY, 10) == ()
    async with world(short_script(), library=library) as w:
        reported = await w.ask(BUILT)
    stored = {record.url: record for record in library.documents(EVERY, 10)}
    assert set(stored) == set(w.read())
    assert LIGHTHOUSE in stored
    assert {record.origin for record in stored.values()} == {Origin.WEB}
    assert reported.end.usage.pages_read == len(stored)


async def test_what_is_removed_from_the_library_does_not_come_back(library: SqliteLibrary):
    async with world(short_script(), library=library) as w:
        await w.ask(BUILT)
    library.remove([record.id for record in library.documents(EVERY, 10)])
    assert library.check() == ()
    reported = await run_in_world(short_script(), BUILT, library=library)
    assert reported.end.outcome is Outcome.WEB


async def test_a_damaged_library_costs_nothing_but_itself(tmp_path: Path):
    file = tmp_path / "library.sqlite3"
    file.mkdir()
    damaged = SqliteLibrary(file, 90, lambda _: None)
    reported = await run_in_world(short_script(), BUILT, library=damaged)
    assert reported.end.outcome is Outcome.WEB
    assert WarningCode.LIBRARY_UNUSABLE in reported.warned


async def test_a_long_document_enters_by_what_stands_around_what_was_found(
    library: SqliteLibrary,
):
    filler = "\n\n".join(f"Paragraph {n} speaks of herrings and of tar." for n in range(4000))
    text = f"{filler}\n\n{PAGES[LIGHTHOUSE]}\n\n{filler}"
    library.add([Document("file:///notes/book.md", "The book of Lindmouth", text, Origin.FILE)])
    async with world(short_script(), library=library) as w:
        reported = await w.ask(BUILT)
    assert reported.end.outcome is Outcome.LIBRARY
    [citation] = reported.end.citations
    assert citation.quote in PAGES[LIGHTHOUSE]
    [source] = reported.end.sources
    assert (source.url, source.host, source.is_private) == ("file:///notes/book.md", "", True)
    assert "[1] The book of Lindmouth (local file" in w.script.of("answer")[0].fenced


HEIGHT = "How deep is the cellar of the Lindmouth lighthouse?"
NOT_FOUND = "The sources do not say how deep the cellar is."


def cellar_script(*judge: object, answer: str = NOT_FOUND) -> ModelScript:
    return ModelScript(
        [plan("Lindmouth lighthouse cellar")],
        list(judge) or [verdict("insufficient", "cellar depth")] * 6,  # type: ignore[arg-type]
        [answer] * 2,
    )


async def test_a_question_without_an_answer_is_searched_again(library: SqliteLibrary):
    for _ in range(2):
        reported = await run_in_world(cellar_script(), HEIGHT, library=library)
        assert reported.end.outcome is Outcome.INSUFFICIENT
        assert reported.of(SearchStarted)


async def test_an_answer_of_which_a_part_is_gone_is_none(library: SqliteLibrary):
    first = await run_in_world(library=library)
    assert first.end.outcome is Outcome.WEB
    key = question_key(QUESTION)
    assert len({place.document for place in library.answers.places(key)}) == 2
    library.remove([library.find(WHITLOW)[0].id])
    assert library.answers.places(key) == ()


async def test_who_retries_while_the_web_is_down_has_the_library(library: SqliteLibrary):
    library.add([page(LIGHTHOUSE)])
    built = ModelScript([plan("x")], [verdict("sufficient")], [IN_1871])
    reported = await run_in_world(
        built, BUILT, breaks={"search": always(hangs_up)}, library=library, fresh=True
    )
    assert reported.end.outcome is Outcome.LIBRARY
    assert WarningCode.LIBRARY_ALONE in reported.warned


async def test_what_a_follow_up_meant_is_not_known_in_the_next_conversation(library: SqliteLibrary):
    asks = "When was it built?"
    built = ModelScript([plan("x")] * 2, [verdict("sufficient")] * 4, [IN_1871] * 2)
    async with world(built, library=library) as w:
        first = await w.ask(BUILT)
        conversation = followed(Conversation(), BUILT, first)
        assert (await w.ask(asks, conversation)).end.outcome is not Outcome.INSUFFICIENT
    reported = await run_in_world(cellar_script(), asks, library=library)
    assert reported.end.outcome is Outcome.INSUFFICIENT


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("When was the lighthouse of Lindmouth built?", True),
        ("When was it built?", False),
        ("Did she plan the lighthouse of Lindmouth?", False),
        ("Who built the lighthouse?", False),
        ("What about Germany?", False),
        ("And in Germany?", False),
        ("Same for Berlin", False),
        ("How many were there in Berlin?", False),
        ("Wann wurde er in Lindmouth gebaut?", False),
        ("Wann wurde der Leuchtturm von Lindmouth gebaut?", True),
    ],
)
def test_a_question_stands_alone_that_names_its_subject(question: str, alone: bool):
    turns = Conversation().with_turn(Turn("Who?", "Nobody.")).turns
    assert stands_alone(question, turns) is alone
    assert stands_alone(question, ())
    asked_before = Conversation().with_turn(Turn(question, "Nobody knows.")).turns
    assert stands_alone(question, asked_before)


WHITLOW_HOST = urlsplit(WHITLOW).netloc


@pytest.mark.parametrize(
    ("judged", "breaks"),
    [
        (True, {}),
        (False, {"web": where(WHITLOW_HOST, hangs_up)}),
    ],
    ids=["snippets and passages of one page", "one page unread"],
)
async def test_a_source_that_is_cited_by_its_snippet_is_remembered_with_it(
    library: SqliteLibrary, judged: bool, breaks: dict[str, Any], request: pytest.FixtureRequest
):
    if judged:
        request.getfixturevalue("snippets_judged")
    first = await run_in_world(library=library, breaks=breaks)
    assert first.end.outcome is Outcome.WEB
    gone = {"search": always(hangs_up), "web": always(hangs_up)}
    script = knowing_model(judge=[verdict("sufficient")])
    async with world(script, breaks=gone, library=library) as w:
        reported = await w.ask()
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.LIBRARY
    assert sorted(cited(reported)) == sorted(cited(first))
    of_first = {source.url: source.snippet_only for source in first.end.sources}
    of_cited = {url for url, _ in cited(reported)}
    assert {s.url: s.snippet_only for s in reported.end.sources if s.url in of_cited} == {
        url: of_first[url] for url in of_cited
    }


async def test_an_answer_from_snippets_alone_is_searched_again(library: SqliteLibrary):
    first = await run_in_world(library=library, breaks={"web": always(hangs_up)})
    assert first.end.outcome is Outcome.WEB
    assert library.find(LIGHTHOUSE) == ()
    reported = await run_in_world(library=library)
    assert reported.of(SearchStarted)
    assert not any(source.snippet_only for source in reported.end.sources)


async def test_a_snippet_gives_way_to_its_page(library: SqliteLibrary):
    async with world(library=library, breaks={"web": where(WHITLOW_HOST, hangs_up)}) as w:
        await w.ask()
    assert library.find(WHITLOW)[0].kind is DocumentKind.SNIPPET
    async with world(library=library, settings={"library.recall": "never"}) as w:
        await w.ask()
    assert library.find(WHITLOW)[0].kind is DocumentKind.PAGE


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[SqliteLibrary]:
    opened = SqliteLibrary(tmp_path / "library.sqlite3", 90, pytest.fail)
    opened.add([page(url) for url in (LIGHTHOUSE, HARBOUR, GAZETTE, WHITLOW)])
    yield opened
    opened.close()


def chosen(shelf: SqliteLibrary, *urls: str) -> SearchScope:
    return SearchScope(documents=tuple(shelf.find(url)[0].id for url in urls))


def sources(on_progress: RecordedEvents) -> set[str]:
    return {source.url for source in on_progress.end.sources}


async def test_only_they_are_evidence_and_nothing_is_searched(shelf: SqliteLibrary):
    async with world(short_script(), library=shelf) as w:
        reported = await w.ask(BUILT, narrowing=chosen(shelf, LIGHTHOUSE, HARBOUR))
        assert w.servers["search"].requests == []
        assert w.servers["web"].requests == []
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.LIBRARY
    assert sources(reported) <= {LIGHTHOUSE, HARBOUR}
    assert LIGHTHOUSE in sources(reported)


async def test_an_answer_from_a_file_that_was_read_in_part_says_so(shelf: SqliteLibrary):
    url = "file:///notes/an%20old%20map.docx"
    shelf.add([Document(url, "Old map", PAGES[LIGHTHOUSE], Origin.FILE)])
    shelf.book.store_folder(Folder("/notes"))
    why = Message("Parts of the file could not be read: {names}.", names="word/footnotes.xml")
    path = "/notes/an old map.docx"
    async with world(short_script(), library=shelf) as w:
        whole = await w.ask(BUILT, narrowing=chosen(shelf, url))
        shelf.book.note([FileRecord(path, "/notes", FileState.INDEXED, why)])
        part = await w.ask(BUILT, narrowing=chosen(shelf, url))
    assert not whole.end.warnings
    (warning,) = part.end.warnings
    assert warning.values == {"title": "Old map", "why": why}


async def test_what_is_not_among_them_is_not_found_elsewhere(shelf: SqliteLibrary):
    script = short_script(*[verdict("insufficient", "Lindmouth lighthouse year")] * 4)
    script.answer = ["The sources do not say when it was built."]
    async with world(script, library=shelf) as w:
        reported = await w.ask(BUILT, narrowing=chosen(shelf, HARBOUR))
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert sources(reported) == {HARBOUR}


async def test_a_question_that_shares_no_word_with_them_is_answered_from_all_of_them(
    shelf: SqliteLibrary,
):
    text = ModelScript([], [verdict("sufficient")], ["Both tell of the sea [1][2]."])
    async with world(text, library=shelf) as w:
        reported = await w.ask("What do these agree on?", narrowing=chosen(shelf, WHITLOW, HARBOUR))
        prompt = text.of("answer")[0].fenced
    assert sources(reported) == {WHITLOW, HARBOUR}
    assert PAGES[WHITLOW][:60] in prompt
    assert PAGES[HARBOUR][:60] in prompt


async def test_a_book_is_read_where_it_speaks_of_the_question(shelf: SqliteLibrary):
    url = "http://books.example/long"
    filler = "The sheep of the island graze on the western slope until the autumn. \n\n"
    text = f"{filler * (2 * LONGEST_WHOLE // len(filler))}{PAGES[LIGHTHOUSE]}"
    shelf.add([Document(url, "A long book", text, Origin.IMPORT)])
    reported = await run_in_world(
        short_script(), BUILT, library=shelf, narrowing=chosen(shelf, url)
    )
    assert reported.end.outcome is Outcome.LIBRARY
    assert reported.end.citations[0].quote.startswith("The Lindmouth lighthouse was built in 1871")


async def test_the_conversation_before_has_no_say(shelf: SqliteLibrary):
    first = await run_in_world(short_script(), BUILT)
    conversation = followed(Conversation(), BUILT, first)
    script = short_script(*[verdict("insufficient")] * 4)
    script.answer = ["The sources do not say when it was built."]
    reported = await run_in_world(
        script, BUILT, conversation, library=shelf, narrowing=chosen(shelf, HARBOUR)
    )
    assert sources(reported) == {HARBOUR}


async def test_what_they_answered_is_no_answer_to_the_question_as_such(shelf: SqliteLibrary):
    async with world(short_script(), library=shelf) as w:
        await w.ask(BUILT, narrowing=chosen(shelf, LIGHTHOUSE))
    assert shelf.answers.places(question_key(BUILT)) == ()


async def test_documents_that_are_gone_are_said_to_hold_nothing(shelf: SqliteLibrary):
    part = chosen(shelf, LIGHTHOUSE)
    shelf.remove(part.documents)
    async with world(short_script(), library=shelf) as w:
        reported = await w.ask(BUILT, narrowing=part)
        assert w.servers["search"].requests == []
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.end.sources == ()


async def test_without_a_model_their_passages_are_quoted(shelf: SqliteLibrary):
    reported = await run_in_world(
        None,
        "Anything about boats?",
        breaks={"model": always(hangs_up)},
        library=shelf,
        narrowing=chosen(shelf, HARBOUR),
    )
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert sources(reported) == {HARBOUR}


def test_a_search_may_be_kept_to_documents(shelf: SqliteLibrary):
    (harbour,) = shelf.find(HARBOUR)
    among = Filters(documents=(harbour.id,))
    assert {hit.url for hit in shelf.search("Lindmouth", 10, among)} == {HARBOUR}
    assert {record.url for record in shelf.documents(among)} == {HARBOUR}
