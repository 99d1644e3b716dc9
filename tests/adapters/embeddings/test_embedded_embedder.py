"""A GGUF file that embeds in a child process: how it is started, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.adapters.embeddings.servers import EmbeddedEmbedder
from askance.config.settings import EmbeddingsSettings
from askance.domain.errors import ServiceDown, SettingsError
from askance.domain.ports.model import Scheme
from servers.xllamacpp_fake import install
from waiting import patience


@pytest.fixture(autouse=True)
def xllamacpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "packages", monkeypatch)


def gguf(folder: Path, content: str = "GGUF") -> EmbeddingsSettings:
    file = folder / "nomic-embed-text.gguf"
    file.write_text(content, "utf-8")
    return EmbeddingsSettings(path=str(file))


async def test_a_file_embeds_with_its_prefixes_in_batches_that_hold_a_passage(
    tmp_path: Path,
) -> None:
    async with patience(), EmbeddedEmbedder(gguf(tmp_path)) as made:
        identity = await made.identity()
        assert (identity.model, identity.dimension) == ("nomic-embed-text.gguf", 2)
        assert identity.scheme is Scheme.NOMIC
        assert len(identity.digest) == 16
        (vector,) = await made.embed_passages([("", "abc")])
        length = len("search_document: abc")
        assert vector[0] / vector[1] == pytest.approx(length / 2048)
        question = await made.embed_query("abc")
        assert question[0] / question[1] == pytest.approx(len("search_query: abc") / 2048)


async def test_a_file_that_cannot_be_used_is_told(tmp_path: Path) -> None:
    for settings, text in (
        (EmbeddingsSettings(), "names no file"),
        (EmbeddingsSettings(path=str(tmp_path / "missing.gguf")), "cannot be read"),
        (gguf(tmp_path, "nothing"), "is not a GGUF file"),
    ):
        async with EmbeddedEmbedder(settings) as made:
            with pytest.raises(SettingsError, match=text):
                await made.identity()


async def test_a_file_that_cannot_be_loaded_names_the_setting(tmp_path: Path) -> None:
    async with patience(), EmbeddedEmbedder(gguf(tmp_path, "GGUF refuse")) as made:
        with pytest.raises(ServiceDown, match="unknown architecture") as failed:
            await made.identity()
    assert "embeddings.path" in failed.value.fix
