"""`askance library embed`, and what adding and searching do with a model, over a real server."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from askance.engine import library_router
from cli.commands.test_library_command import FERRY, MILL, in_process, records, said
from cli.fake_shell import FakeShell, run
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
    fake_shell: FakeShell, fake: FakeEmbedding, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeEmbedding]:
    monkeypatch.setattr(library_router, "LEAST_SIMILARITY", 0.05)
    with InThread(fake) as server:
        fake_shell.environment |= {
            "ASKANCE_EMBEDDINGS__API": "ollama",
            "ASKANCE_EMBEDDINGS__URL": server.url,
        }
        yield fake


def lines(tmp_path: Path, *texts: str) -> Path:
    file = tmp_path / "documents.jsonl"
    rows = [{"url": f"https://n.example/{i}", "text": text} for i, text in enumerate(texts)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_without_a_model_it_says_what_to_set(fake_shell: FakeShell) -> None:
    assert run(fake_shell, "library", "embed") == 2
    assert "embeddings.api" in fake_shell.errors


@pytest.mark.usefixtures("in_process")
def test_what_is_added_is_embedded_and_found_by_its_meaning(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    for name, text in (("ferry", FERRY), ("mill", MILL)):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        said(fake_shell, "add", str(tmp_path / f"{name}.md"))
    assert sum(len(batch) for batch in embedding.given if batch != ["dimension"]) == 2
    assert "2 of 2 passages embedded." in said(fake_shell, "embed")
    (stats,) = records(fake_shell, "stats")
    ((model, embedded),) = stats["embedded"].items()
    assert embedded == 2
    assert any(
        model in line and "2 of 2" in line for line in said(fake_shell, "stats").splitlines()
    )
    (hit,) = records(
        fake_shell, "search", "at nine leaves the", "--mode", "semantic", "--limit", "1"
    )
    assert hit["title"] == "Ferry"
    assert 0 < hit["score"] <= 1
    assert said(fake_shell, "search", "ferry", "--mode", "guess", code=2) == ""
    assert "deleted, with 1 passage and 1 vector." in said(
        fake_shell, "remove", str(tmp_path / "mill.md")
    )


def test_progress_is_told_as_json(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    fake_shell.environment["ASKANCE_EMBEDDINGS__API"] = "none"
    said(fake_shell, "import", str(lines(tmp_path, *(f"Story number{i}." for i in range(40)))))
    fake_shell.environment["ASKANCE_EMBEDDINGS__API"] = "ollama"
    reports: list[dict[str, Any]] = records(fake_shell, "embed")
    assert [(row["done"], row["of"]) for row in reports] == [(32, 40), (40, 40)]


def test_a_failure_costs_nothing_of_what_was_added(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    embedding.models = ()
    added = said(fake_shell, "import", str(lines(tmp_path, "Story number1.")))
    assert "1 added" in added
    assert "no embedding model" in fake_shell.errors
    assert run(fake_shell, "library", "embed") == 2
    assert "1" in said(fake_shell, "search", "what is story number1 about")
    assert "no embedding model" in fake_shell.errors


def test_another_model_embeds_only_when_it_is_told_to(
    fake_shell: FakeShell, embedding: FakeEmbedding, tmp_path: Path
) -> None:
    said(fake_shell, "import", str(lines(tmp_path, "Story number1.")))
    embedding.digest = "d2"
    said(fake_shell, "import", str(lines(tmp_path, "Story number1.", "Story number2.")))
    assert "another one than before" in fake_shell.errors
    assert "2 of 2 passages embedded." in said(fake_shell, "embed")
    assert records(fake_shell, "search", "story number2", "--mode", "semantic")
