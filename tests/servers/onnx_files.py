"""ONNX files and tokenizers of a few words, written by hand: the package `onnx` is not needed to make one."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

needs_tokenizers = pytest.mark.skipif(
    importlib.util.find_spec("tokenizers") is None,
    reason="no tokenizers: install it with `pip install 'askance[embeddings]'`",
)
needs_onnx = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("onnxruntime", "tokenizers")),
    reason="no onnxruntime and tokenizers: install both with `pip install 'askance[embeddings]'`",
)

Array = np.ndarray[Any, Any]
Node = tuple[str, Sequence[str], str]
"""An operator, its inputs, its output."""

_FLOAT, _INT64 = 1, 7
_INT_ATTRIBUTE = 2
_LENGTHS = ("batch", "length")


def _number(value: int) -> bytes:
    head, rest = value & 0x7F, value >> 7
    return bytes([head | 0x80]) + _number(rest) if rest else bytes([head])


def _field(number: int, value: bytes | str | int) -> bytes:
    """Write a field of a protobuf message: a number, or something with a length."""
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    data = value.encode() if isinstance(value, str) else value
    return _number(number << 3 | 2) + _number(len(data)) + data


def _tensor(name: str, values: Array) -> bytes:
    kind = _FLOAT if values.dtype == np.float32 else _INT64
    dims = b"".join(_field(1, size) for size in values.shape)
    return dims + _field(2, kind) + _field(8, name) + _field(9, values.tobytes())


def _put(name: str, kind: int, dims: Sequence[str]) -> bytes:
    shape = b"".join(_field(1, _field(2, dim)) for dim in dims)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, shape)))


def _node(node: Node, attributes: Mapping[str, int]) -> Iterator[bytes]:
    operator, inputs, output = node
    yield from (_field(1, name) for name in inputs)
    yield _field(2, output)
    yield _field(4, operator)
    for name, value in attributes.items():
        yield _field(5, _field(1, name) + _field(3, value) + _field(20, _INT_ATTRIBUTE))


def write_onnx(
    file: Path,
    nodes: Sequence[Node],
    constants: Mapping[str, Array],
    *,
    inputs: Sequence[str] = ("input_ids",),
    output: tuple[str, int],
    attributes: Mapping[str, Mapping[str, int]] | None = None,
) -> None:
    """Write a model. `output` has so many dimensions; `attributes` are those of operators, by their name."""
    known = attributes or {}
    name, rank = output
    graph = b"".join(_field(1, b"".join(_node(n, known.get(n[0], {})))) for n in nodes)
    graph += _field(2, "tiny")
    graph += b"".join(_field(5, _tensor(*constant)) for constant in constants.items())
    graph += b"".join(_field(11, _put(one, _INT64, _LENGTHS)) for one in inputs)
    graph += _field(12, _put(name, _FLOAT, [f"d{i}" for i in range(rank)]))
    file.write_bytes(_field(1, 9) + _field(7, graph) + _field(8, _field(1, "") + _field(2, 18)))


def write_tokenizer(folder: Path, words: Sequence[str]) -> Path:
    """Write a tokenizer that knows these words, and tells the second text of a pair from the first."""
    folder.mkdir(parents=True, exist_ok=True)
    first, second = ({"Sequence": {"id": name, "type_id": n}} for n, name in enumerate("AB"))
    known = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing", "single": [first],
                           "pair": [first, second], "special_tokens": {}},
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {w: i for i, w in enumerate(words)},
                  "unk_token": "[UNK]"},
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(known), encoding="utf-8")
    return folder


THREE_LABELS = {"0": "contradiction", "1": "ENTAILMENT", "2": "neutral"}


def write_entailment(
    folder: Path,
    words: Sequence[str],
    labels: Mapping[str, str] = THREE_LABELS,
    *,
    width: int = 3,
    stated: int = 1,
) -> Path:
    """Write a cross-encoder to which a text states a sentence that has no known word beyond those of the text.

    It gives `width` scores; that in the place `stated` is 4, and 8 less for each word that is missing.
    """
    vocabulary = ["[PAD]", "[UNK]", *words]
    write_tokenizer(folder, vocabulary)
    table = np.eye(len(vocabulary), dtype=np.float32)
    table[:2] = 0
    bias = np.zeros(width, dtype=np.float32)
    bias[stated] = 4
    constants: dict[str, Array] = {
        "table": table,
        "bias": bias,
        "weights": np.tile(-2 * bias, (len(vocabulary), 1)),
        "last": np.array([2], dtype=np.int64),
        "along": np.array([1], dtype=np.int64),
        "many": np.array(1000, dtype=np.float32),
    }
    nodes: list[Node] = [
        ("Gather", ("table", "input_ids"), "tokens"),
        ("Unsqueeze", ("token_type_ids", "last"), "types"),
        ("Cast", ("types",), "is_second"),
        ("Mul", ("tokens", "is_second"), "second"),
        ("Sub", ("tokens", "second"), "first"),
        ("ReduceSum", ("second", "along"), "sentence"),
        ("ReduceSum", ("first", "along"), "text"),
        ("Mul", ("text", "many"), "known"),
        ("Sub", ("sentence", "known"), "beyond"),
        ("Relu", ("beyond",), "missing"),
        ("MatMul", ("missing", "weights"), "lowered"),
        ("Add", ("lowered", "bias"), "logits"),
    ]
    write_onnx(
        folder / "model.onnx",
        nodes,
        constants,
        inputs=("input_ids", "attention_mask", "token_type_ids"),
        output=("logits", 2),
        attributes={"Cast": {"to": _FLOAT}, "ReduceSum": {"keepdims": 0}},
    )
    (folder / "config.json").write_text(json.dumps({"id2label": labels}), encoding="utf-8")
    return folder
