"""Cross-encoders in folders: made here, of a few tokens, and run by the real libraries where they are installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from askance.adapters.embeddings.model_folders import FolderEntailment
from askance.domain.errors import ServiceProtocolError, SettingsError
from servers.onnx_files import needs_onnx, write_entailment, write_onnx, write_tokenizer

WORDS = ["ferry", "leaves", "sheep", "graze"]
PAIRS = [
    ("The ferry leaves at noon.", "Ferry leaves"),
    ("The ferry leaves at noon.", "Sheep graze"),
    ("Sheep graze here, and then the ferry leaves.", "Leaves"),
]
BINARY = {"0": "LABEL_0", "1": "LABEL_1"}


async def stated(folder: Path) -> list[bool]:
    found = await FolderEntailment(str(folder)).probabilities(PAIRS)
    assert all(0 <= probability <= 1 for probability in found)
    assert all(abs(probability - 0.5) > 0.4 for probability in found)
    return [probability > 0.5 for probability in found]


@needs_onnx
@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({"0": "contradiction", "1": "ENTAILMENT", "2": "neutral"}, 1),
        ({"2": "entailment", "1": "neutral", "0": "contradiction"}, 2),
        ({"0": "entailment", "1": "not_entailment"}, 0),
        ({"0": "hallucinated", "1": "consistent"}, 1),
        ({"0": "Supported", "1": "LABEL_1"}, 0),
        (BINARY, 1),
        ({"0": "LABEL_0"}, 0),
    ],
)
async def test_each_pair_gets_how_surely_its_text_states_its_sentence(
    tmp_path: Path, labels: dict[str, str], place: int
) -> None:
    folder = write_entailment(tmp_path, WORDS, labels, width=len(labels), stated=place)
    assert await stated(folder) == [True, False, True]


@needs_onnx
async def test_pairs_keep_their_order_and_no_pair_is_none(tmp_path: Path) -> None:
    model = FolderEntailment(str(write_entailment(tmp_path, WORDS)))
    pairs = [("ferry " * (n * 7 % 20), "ferry" if n % 3 else "sheep") for n in range(1, 20)]
    found = await model.probabilities(pairs)
    assert [p > 0.5 for p in found] == [bool(n % 3) for n in range(1, 20)]
    assert list(await model.probabilities([])) == []


@needs_onnx
@pytest.mark.parametrize(
    "config",
    [
        "",
        "{}",
        '{"id2label": {"0": "a", "1": "b", "2": "LABEL_1"}}',
        '{"id2label": {"0": "neutral", "1": "contradiction", "3": "entailment"}}',
    ],
)
async def test_labels_that_name_no_entailment_are_not_guessed(tmp_path: Path, config: str) -> None:
    folder = write_entailment(tmp_path, WORDS)
    (folder / "config.json").write_text(config, encoding="utf-8")
    with pytest.raises(SettingsError, match="does not say which score") as failed:
        await FolderEntailment(str(folder)).probabilities(PAIRS)
    assert "id2label" in failed.value.fix


@needs_onnx
@pytest.mark.parametrize("labels", [[], "entailment", {"first": "entailment"}])
async def test_labels_that_cannot_be_read_are_told(tmp_path: Path, labels: Any) -> None:
    folder = write_entailment(tmp_path, WORDS)
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be read"):
        await FolderEntailment(str(folder)).probabilities(PAIRS)


@needs_onnx
async def test_a_model_that_embeds_is_no_model_of_entailment(tmp_path: Path) -> None:
    folder = write_entailment(tmp_path, WORDS)
    nodes = [("Gather", ["table", "input_ids"], "states")]
    table = np.eye(len(WORDS) + 2, dtype=np.float32)
    write_onnx(folder / "model.onnx", nodes, {"table": table}, output=("states", 3))
    with pytest.raises(SettingsError, match="no scores for a pair"):
        await FolderEntailment(str(folder)).probabilities(PAIRS)


async def test_a_folder_that_lacks_something_says_what(tmp_path: Path) -> None:
    missing = FolderEntailment(str(tmp_path / "none"))
    with pytest.raises(SettingsError, match="is not there") as failed:
        await missing.probabilities(PAIRS)
    assert "answer.entailment" in failed.value.fix
    write_tokenizer(tmp_path, WORDS)
    with pytest.raises(SettingsError, match=r"holds no model\.onnx"):
        await FolderEntailment(str(tmp_path)).probabilities(PAIRS)


@needs_onnx
async def test_what_fails_in_between_is_the_services_fault(tmp_path: Path) -> None:
    model = FolderEntailment(str(write_entailment(tmp_path, WORDS)))
    assert await model.probabilities(PAIRS)

    def fails(_: object) -> Any:
        raise RuntimeError("out of memory")

    model._loaded = fails
    with pytest.raises(ServiceProtocolError, match="out of memory"):
        await model.probabilities(PAIRS)
