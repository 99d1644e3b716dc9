"""Passages get vectors in batches: what fails costs itself, what was killed is taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.storage.shelf import DIMENSION, MODEL, direction, found, library, page
from askance.adapters.library.library_vectors import SqliteVectors
from askance.domain.errors import (
    ModelMissing,
    ServiceDown,
    ServiceError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.events import RequestSent, Sending
from askance.domain.ports.model import EmbeddingProgress, Identity, ModelInfo
from askance.engine.library_embedding import CHANGED, ContextLines, LibraryEmbedding
from askance.engine.prompts import load_prompts
from fakes.model import ScriptedModel
from waiting import patience

Passages = Sequence[tuple[str, str]]


class Hashing:
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


class Ledger:
    def __init__(self) -> None:
        self.entries: list[RequestSent] = []

    def add(self, sent: RequestSent, occasion: str) -> None:
        self.entries.append(sent)


def refused(_: Passages) -> Exception:
    return ServiceRefused("S", "http://s", "It refuses.")


async def no_pause(_: float) -> None:
    pass


def shelf(folder: Path, n: int) -> SqliteVectors:
    stored = library(folder)
    stored.add([page(f"https://n.example/{i}", f"Story number{i} of a ferry.") for i in range(n)])
    return SqliteVectors(stored)


def embedding(vectors: SqliteVectors, embedder: Hashing, **options: Any) -> LibraryEmbedding:
    return LibraryEmbedding(
        vectors, embedder, **{"batch_size": 4, "pause": no_pause, "debounce_s": 0.001, **options}
    )


async def test_every_passage_gets_a_vector_and_progress_is_told(tmp_path: Path) -> None:
    vectors, reported = shelf(tmp_path, 10), list[EmbeddingProgress]()
    done = await embedding(vectors, Hashing(), on_progress=reported.append).embed()
    assert done == EmbeddingProgress(10, 10)
    assert [(state.done, state.of) for state in reported] == [(4, 10), (8, 10), (10, 10)]
    assert found(vectors, "number7")[0] == "https://n.example/7"


async def test_what_has_a_vector_is_not_embedded_again(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 10), Hashing()
    await embedding(vectors, embedder).embed()
    again = Hashing()
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

    embedder = Hashing(fails)
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

    embedder = Hashing(lambda _: errors.pop() if errors else None)
    assert await embedding(shelf(tmp_path, 3), embedder, pause=pause).embed() == EmbeddingProgress(
        3, 3
    )
    assert pauses == [1.0]


async def test_a_server_that_is_gone_is_not_asked_for_every_batch(tmp_path: Path) -> None:
    embedder = Hashing(lambda _: ServiceDown("S", "http://s", "It is down."))
    done = await embedding(shelf(tmp_path, 40), embedder).embed()
    assert (done.done, done.failed) == (0, 40)
    assert len(embedder.batches) == 3 * 3


async def test_a_model_that_is_missing_ends_it(tmp_path: Path) -> None:
    embedder = Hashing(lambda _: ModelMissing("There is no such model."))
    with pytest.raises(ModelMissing):
        await embedding(shelf(tmp_path, 3), embedder).embed()


async def test_another_model_embeds_nothing_until_it_is_told_to(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 5), Hashing()
    await embedding(vectors, embedder).embed()
    embedder.now, embedder.batches = Identity("other", "d9", DIMENSION), []
    assert (await embedding(vectors, embedder).embed()).problem == CHANGED
    assert embedder.batches == []
    assert await embedding(vectors, embedder).embed(anew=True) == EmbeddingProgress(5, 5)
    assert vectors.identities() == (embedder.now.key,)


async def test_the_old_vectors_stay_until_all_new_ones_are_there(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 5), Hashing()
    await embedding(vectors, embedder).embed()
    embedder.now, embedder.fails = Identity("other", "d9", DIMENSION), refused
    assert (await embedding(vectors, embedder).embed(anew=True)).failed == 5
    assert vectors.identities() == (MODEL.key,)


async def test_vectors_of_a_model_that_changed_meanwhile_are_not_kept(tmp_path: Path) -> None:
    vectors, embedder = shelf(tmp_path, 3), Hashing()

    def changes(_: Passages) -> None:
        embedder.now = Identity("other", "d9", DIMENSION)

    embedder.fails = changes
    done = await embedding(vectors, embedder).embed()
    assert (done.done, done.failed) == (0, 3)
    assert "has changed meanwhile" in str(done.problem)
    assert vectors.identities() == ()


async def test_a_model_on_another_machine_is_entered_into_the_ledger(tmp_path: Path) -> None:
    ledger, embedder = Ledger(), Hashing()
    await embedding(shelf(tmp_path, 3), embedder, ledger=ledger).embed()
    assert ledger.entries == []
    embedder.host, embedder.now = "far.example", Identity("far", "", DIMENSION)
    await embedding(shelf(tmp_path / "b", 3), embedder, ledger=ledger).embed()
    (entry,) = ledger.entries
    assert (entry.sending, entry.to, entry.content) == (Sending.MODEL, "far.example", "far")


async def test_a_line_by_the_chat_model_goes_before_each_passage(tmp_path: Path) -> None:
    model = ScriptedModel("A ferry\nstory.", ServiceDown("S", "http://s", "It is down."))
    embedder = Hashing()
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
    embedder = Hashing()
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
    worker = embedding(vectors, Hashing(), on_progress=report)
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
        shelf(tmp_path, 2), Hashing(lambda _: errors.pop() if errors else None), on_progress=report
    )
    async with patience(), asyncio.TaskGroup() as tasks:
        watching = tasks.create_task(worker.watch())
        await failed.wait()
        worker.notice()
        await arrived.wait()
        watching.cancel()
    assert str(reported[0].problem) == "There is no such model."
    assert reported[-1] == EmbeddingProgress(2, 2)
