"""The one way into the library: by words always, by meaning where it can, for whom it is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.shelf import FERRY, MILL, MODEL, OTHER, direction, embed_all, library, page
from askance.adapters.embeddings.servers import OllamaEmbedder
from askance.adapters.library.library_vectors import SqliteVectors
from askance.config.settings import EmbeddingsSettings
from askance.domain.errors import LibraryAccessDenied, ServiceDown, ServiceRefused, StorageError
from askance.domain.events import RequestSent, Sending
from askance.domain.library import EVERY, Caller, Filters, LibraryHit, LibraryMatches, SearchMode
from askance.domain.messages import Message
from askance.engine.library_router import REST_S, CircuitBreaker, LibraryRouter, Semantic, merged
from servers.embedding import FakeEmbedding, refuses
from servers.loopback import Request, Wire, serve

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"
MEANT = "what leaves Kelhaven nightly"  # three words and more are meant


class Hashing:
    """Finds by words that no keyword search takes: each of the text, common ones included."""

    def __init__(self, error: Exception | None = None, host: str = "") -> None:
        self.error, self.host, self.now = error, host, MODEL
        self.asked = 0

    async def identity(self) -> Any:
        return self.now

    async def embed_query(self, text: str) -> list[float]:
        self.asked += 1
        if self.error:
            raise self.error
        return direction(text)

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> list[list[float]]:
        return [direction(text) for _, text in passages]


class Ledger:
    def __init__(self, error: Exception | None = None) -> None:
        self.entries: list[tuple[RequestSent, str]] = []
        self.error = error

    def add(self, sent: RequestSent, occasion: str) -> None:
        self.entries.append((sent, occasion))
        if self.error:
            raise self.error


class Scores:
    host = ""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.asked: list[tuple[str, Sequence[str]]] = []

    async def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.asked.append((question, texts))
        if self.error:
            raise self.error
        return [float("mill" in text.lower()) for text in texts]


def router(folder: Path, embedder: Any = None, *, identity: Any = MODEL, **parts: Any):
    stored = library(folder)
    # The second has none of the words of the questions but common ones.
    stored.add([page(A, FERRY, "Ferry", "boats"), page(B, MILL, "Mill"),
              page(C, "What does the nightly one carry?", "Cargo")])  # fmt: skip
    vectors = SqliteVectors(stored)
    if identity is not None:
        embed_all(vectors, identity)
    semantic = Semantic(embedder or Hashing(), vectors, least=0.1)
    return LibraryRouter(stored, semantic, **parts)


def urls(found: LibraryMatches) -> list[str]:
    return [hit.url for hit in found.hits]


async def test_without_a_model_keywords_search(tmp_path: Path) -> None:
    plain = LibraryRouter(router(tmp_path).library)
    found = await plain.find("when does the ferry leave", 10)
    assert (urls(found), found.mode, found.notes) == ([A], SearchMode.KEYWORDS, ())
    asked = await plain.find("ferry", 10, mode=SearchMode.HYBRID)
    assert urls(asked) == [A]
    assert "embeddings.api" in str(asked.notes[0])


async def test_what_is_meant_is_found_beside_what_is_said(tmp_path: Path) -> None:
    found = await router(tmp_path).find("which boat leaves Kelhaven in winter", 10)
    assert found.mode is SearchMode.HYBRID
    assert found.notes == ()
    assert set(urls(found)) >= {A, B}
    assert len({hit.passage for hit in found.hits}) == len(found.hits)
    assert [hit.score for hit in found.hits] == sorted((h.score for h in found.hits), reverse=True)


@pytest.mark.parametrize("words", ["ferry", '"ferry to Hesperay"', "ferry -mill", "2026-01-31"])
async def test_words_that_are_meant_as_they_stand_ask_no_model(tmp_path: Path, words: str) -> None:
    asked = router(tmp_path, Hashing(ServiceDown("S", "http://s", "It is down.")))
    found = await asked.find(words, 10)
    assert (found.mode, found.notes) == (SearchMode.KEYWORDS, ())


async def test_a_mode_is_kept_to(tmp_path: Path) -> None:
    asked = router(tmp_path)
    assert (await asked.find("ferry", 9, mode=SearchMode.HYBRID)).mode is SearchMode.HYBRID
    meant = await asked.find("nightly carry", 1, mode=SearchMode.SEMANTIC)
    assert (urls(meant), meant.mode) == ([C], SearchMode.SEMANTIC)
    assert (await asked.find(MEANT, 9, mode=SearchMode.KEYWORDS)).mode is SearchMode.KEYWORDS


async def test_filters_and_passages_of_a_document_hold_in_both(tmp_path: Path) -> None:
    asked = router(tmp_path)
    found = await asked.find("what was in the morning of winter", 10, Filters(tags=("boats",)))
    assert urls(found) == [A]
    long = "\n\n".join(f"Boat {i}. " + f"What leaves pier {i} nightly? " * 60 for i in range(4))
    asked.library.add([page("https://d.example/", long)])
    assert asked.semantic is not None
    embed_all(asked.semantic.vectors)
    for each in (1, 2):
        hits = (await asked.find("which boat leaves pier nightly", 10, passages_each=each)).hits
        assert sum(hit.url == "https://d.example/" for hit in hits) == each


@pytest.mark.parametrize(
    ("embedder", "note"),
    [
        (Hashing(ServiceDown("S", "http://s", "It is down.")), "It is down."),
        (Hashing(TimeoutError()), "did not answer in time"),
        (Hashing(ZeroDivisionError()), "the embedding model failed"),
    ],
)
async def test_whatever_fails_leaves_what_keywords_find(
    tmp_path: Path, embedder: Hashing, note: str, caplog: pytest.LogCaptureFixture
) -> None:
    found = await router(tmp_path, embedder).find("when does the ferry leave", 10)
    assert (urls(found), found.mode) == ([A], SearchMode.KEYWORDS)
    assert note in str(found.notes[0])
    alone = await router(tmp_path / "b", embedder).find("ferry", 10, mode=SearchMode.SEMANTIC)
    assert (urls(alone), alone.mode) == ([A], SearchMode.KEYWORDS)
    # What nobody expects is logged, by its place.
    is_unexpected = isinstance(embedder.error, ZeroDivisionError)
    assert len(caplog.records) == (2 if is_unexpected else 0)
    caplog.clear()


@pytest.mark.parametrize(
    ("error", "rests"),
    [
        (TimeoutError(), True),
        (ServiceDown("S", "http://s", "It is down."), True),
        (ServiceRefused("S", "http://s", "It refuses."), False),
    ],
)
async def test_a_server_that_does_not_answer_is_not_asked_again_for_a_while(
    tmp_path: Path, error: Exception, rests: bool
) -> None:
    embedder, now = Hashing(error), [0.0]
    asked = router(tmp_path, embedder)
    assert asked.semantic is not None
    asked = replace(asked, semantic=replace(asked.semantic, rest=CircuitBreaker(lambda: now[0])))
    first = await asked.find(MEANT, 10)
    now[0] = REST_S - 1
    second = await asked.find(MEANT, 10)
    assert embedder.asked == (1 if rests else 2)
    assert second.notes == first.notes
    now[0], embedder.error = REST_S, None
    assert (await asked.find(MEANT, 10)).notes == ()


async def test_a_model_that_has_embedded_nothing_is_told(tmp_path: Path) -> None:
    found = await router(tmp_path, identity=None).find("when does the ferry leave", 10)
    assert urls(found) == [A]
    assert "no passage is embedded yet" in str(found.notes[0])


async def test_vectors_of_another_model_are_not_compared(tmp_path: Path) -> None:
    found = await router(tmp_path, identity=OTHER).find("when does the ferry leave", 10)
    assert (urls(found), found.mode) == ([A], SearchMode.KEYWORDS)
    assert "another one than before" in str(found.notes[0])


async def stalls(_: Request, wire: Wire) -> None:
    await wire.client_gone()


@pytest.mark.parametrize("trouble", [refuses, stalls, "dimension"])
async def test_a_server_in_trouble_leaves_what_keywords_find(tmp_path: Path, trouble: Any) -> None:
    fake = FakeEmbedding()
    async with (
        serve(fake) as server,
        OllamaEmbedder(EmbeddingsSettings(url=server.url)) as embedder,
    ):
        asked = router(tmp_path, embedder, identity=await embedder.identity())
        assert (await asked.find("when does the ferry leave", 9)).mode is SearchMode.HYBRID
        if trouble == "dimension":
            fake.dimension = 8
        else:
            fake.on_embed = trouble
        assert asked.semantic is not None
        quick = LibraryRouter(
            asked.library, Semantic(embedder, asked.semantic.vectors, timeout_s=0.2)
        )
        found = await quick.find("when does the ferry leave", 9)
    assert (urls(found), found.mode) == ([A], SearchMode.KEYWORDS)
    assert len(found.notes) == 1


async def test_a_library_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    asked = router(tmp_path)
    asked.library.close()  # pyright: ignore[reportAttributeAccessIssue]
    (tmp_path / "library.sqlite3").unlink()
    (tmp_path / "library.sqlite3").mkdir()
    for mode in (SearchMode.HYBRID, SearchMode.KEYWORDS):
        with pytest.raises(StorageError):
            await asked.find(MEANT, 10, mode=mode)


async def test_a_program_that_may_not_read_is_refused(tmp_path: Path) -> None:
    ledger = Ledger()
    asked = router(tmp_path, caller=Caller("Cursor", may_read=False), ledger=ledger)
    with pytest.raises(LibraryAccessDenied, match="Cursor may not read"):
        await asked.find("ferry", 10)
    assert ledger.entries == []


async def test_what_another_program_reads_is_entered_and_what_the_user_reads_is_not(
    tmp_path: Path,
) -> None:
    ledger = Ledger()
    asked = router(tmp_path, caller=Caller("Cursor"), ledger=ledger)
    assert urls(await asked.find("ferry", 10)) == [A]
    ((entry, occasion),) = ledger.entries
    assert (entry.sending, entry.to, entry.content) == (Sending.LIBRARY, "Cursor", "ferry")
    assert occasion == "library"
    await LibraryRouter(asked.library, ledger=ledger).find("ferry", 10)
    assert len(ledger.entries) == 1


async def test_a_ledger_in_trouble_is_told(tmp_path: Path) -> None:
    ledger = Ledger(StorageError(Message("The ledger cannot be written.")))
    asked = router(tmp_path, caller=Caller("Cursor"), ledger=ledger)
    found = await asked.find("ferry", 10)
    assert urls(found) == [A]
    assert [str(note) for note in found.notes] == ["The ledger cannot be written."]


async def test_a_question_that_goes_to_another_machine_is_entered(tmp_path: Path) -> None:
    ledger = Ledger()
    asked = router(tmp_path, Hashing(host="far.example"), ledger=ledger)
    await asked.find(MEANT, 10)
    assert [(e.sending, e.to) for e, _ in ledger.entries] == [(Sending.MODEL, "far.example")]
    await asked.find("ferry", 10)
    assert len(ledger.entries) == 1


async def test_lists_are_merged_by_their_scores(tmp_path: Path) -> None:
    asked = router(tmp_path)
    words = ("ferry", "mill", "nightly")
    one, two, three = [asked.library.search(word, 1, EVERY)[0] for word in words]

    def scored(*scores: tuple[LibraryHit, float]) -> list[LibraryHit]:
        return [replace(hit, score=score) for hit, score in scores]

    def order(weight: float) -> list[tuple[str, float]]:
        by_words = scored((one, 30.0), (two, 20.0), (three, 10.0))
        by_meaning = scored((three, 0.9), (two, 0.7), (one, 0.5))
        return [(hit.url, round(hit.score, 3)) for hit in merged(by_words, by_meaning, weight)]

    assert order(0.5) == [(A, 1.0), (B, 0.75), (C, 0.5)]
    assert order(2.0) == [(C, 2.0), (B, 1.5), (A, 1.0)]
    assert [hit.score for hit in merged(scored((one, 3.0)), scored((two, 0.4)), 0.5)] == [1.0, 0.5]
    assert merged([], []) == []
