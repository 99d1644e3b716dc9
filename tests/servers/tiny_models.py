"""Tiny language models as GGUF files, with random weights and a real vocabulary.

What llama.cpp counts and keeps of a prompt depends on a model's vocabulary and architecture, not on its
weights. The format is described in ggml's `docs/gguf.md`, the tensors are those that llama.cpp loads
for `llama` and for `mamba`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Tensors = Iterator[tuple[str, NDArray[np.float32]]]

_LAYERS, _WIDTH, _INNER, _STATE, _RANK, _KERNEL = 2, 64, 128, 8, 4, 4
_VERSION, _ALIGNMENT = 3, 32
_UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 6, 7, 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, _UINT32: 4, 5: 4, _FLOAT32: 4, _BOOL: 1, 10: 8, 11: 8, 12: 8}
_TYPE_F32 = 0
_SIZE = {"context_length": 8192, "embedding_length": _WIDTH, "block_count": _LAYERS}


def write_tiny_model(path: Path, vocabulary: Path) -> None:
    """Write a Llama model to `path` with the tokenizer of another GGUF file."""
    numbers = {**_SIZE, "feed_forward_length": _INNER, "attention.head_count": 1}
    _write(path, vocabulary, "llama", numbers, _attention)


def write_recurrent_model(path: Path, vocabulary: Path) -> None:
    """Write a Mamba model to `path` with the tokenizer of another GGUF file."""
    numbers = {
        **_SIZE,
        "feed_forward_length": 0,
        "attention.head_count": 0,
        "ssm.conv_kernel": _KERNEL,
        "ssm.inner_size": _INNER,
        "ssm.state_size": _STATE,
        "ssm.time_step_rank": _RANK,
    }
    _write(path, vocabulary, "mamba", numbers, _state_space)


def _write(
    path: Path,
    vocabulary: Path,
    architecture: str,
    numbers: Mapping[str, int],
    layer: Callable[[np.random.Generator, str], Tensors],
) -> None:
    tokenizer, tokens = _tokenizer_of(vocabulary.read_bytes())
    fields = [_field("general.architecture", architecture), *tokenizer]
    fields += [_field(f"{architecture}.{name}", value) for name, value in numbers.items()]
    fields.append(_field(f"{architecture}.attention.layer_norm_rms_epsilon", 1e-5))
    random = np.random.default_rng(1)
    tensors = {
        "token_embd.weight": _drawn(random, tokens, _WIDTH),
        "output_norm.weight": np.ones(_WIDTH, np.float32),
    }
    for n in range(_LAYERS):
        tensors |= layer(random, f"blk.{n}.")
    head, offset = bytearray(), 0
    for name, values in tensors.items():
        head += _text(name) + struct.pack("<I", values.ndim)
        # The innermost dimension comes first.
        head += struct.pack(f"<{values.ndim}Q", *reversed(values.shape))
        head += struct.pack("<IQ", _TYPE_F32, offset)
        offset += _padded(values.nbytes)
    with path.open("wb") as file:
        file.write(struct.pack("<4sIQQ", b"GGUF", _VERSION, len(tensors), len(fields)))
        file.write(b"".join(fields) + head)
        file.write(bytes(_padded(file.tell()) - file.tell()))
        for values in tensors.values():
            file.write(values.tobytes())
            file.write(bytes(_padded(values.nbytes) - values.nbytes))


def _drawn(random: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    return random.normal(0, 0.1, shape).astype(np.float32)


def _attention(random: np.random.Generator, block: str) -> Tensors:
    ones = np.ones(_WIDTH, np.float32)
    yield f"{block}attn_norm.weight", ones
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        yield f"{block}{name}.weight", _drawn(random, _WIDTH, _WIDTH)
    yield f"{block}ffn_norm.weight", ones
    yield f"{block}ffn_gate.weight", _drawn(random, _INNER, _WIDTH)
    yield f"{block}ffn_up.weight", _drawn(random, _INNER, _WIDTH)
    yield f"{block}ffn_down.weight", _drawn(random, _WIDTH, _INNER)


def _state_space(random: np.random.Generator, block: str) -> Tensors:
    yield f"{block}attn_norm.weight", np.ones(_WIDTH, np.float32)
    yield f"{block}ssm_in.weight", _drawn(random, 2 * _INNER, _WIDTH)
    yield f"{block}ssm_conv1d.weight", _drawn(random, _INNER, _KERNEL)
    yield f"{block}ssm_conv1d.bias", _drawn(random, _INNER)
    yield f"{block}ssm_x.weight", _drawn(random, _RANK + 2 * _STATE, _INNER)
    yield f"{block}ssm_dt.weight", _drawn(random, _INNER, _RANK)
    yield f"{block}ssm_dt.bias", _drawn(random, _INNER)
    # The state must decay: A is negative.
    yield f"{block}ssm_a", -np.exp(_drawn(random, _INNER, _STATE))
    yield f"{block}ssm_d", _drawn(random, _INNER)
    yield f"{block}ssm_out.weight", _drawn(random, _WIDTH, _INNER)


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _field(name: str, value: str | float) -> bytes:
    match value:
        case str():
            return _text(name) + struct.pack("<I", _STRING) + _text(value)
        case int():
            return _text(name) + struct.pack("<II", _UINT32, value)
        case _:
            return _text(name) + struct.pack("<If", _FLOAT32, value)


def _tokenizer_of(data: bytes) -> tuple[list[bytes], int]:
    """Return the fields of a file that describe its tokenizer, as they stand, and how many tokens it has."""
    (count,) = struct.unpack_from("<Q", data, 16)
    at, fields, tokens = 24, list[bytes](), 0
    for _ in range(count):
        begin = at
        (length,) = struct.unpack_from("<Q", data, at)
        name = data[at + 8 : at + 8 + length].decode()
        at += 8 + length
        (kind,) = struct.unpack_from("<I", data, at)
        if name == "tokenizer.ggml.tokens":
            (tokens,) = struct.unpack_from("<Q", data, at + 8)
        at = _end_of_value(data, at + 4, kind)
        if name.startswith("tokenizer."):
            fields.append(data[begin:at])
    return fields, tokens


def _end_of_value(data: bytes, at: int, kind: int) -> int:
    if kind == _STRING:
        return at + 8 + struct.unpack_from("<Q", data, at)[0]
    if kind != _ARRAY:
        return at + _SIZES[kind]
    element, length = struct.unpack_from("<IQ", data, at)
    at += 12
    if element != _STRING:
        return at + length * _SIZES[element]
    for _ in range(length):
        at += 8 + struct.unpack_from("<Q", data, at)[0]
    return at
