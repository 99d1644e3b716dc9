"""llama.cpp's own tokenizer, with a vocabulary that has the control tokens of any template.

A GGUF file is copied, and its last tokens become control tokens of other names. The tensors stay:
nothing is generated with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import struct
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from waiting import patience

_SCALARS = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9
_CONTROL = 3
_ALIGNMENT = 32
_KEY = "key-of-the-test"


class _Gguf:
    """Reads the header of a GGUF file, version 3 (the format's description is in ggml)."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 24
        assert data[:4] == b"GGUF"
        self.tensors, self.entries = struct.unpack_from("<QQ", data, 8)
        self.places: dict[str, tuple[int, int]] = {}
        for _ in range(self.entries):
            key = self.string().decode()
            kind = self.number("<I")
            start = self.at
            self.pass_over(kind)
            self.places[key] = (start, self.at)
        for _ in range(self.tensors):
            self.string()
            dimensions = self.number("<I")
            self.at += 8 * dimensions + 12
        self.header_end = self.at

    def number(self, form: str) -> int:
        value = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return int(value)

    def string(self) -> bytes:
        length = self.number("<Q")
        self.at += length
        return self.data[self.at - length : self.at]

    def pass_over(self, kind: int) -> None:
        if kind == _STRING:
            self.string()
        elif kind == _ARRAY:
            inner, count = self.number("<I"), self.number("<Q")
            for _ in range(count if inner == _STRING else 0):
                self.string()
            self.at += 0 if inner == _STRING else count * _SCALARS[inner]
        else:
            self.at += _SCALARS[kind]

    def strings(self, key: str) -> list[bytes]:
        self.at = self.places[key][0] + 4
        return [self.string() for _ in range(self.number("<Q"))]


def with_control_tokens(model: Path, names: Sequence[str], to: Path) -> dict[int, str]:
    """Write a copy of a model in whose vocabulary all these names are control tokens.

    Returns their names by their numbers.
    """
    gguf = _Gguf(model.read_bytes())
    tokens = gguf.strings("tokenizer.ggml.tokens")
    known = set(tokens)
    fresh = [name for name in dict.fromkeys(n.encode() for n in names) if name not in known]
    tokens[-len(fresh) :] = fresh
    start, end = gguf.places["tokenizer.ggml.tokens"]
    kinds_start, _ = gguf.places["tokenizer.ggml.token_type"]
    header = bytearray(gguf.data[: gguf.header_end])
    wanted = {name.encode() for name in names}
    for i, token in enumerate(tokens):
        if token in wanted:
            struct.pack_into("<i", header, kinds_start + 12 + 4 * i, _CONTROL)
    array = struct.pack("<IQ", _STRING, len(tokens))
    array += b"".join(struct.pack("<Q", len(token)) + token for token in tokens)
    changed = bytes(header[:start]) + array + bytes(header[end:])
    weights = gguf.header_end + -gguf.header_end % _ALIGNMENT
    controls = {i: token.decode() for i, token in enumerate(tokens) if token in wanted}
    to.write_bytes(changed + bytes(-len(changed) % _ALIGNMENT) + gguf.data[weights:])
    return controls


class Tokenizer:
    """Asks the server for the tokens of a text, as it finds them in a prompt."""

    def __init__(self, client: httpx.Client, controls: dict[int, str]) -> None:
        self._client = client
        self._controls = controls

    def controls_in(self, text: str) -> set[str]:
        """Return the control tokens that it finds."""
        request = {"content": text, "parse_special": True, "add_special": False}
        reply = self._client.post("/tokenize", json=request).raise_for_status()
        return {self._controls[t] for t in reply.json()["tokens"] if t in self._controls}


@asynccontextmanager
async def tokenizer(model: Path, names: Sequence[str], folder: Path) -> AsyncIterator[Tokenizer]:
    """Run llama.cpp's server, as the program does, on a model with these control tokens."""
    copy = folder / "all.gguf"
    controls = with_control_tokens(model, names, copy)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "askance.adapters.llm.embedded_server"),
        *("--gguf", str(copy), "--num-ctx", "256"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    assert child.stdin
    assert child.stdout
    try:
        child.stdin.write(f"{_KEY}\n".encode())
        async with patience():
            line = await child.stdout.readline()
        with httpx.Client(
            base_url=json.loads(line)["url"],
            headers={"Authorization": f"Bearer {_KEY}"},
            trust_env=False,
            timeout=60,
        ) as client:
            yield Tokenizer(client, controls)
    finally:
        child.stdin.close()
        await child.wait()
        copy.unlink()
