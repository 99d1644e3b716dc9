"""Tiny language models as GGUF files, with random weights and a real vocabulary.

What llama.cpp counts and keeps of a prompt depends on a model's vocabulary and architecture, not on its
weights. The format is described in ggml's `docs/gguf.md`; the tensors of each architecture are those that
llama.cpp looks for when it loads one.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Shapes = Iterator[tuple[str, tuple[int, ...]]]
"""Names of tensors with their dimensions, the outermost first."""
Numbers = Mapping[str, "float | bool | Sequence[int]"]

_WIDTH, _INNER, _KERNEL, _EXPERTS = 64, 128, 4, 2
# Of recurrent layers: the state of a head, and the heads.
_STATE, _HEADS = 16, 4
# Linear attention has one head of keys and two of values, each as wide as the state.
_LINEAR_STATE, _LINEAR_HEADS = 32, 2
_VERSION, _ALIGNMENT = 3, 32
_UINT32, _FLOAT32, _BOOL, _STRING, _ARRAY = 4, 6, 7, 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, _UINT32: 4, 5: 4, _FLOAT32: 4, _BOOL: 1, 10: 8, 11: 8, 12: 8}
_TYPE_F32 = 0
_SIZE: Numbers = {
    "context_length": 8192,
    "embedding_length": _WIDTH,
    "feed_forward_length": _INNER,
    "attention.head_count": 1,
    "attention.layer_norm_rms_epsilon": 1e-5,
}


@dataclass(frozen=True, slots=True)
class _Architecture:
    """The layers of a model: how many, of which tensors by their number, and what it says of itself."""

    layers: int
    tensors: Callable[[int], Shapes]
    numbers: Numbers
    norm: str = "output_norm"
    has_output: bool = False


def _feed_forward() -> Shapes:
    yield "ffn_norm.weight", (_WIDTH,)
    yield "ffn_gate.weight", (_INNER, _WIDTH)
    yield "ffn_up.weight", (_INNER, _WIDTH)
    yield "ffn_down.weight", (_WIDTH, _INNER)


def _attention(query: int = _WIDTH) -> Shapes:
    yield "attn_q.weight", (query, _WIDTH)
    for name in ("attn_k", "attn_v", "attn_output"):
        yield f"{name}.weight", (_WIDTH, _WIDTH)


def _head_norms() -> Shapes:
    yield "attn_q_norm.weight", (_WIDTH,)
    yield "attn_k_norm.weight", (_WIDTH,)


def _full(_layer: int) -> Shapes:
    yield "attn_norm.weight", (_WIDTH,)
    yield from _attention()
    yield from _feed_forward()


def _window(layer: int) -> Shapes:
    yield from _full(layer)
    yield from _head_norms()
    yield "post_attention_norm.weight", (_WIDTH,)
    yield "post_ffw_norm.weight", (_WIDTH,)


def _experts(_layer: int) -> Shapes:
    yield "attn_norm.weight", (_WIDTH,)
    yield "post_attention_norm.weight", (_WIDTH,)
    yield from _attention()
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        yield f"{name}.bias", (_WIDTH,)
    yield "attn_sinks.weight", (1,)
    yield "ffn_gate_inp.weight", (_EXPERTS, _WIDTH)
    yield "ffn_gate_inp.bias", (_EXPERTS,)
    sizes = {"gate": (_INNER, _WIDTH), "up": (_INNER, _WIDTH), "down": (_WIDTH, _INNER)}
    for name, (rows, columns) in sizes.items():
        yield f"ffn_{name}_exps.weight", (_EXPERTS, rows, columns)
        yield f"ffn_{name}_exps.bias", (_EXPERTS, rows)


def _state_space(_layer: int) -> Shapes:
    convolved = _INNER + 2 * _STATE
    yield "attn_norm.weight", (_WIDTH,)
    yield "ssm_in.weight", (_INNER + convolved + _HEADS, _WIDTH)
    yield "ssm_conv1d.weight", (convolved, _KERNEL)
    yield "ssm_conv1d.bias", (convolved,)
    yield "ssm_dt.bias", (_HEADS,)
    yield "ssm_a", (_HEADS, 1)
    yield "ssm_d", (_HEADS, 1)
    yield "ssm_norm.weight", (1, _INNER)
    yield "ssm_out.weight", (_WIDTH, _INNER)


def _state_space_or_full(layer: int) -> Shapes:
    if layer % 2:
        yield from _full(layer)
    else:
        yield from _state_space(layer)
        yield from _feed_forward()


def _convolution_or_full(layer: int) -> Shapes:
    if layer % 2:
        yield from _full(layer)
        yield from _head_norms()
    else:
        yield "attn_norm.weight", (_WIDTH,)
        yield "shortconv.conv.weight", (_WIDTH, _KERNEL)
        yield "shortconv.in_proj.weight", (3 * _WIDTH, _WIDTH)
        yield "shortconv.out_proj.weight", (_WIDTH, _WIDTH)
        yield from _feed_forward()


def _linear_or_full(layer: int) -> Shapes:
    values = _LINEAR_HEADS * _LINEAR_STATE
    convolved = 2 * _LINEAR_STATE + values
    yield "attn_norm.weight", (_WIDTH,)
    yield "post_attention_norm.weight", (_WIDTH,)
    yield from (row for row in _feed_forward() if row[0] != "ffn_norm.weight")
    if layer % 2:
        yield from _attention(2 * _WIDTH)
        yield from _head_norms()
        return
    yield "attn_qkv.weight", (convolved, _WIDTH)
    yield "attn_gate.weight", (values, _WIDTH)
    yield "ssm_conv1d.weight", (convolved, _KERNEL)
    yield "ssm_dt.bias", (_LINEAR_HEADS,)
    yield "ssm_a", (_LINEAR_HEADS,)
    yield "ssm_beta.weight", (_LINEAR_HEADS, _WIDTH)
    yield "ssm_alpha.weight", (_LINEAR_HEADS, _WIDTH)
    yield "ssm_norm.weight", (_LINEAR_STATE,)
    yield "ssm_out.weight", (_WIDTH, values)


_STATES: Numbers = {
    "ssm.conv_kernel": _KERNEL,
    "ssm.inner_size": _INNER,
    "ssm.state_size": _STATE,
    "ssm.time_step_rank": _HEADS,
    "ssm.group_count": 1,
}
# Every second layer attends: one without heads for keys is a recurrent one.
_HYBRID: Numbers = {"attention.head_count_kv": [0, 1]}
ARCHITECTURES: Mapping[str, _Architecture] = {
    "llama": _Architecture(2, _full, {}),
    # The last of six layers sees everything, the others a window.
    "gemma3": _Architecture(6, _window, {"attention.sliding_window": 1024}),
    "gpt-oss": _Architecture(
        2,
        _experts,
        {
            "attention.sliding_window": 128,
            "expert_count": _EXPERTS,
            "expert_used_count": 1,
            "expert_feed_forward_length": _INNER,
        },
        has_output=True,
    ),
    "qwen35": _Architecture(
        2,
        _linear_or_full,
        {
            **_STATES,
            "ssm.inner_size": _LINEAR_HEADS * _LINEAR_STATE,
            "ssm.state_size": _LINEAR_STATE,
            "ssm.time_step_rank": _LINEAR_HEADS,
            "full_attention_interval": 2,
            "rope.dimension_sections": [11, 11, 10, 0],
        },
    ),
    "granitehybrid": _Architecture(
        2, _state_space_or_full, {**_STATES, **_HYBRID, "logit_scale": 1.0}
    ),
    "lfm2": _Architecture(
        2, _convolution_or_full, {**_HYBRID, "shortconv.l_cache": _KERNEL}, norm="token_embd_norm"
    ),
    "mamba2": _Architecture(
        2, _state_space, {**_STATES, "feed_forward_length": 0, "attention.head_count": 0}
    ),
}


def write_tiny_model(path: Path, vocabulary: Path, architecture: str = "llama") -> None:
    """Write a model to `path` with the tokenizer of another GGUF file."""
    made = ARCHITECTURES[architecture]
    tokenizer, tokens = _tokenizer_of(vocabulary.read_bytes())
    fields = [_field("general.architecture", architecture), *tokenizer]
    numbers = {**_SIZE, "block_count": made.layers, **made.numbers}
    fields += [_field(f"{architecture}.{name}", value) for name, value in numbers.items()]
    shapes = {"token_embd.weight": (tokens, _WIDTH), f"{made.norm}.weight": (_WIDTH,)}
    if made.has_output:
        shapes["output.weight"] = (tokens, _WIDTH)
    for n in range(made.layers):
        shapes |= {f"blk.{n}.{name}": shape for name, shape in made.tensors(n)}
    random = np.random.default_rng(1)
    tensors = {name: _drawn(random, name, shape) for name, shape in shapes.items()}
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


def _drawn(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
    if name.endswith("norm.weight"):
        return np.ones(shape, np.float32)
    values = random.normal(0, 0.1, shape).astype(np.float32)
    # The state must decay: A is negative.
    return -np.exp(values) if name.endswith("ssm_a") else values


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _field(name: str, value: str | float | Sequence[int]) -> bytes:
    match value:
        case str():
            return _text(name) + struct.pack("<I", _STRING) + _text(value)
        case int():
            return _text(name) + struct.pack("<II", _UINT32, value)
        case float():
            return _text(name) + struct.pack("<If", _FLOAT32, value)
        case _:
            head = struct.pack("<IIQ", _ARRAY, _UINT32, len(value))
            return _text(name) + head + struct.pack(f"<{len(value)}I", *value)


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
