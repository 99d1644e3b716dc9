"""`askance library embed`, and what adding and searching do with a model, over a real server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askance.engine import local_library
from cli.commands.test_library_command import FERRY, MILL, in_process, records, said
from cli.desk import Desk, run
from servers.embedding import FakeEmbedding
from servers.loopback import serve

__all__ = ["in_process"]


class InThread:
    """A server in a loop of its own: each command runs one, too."""

    def __init__(self, fake: FakeEmbedding) -> None:
        self._fake = fake
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self.url = ""
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> InThread:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        async def main() -> None:
            async with serve(self._fake) as server:
                self.url = server.url
                self._ready.set()
                await self._ended.wait()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(main())


@pytest.fixture
def fake() -> FakeEmbedding:
    return FakeEmbedding()


@pytest.fixture
def embedding(
    desk: Desk, fake: FakeEmbedding, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeEmbedding]:
    monkeypatch.setattr(local_library, "LEAST_SIMILARITY", 0.05)
    with InThread(fake) as server:
        desk.environment |= {
            "ASKANCE_EMBEDDINGS__API": "ollama",
            "ASKANCE_EMBEDDINGS__URL": server.url,
        }
        yield fake


def lines(tmp_path: Path, *texts: str) -> Path:
    file = tmp_path / "documents.jsonl"
    rows = [{"url": f"https://n.example/{i}", "text": text} for i, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_without_a_model_it_says_what_to_set(desk: Desk) -> None:
    assert run(desk, "library", "embed") == 2
    assert "embeddings.api" in desk.told


@pytest.mark.usefixtures("in_process")
def test_what_is_added_is_embedded_and_found_by_its_meaning(
    desk: Desk, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    for name, text in (("ferry", FERRY), ("mill", MILL)):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        said(desk, "add", str(tmp_path / f"{name}.md"))
    assert sum(len(batch) for batch in embedding.given if batch != ["dimension"]) == 2
    assert "2 of 2 passages embedded." in said(desk, "embed")
    (stats,) = records(desk, "stats")
    ((model, embedded),) = stats["embedded"].items()
    assert embedded == 2
    assert any(model in line and "2 of 2" in line for line in said(desk, "stats").splitlines())
    (hit,) = records(desk, "search", "at nine leaves the", "--mode", "semantic", "--limit", "1")
    assert hit["title"] == "Ferry"
    assert 0 < hit["score"] <= 1
    assert said(desk, "search", "ferry", "--mode", "guess", code=2) == ""
    assert "deleted, with 1 passage and 1 vector." in said(
        desk, "remove", str(tmp_path / "mill.md")
    )


def test_progress_is_told_as_json(desk: Desk, embedding: FakeEmbedding, tmp_path: Path) -> None:
    desk.environment["ASKANCE_EMBEDDINGS__API"] = "none"
    said(desk, "import", str(lines(tmp_path, *(f"Story number{i}." for i in range(40)))))
    desk.environment["ASKANCE_EMBEDDINGS__API"] = "ollama"
    reports: list[dict[str, Any]] = records(desk, "embed")
    assert [(row["done"], row["of"]) for row in reports] == [(32, 40), (40, 40)]


def test_a_failure_costs_nothing_of_what_was_added(
    desk: Desk, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    embedding.models = ()
    added = said(desk, "import", str(lines(tmp_path, "Story number1.")))
    assert "1 added" in added
    assert "no embedding model" in desk.told
    assert run(desk, "library", "embed") == 2
    assert "1" in said(desk, "search", "what is story number1 about")
    assert "no embedding model" in desk.told


def test_another_model_embeds_only_when_it_is_told_to(
    desk: Desk, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    said(desk, "import", str(lines(tmp_path, "Story number1.")))
    embedding.digest = "d2"
    said(desk, "import", str(lines(tmp_path, "Story number1.", "Story number2.")))
    assert "another one than before" in desk.told
    assert "2 of 2 passages embedded." in said(desk, "embed")
    assert records(desk, "search", "story number2", "--mode", "semantic")
