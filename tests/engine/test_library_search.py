"""The one way into the library, by words and by meaning, and how passages get their vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.directions import DIMENSION, MODEL, OTHER, direction, embed_all, found
from adapters.storage.shelf import FERRY, MILL, library, page
from askance.adapters.embeddings.servers import OllamaEmbedder
from askance.adapters.library.sqlite.library_vectors import SqliteVectors
from askance.config.settings import EmbeddingsSettings
from askance.domain.errors import (
    LibraryAccessDenied,
    ModelMissing,
    ServiceDown,
    ServiceError,
    ServiceRefused,
    ServiceTimeout,
    StorageError,
)
from askance.domain.events import Sending
from askance.domain.library import EVERY, Caller, Filters, LibraryHit, LibraryMatches, SearchMode
from askance.domain.ports.model import EmbeddingProgress, Identity, ModelInfo
from askance.engine.library_router import (
    CHANGED,
    REST_S,
    CircuitBreaker,
    ContextLines,
    LibraryEmbedding,
    LibraryRouter,
    Semantic,
    merged,
)
from askance.engine.prompts import load_prompts
from fakes.model import ScriptedModel
from fakes.outbound import ListedLedger
from servers.embedding import FakeEmbedding, refuses
from servers.loopback import Request, Wire, serve
from waiting import patience

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
    ledger = ListedLedger()
    asked = router(tmp_path, caller=Caller("Cursor", may_read=False), ledger=ledger)
    with pytest.raises(LibraryAccessDenied, match="Cursor may not read"):
        await asked.find("ferry", 10)
    assert ledger.entries == []


async def test_what_another_program_reads_is_entered_and_what_the_user_reads_is_not(
    tmp_path: Path,
) -> None:
    ledger = ListedLedger()
    asked = router(tmp_path, caller=Caller("Cursor"), ledger=ledger)
    assert urls(await asked.find("ferry", 10)) == [A]
    ((entry, occasion),) = ledger.entries
    assert (entry.sending, entry.to, entry.content) == (Sending.LIBRARY, "Cursor", "ferry")
    assert occasion == "library"
    await LibraryRouter(asked.library, ledger=ledger).find("ferry", 10)
    assert len(ledger.entries) == 1


async def test_a_ledger_in_trouble_is_told(tmp_path: Path) -> None:
    ledger = ListedLedger("The ledger cannot be written.")
    asked = router(tmp_path, caller=Caller("Cursor"), ledger=ledger)
    found = await asked.find("ferry", 10)
    assert urls(found) == [A]
    assert [str(note) for note in found.notes] == ["The ledger cannot be written."]


async def test_a_question_that_goes_to_another_machine_is_entered(tmp_path: Path) -> None:
    ledger = ListedLedger()
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


Passages = Sequence[tuple[str, str]]


class BatchHashing:
    """An embedder in this process. `fails` looks at each batch, and returns the error to raise."""

    def __init__(self, fails: Callable[[Passages], Exception | None] = lambda _: None) -> None:
        self.host = ""
        self.now = MODEL
        self.fails = fails
        self.batches: list[Passages] = []

    async def identity(self) -> Identity:
        return self.now

    async def embed_query(self, text: str) -> list[float]:
        return direction(text)

    async def embed_passages(self, passages: Passages) -> list[list[float]]:
        self.batches.append(passages)
        if error := self.fails(passages):
            raise error
        return [direction(f"{title} {text}") for title, text in passages]


def refused(_: Passages) -> Exception:
    return ServiceRefused("S", "http://s", "It refuses.")


async def no_pause(_: float) -> None:
    pass


def shelf(folder: Path, n: int) -> SqliteVectors:
    stored = library(folder)
    stored.add([page(f"https://n.example/{i}", f"Story number{i} of a ferry.") for i in range(n)])
    return SqliteVectors(stored)


def embedding(vectors: SqliteVectors, embedder: BatchHashing, **options: Any) -> LibraryEmbedding:
    return LibraryEmbedding(
        vectors, embedder, **{"batch_size": 4, "pause": no_pause, "debounce_s": 0.001, **options}
    )


async def test_every_passage_gets_a_vector_and_progress_is_told(tmp_path: Path) -> None:
    vectors, reported = shelf(tmp_path, 10), list[EmbeddingProgress]()
    done = await embedding(vectors, BatchHashing(), on_progress=reported.append).embed()
    assert done == EmbeddingProgress(10, 10)
    assert [(state.done, state.of) for state in reported] == [(4, 10), (8, 10), (10, 10)]
    assert found(vectors, "number7")[0] == "https://n.example/7"


async def test_what_has_a_vector_is_not_embedded_again(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 10), BatchHashing()
    await embedding(vectors, embedder).embed()
    again = BatchHashing()
    assert await embedding(SqliteVectors(library(tmp_path)), again).embed() == EmbeddingProgress(
        10, 10
    )
    assert again.batches == []


@pytest.mark.parametrize(("error", "failed"), [(ServiceTimeout, 4), (ServiceRefused, 1)])
async def test_a_batch_that_fails_costs_only_itself_and_a_refused_passage_no_other(
    tmp_path: Path, error: type[ServiceError], failed: int
) -> None:
    vectors = shelf(tmp_path, 12)

    def fails(passages: Passages) -> Exception | None:
        is_bad = any("number5" in text for _, text in passages)
        return error("S", "http://s", "It fails.") if is_bad else None

    embedder = BatchHashing(fails)
    done = await embedding(vectors, embedder).embed()
    assert (done.done, done.failed, str(done.problem)) == (12 - failed, failed, "It fails.")
    # What is slow is tried three times, what is refused in halves.
    assert len(embedder.batches) == 2 + (3 if error is ServiceTimeout else 5)
    assert found(vectors, "number9")[0] == "https://n.example/9"
    embedder.fails = lambda _: None
    assert await embedding(vectors, embedder).embed() == EmbeddingProgress(12, 12)


async def test_a_batch_that_failed_once_is_tried_again(tmp_path: Path) -> None:
    errors, pauses = [ServiceTimeout("S", "http://s", "It is slow.")], list[float]()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    embedder = BatchHashing(lambda _: errors.pop() if errors else None)
    assert await embedding(shelf(tmp_path, 3), embedder, pause=pause).embed() == EmbeddingProgress(
        3, 3
    )
    assert pauses == [1.0]


async def test_a_server_that_is_gone_is_not_asked_for_every_batch(tmp_path: Path) -> None:
    embedder = BatchHashing(lambda _: ServiceDown("S", "http://s", "It is down."))
    done = await embedding(shelf(tmp_path, 40), embedder).embed()
    assert (done.done, done.failed) == (0, 40)
    assert len(embedder.batches) == 3 * 3


async def test_a_model_that_is_missing_ends_it(tmp_path: Path) -> None:
    embedder = BatchHashing(lambda _: ModelMissing("There is no such model."))
    with pytest.raises(ModelMissing):
        await embedding(shelf(tmp_path, 3), embedder).embed()


async def test_another_model_embeds_nothing_until_it_is_told_to(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 5), BatchHashing()
    await embedding(vectors, embedder).embed()
    embedder.now, embedder.batches = Identity("other", "d9", DIMENSION), []
    assert (await embedding(vectors, embedder).embed()).problem == CHANGED
    assert embedder.batches == []
    assert await embedding(vectors, embedder).embed(anew=True) == EmbeddingProgress(5, 5)
    assert vectors.identities() == (embedder.now.key,)


async def test_the_old_vectors_stay_until_all_new_ones_are_there(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 5), BatchHashing()
    await embedding(vectors, embedder).embed()
    embedder.now, embedder.fails = Identity("other", "d9", DIMENSION), refused
    assert (await embedding(vectors, embedder).embed(anew=True)).failed == 5
    assert vectors.identities() == (MODEL.key,)


async def test_vectors_of_a_model_that_changed_meanwhile_are_not_kept(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 3), BatchHashing()

    def changes(_: Passages) -> None:
        embedder.now = Identity("other", "d9", DIMENSION)

    embedder.fails = changes
    done = await embedding(vectors, embedder).embed()
    assert (done.done, done.failed) == (0, 3)
    assert "has changed meanwhile" in str(done.problem)
    assert vectors.identities() == ()


async def test_a_model_on_another_machine_is_entered_into_the_ledger(tmp_path: Path) -> None:
    ledger, embedder = ListedLedger(), BatchHashing()
    await embedding(shelf(tmp_path, 3), embedder, ledger=ledger).embed()
    assert ledger.entries == []
    embedder.host, embedder.now = "far.example", Identity("far", "", DIMENSION)
    await embedding(shelf(tmp_path / "b", 3), embedder, ledger=ledger).embed()
    ((entry, _),) = ledger.entries
    assert (entry.sending, entry.to, entry.content) == (Sending.MODEL, "far.example", "far")


async def test_a_line_by_the_chat_model_goes_before_each_passage(tmp_path: Path) -> None:
    model = ScriptedModel("A ferry\nstory.", ServiceDown("S", "http://s", "It is down."))
    embedder = BatchHashing()
    lines = ContextLines(model, load_prompts())
    await embedding(shelf(tmp_path, 2), embedder, line=lines).embed()
    (batch,) = embedder.batches
    assert [text for _, text in batch] == [
        "A ferry story.\nStory number0 of a ferry.",
        "Story number1 of a ferry.",
    ]
    assert "Story number0 of a ferry." in model.calls[0].messages[0].content


@pytest.mark.parametrize("may_read", [False, True])
async def test_a_chat_model_elsewhere_reads_passages_only_if_it_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, may_read: bool
) -> None:
    model = ScriptedModel("A ferry story.", "A ferry story.")
    here = model.info

    async def elsewhere() -> ModelInfo:
        return replace(await here(), host="far.example")

    monkeypatch.setattr(model, "info", elsewhere)
    embedder = BatchHashing()
    lines = ContextLines(model, load_prompts(), may_read)
    await embedding(shelf(tmp_path, 2), embedder, line=lines).embed()
    assert bool(model.calls) is may_read
    (batch,) = embedder.batches
    assert all(("A ferry story." in text) is may_read for _, text in batch)


async def test_what_is_added_later_is_embedded_in_the_background(tmp_path: Path) -> None:
    stored, arrived = library(tmp_path), asyncio.Event()

    def report(state: EmbeddingProgress) -> None:
        if state.done == state.of == 3:
            arrived.set()

    vectors = SqliteVectors(stored)
    worker = embedding(vectors, BatchHashing(), on_progress=report)
    async with patience(), asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(worker.watch())
        await asyncio.to_thread(
            stored.add, [page(f"https://n.example/{i}", f"number{i}") for i in range(3)]
        )
        worker.notice()
        await arrived.wait()
        watching.cancel()
    assert found(vectors, "number2")[0] == "https://n.example/2"


async def test_the_background_goes_on_after_a_failure(tmp_path: Path) -> None:
    reported, failed, arrived = list[EmbeddingProgress](), asyncio.Event(), asyncio.Event()
    errors: list[Exception] = [ModelMissing("There is no such model.")]

    def report(state: EmbeddingProgress) -> None:
        reported.append(state)
        (failed if state.problem else arrived).set()

    worker = embedding(
        shelf(tmp_path, 2),
        BatchHashing(lambda _: errors.pop() if errors else None),
        on_progress=report,
    )
    async with patience(), asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(worker.watch())
        await failed.wait()
        worker.notice()
        await arrived.wait()
        watching.cancel()
    assert str(reported[0].problem) == "There is no such model."
    assert reported[-1] == EmbeddingProgress(2, 2)
