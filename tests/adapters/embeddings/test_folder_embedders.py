"""Models in folders: made here, of a few tokens. The real libraries run them, where they are installed."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.adapters.embeddings import model_folders
from askance.adapters.embeddings.model_folders import FolderEmbedder
from askance.config.settings import EmbeddingsSettings
from askance.domain.errors import ServiceProtocolError, SettingsError
from servers.onnx_files import Node, needs_onnx, needs_tokenizers, write_onnx, write_tokenizer

WORDS = ["[PAD]", "[UNK]", "ferry", "boat", "sheep", "leaves", "graze"]
TABLE = np.array(
    [[0, 0, 0], [0, 0, 0], [1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0, 1], [0, 0.2, 1]],
    dtype=np.float32,
)


def tokenizer(folder: Path) -> Path:
    return write_tokenizer(folder, WORDS)


def safetensors(file: Path, **tensors: np.ndarray[Any, Any]) -> None:
    head: dict[str, Any] = {"__metadata__": {"format": "np"}}
    body = b""
    for name, values in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[values.dtype.name]
        end = len(body) + values.nbytes
        head[name] = {"dtype": kind, "shape": values.shape, "data_offsets": [len(body), end]}
        body += values.tobytes()
    packed = json.dumps(head).encode()
    file.write_bytes(struct.pack("<Q", len(packed)) + packed + body)


def static(folder: Path, **settings: Any):
    return FolderEmbedder(EmbeddingsSettings(path=str(folder), **settings), model_folders.static)


def onnx_of(settings: EmbeddingsSettings) -> FolderEmbedder:
    return FolderEmbedder(settings, model_folders.onnx)


async def similar(made: Any, question: str, *texts: str) -> list[float]:
    asked = np.asarray(await made.embed_query(question))
    found = np.asarray(await made.embed_passages([("", text) for text in texts]))
    return [round(float(value), 3) for value in found @ asked]


@needs_tokenizers
@pytest.mark.parametrize("kind", [np.float32, np.float16])
async def test_a_table_of_vectors_embeds_by_their_mean(tmp_path: Path, kind: Any) -> None:
    folder = tokenizer(tmp_path / "potion")
    safetensors(folder / "model.safetensors", embeddings=TABLE.astype(kind))
    async with static(folder) as made:
        identity = await made.identity()
        assert (identity.model, identity.dimension, len(identity.digest)) == ("potion", 3, 16)
        near, mixed, far = await similar(made, "ferry", "boat", "Ferry leaves", "sheep")
    assert near > 0.99
    assert mixed == pytest.approx(0.707, abs=0.001)
    assert far == 0.0


@needs_tokenizers
async def test_a_text_of_unknown_words_is_like_nothing_in_particular(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path)
    safetensors(folder / "model.safetensors", embeddings=TABLE)
    async with static(folder) as made:
        (vector,) = await made.embed_passages([("", "zinc")])
        assert list(vector) == pytest.approx([3**-0.5] * 3)
        (empty,) = await made.embed_passages([("", "")])
        assert list(empty) == pytest.approx([3**-0.5] * 3)


@needs_tokenizers
async def test_tokens_may_share_rows_and_have_weights(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path)
    rows = np.array([0, 0, 1, 1, 2, 3, 3], dtype=np.int64)
    weights = np.array([0, 0, 1, 1, 1, 0, 0], dtype=np.float32)
    table = np.eye(4, 4, dtype=np.float32)
    safetensors(folder / "model.safetensors", embeddings=table, mapping=rows, weights=weights)
    async with static(folder) as made:
        assert await similar(made, "ferry", "boat", "boat leaves", "sheep") == [1.0, 1.0, 0.0]


async def test_a_folder_that_lacks_something_says_what(tmp_path: Path) -> None:
    settings = EmbeddingsSettings()
    with pytest.raises(SettingsError, match=r"embeddings\.path names no folder") as failed:
        await onnx_of(settings).identity()
    assert "multilingual-e5-small" in failed.value.fix
    with pytest.raises(SettingsError, match="is not there"):
        await static(tmp_path / "missing").identity()
    with pytest.raises(SettingsError, match=r"holds no model\.safetensors"):
        await static(tmp_path).identity()
    with pytest.raises(SettingsError, match=r"holds no model\.onnx"):
        await onnx_of(EmbeddingsSettings(path=str(tmp_path))).identity()


@needs_tokenizers
@pytest.mark.parametrize(
    "content", [b"", b"\xff" * 9, b"\x02" + b"\0" * 7 + b"[]", b"\x02" + b"\0" * 7 + b"{}"]
)
async def test_a_damaged_table_is_told(tmp_path: Path, content: bytes) -> None:
    folder = tokenizer(tmp_path)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(SettingsError, match="cannot be read"):
        await static(folder).identity()


@needs_tokenizers
async def test_a_damaged_tokenizer_is_told(tmp_path: Path) -> None:
    safetensors(tmp_path / "model.safetensors", embeddings=TABLE)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"tokenizer\.json cannot be read"):
        await static(tmp_path).identity()


async def test_a_library_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(
        "askance.adapters.embeddings.model_folders.importlib.import_module", missing
    )
    safetensors(tmp_path / "model.safetensors", embeddings=TABLE)
    with pytest.raises(SettingsError, match="needs tokenizers") as failed:
        await static(tmp_path).identity()
    assert "askance[embeddings]" in failed.value.fix


def onnx_model(file: Path, *, pooled: bool = False) -> None:
    """A model that looks tokens up in the table."""
    nodes: list[Node] = [("Gather", ["table", "input_ids"], "states")]
    if pooled:
        nodes.append(("ReduceMax", ["states", "axis"], "sentence"))
    constants: dict[str, Any] = {"table": TABLE, "axis": np.array([1])}
    output = ("sentence", 2) if pooled else ("states", 3)
    write_onnx(file, nodes, constants, output=output, attributes={"ReduceMax": {"keepdims": 0}})


@needs_onnx
async def test_an_onnx_model_is_run_and_its_tokens_are_pooled(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path / "e5-tiny")
    onnx_model(folder / "model.onnx")
    settings = EmbeddingsSettings(path=str(folder), model="tiny")
    async with onnx_of(settings) as made:
        identity = await made.identity()
        assert (identity.model, identity.dimension) == ("tiny", 3)
        # Of two texts in a batch the shorter is padded, and the padding has no part in its mean.
        near, mixed, far = await similar(made, "ferry", "boat", "ferry leaves leaves", "sheep")
    assert near > 0.99
    assert mixed == pytest.approx(1 / 5**0.5, abs=0.001)
    assert far == 0.0


@needs_onnx
async def test_pooling_is_as_the_folder_says(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path)
    onnx_model(folder / "model.onnx")
    text = folder / "1_Pooling" / "config.json"
    text.parent.mkdir()
    for name, best in (("cls_token", "ferry leaves"), ("lasttoken", "leaves ferry")):
        text.write_text(json.dumps({f"pooling_mode_{name}": True}), encoding="utf-8")
        async with onnx_of(EmbeddingsSettings(path=str(folder))) as made:
            assert (await similar(made, "ferry", best))[0] == pytest.approx(1.0, abs=0.001)


@needs_onnx
async def test_what_a_model_has_pooled_itself_is_taken(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path)
    onnx_model(folder / "model.onnx", pooled=True)
    async with onnx_of(EmbeddingsSettings(path=str(folder))) as made:
        (vector,) = await made.embed_passages([("", "ferry leaves")])
    assert list(vector) == pytest.approx([0.5**0.5, 0.0, 0.5**0.5], abs=0.001)


@needs_onnx
async def test_a_model_that_cannot_be_run_is_told(tmp_path: Path) -> None:
    folder = tokenizer(tmp_path)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(SettingsError, match="cannot be read"):
        await onnx_of(EmbeddingsSettings(path=str(folder))).identity()


@needs_tokenizers
async def test_what_fails_in_between_is_the_services_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tokenizer(tmp_path)
    safetensors(folder / "model.safetensors", embeddings=TABLE)

    def fails(_: object) -> Any:
        raise RuntimeError("out of memory")

    async with static(folder) as made:
        identity = await made.identity()
        made._loaded = (fails, identity)
        with pytest.raises(ServiceProtocolError, match="out of memory"):
            await made.embed_query("ferry")
