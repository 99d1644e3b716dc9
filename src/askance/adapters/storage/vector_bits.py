"""Which vectors are nearest to one, by the signs of their parts: a few processor cycles for each.

Vectors are rotated first, so that no part of them says more than the others: signs of raw parts say
little where all vectors of a model lie in one direction. A rotation by signs and Hadamard transforms
needs no matrix, and is the same on every machine.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Words = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.intp]

_ROUNDS = 2
# As many as stay in a core's cache, with what is made of them.
_BLOCK = 32_768
_WORD_BITS = 64


def words_of(dimension: int) -> int:
    """Return how many words of 64 bits the signs of a vector take."""
    return -(-dimension // _WORD_BITS)


def signs_of(vectors: Floats) -> Words:
    """Return a row of 64-bit words for each vector: the signs of its rotated parts."""
    rotated = _rotated(vectors)
    count, dimension = rotated.shape
    signs = np.zeros((count, words_of(dimension) * _WORD_BITS), dtype=bool)
    np.greater(rotated, 0.0, out=signs[:, :dimension])
    return np.packbits(signs, axis=1).view(np.uint64)


def nearest(columns: Words, wanted: Words, most: int) -> Numbers:
    """Return the rows whose signs differ least from those wanted: about `most`, by their numbers.

    `columns` has a row for each word of the signs, and a column for each vector.
    """
    width, count = columns.shape
    if count <= most:
        return np.arange(count, dtype=np.intp)
    differences = np.empty(count, dtype=np.uint16)
    for start in range(0, count, _BLOCK):
        end = min(start + _BLOCK, count)
        total = differences[start:end]
        np.copyto(total, np.bitwise_count(columns[0, start:end] ^ wanted[0]))
        for word in range(1, width):
            total += np.bitwise_count(columns[word, start:end] ^ wanted[word])
    limit = _limit(differences, most)
    near = np.flatnonzero(differences <= limit)
    if len(near) > most:
        near = near[np.argsort(differences[near], kind="stable")[:most]]
        near.sort()
    return near


def _limit(differences: npt.NDArray[np.uint16], most: int) -> int:
    """Return the smallest difference that at least so many vectors do not exceed."""
    below = np.cumsum(np.bincount(differences))
    return int(np.searchsorted(below, most))


def _rotated(vectors: Floats) -> Floats:
    """Return vectors turned in space: their products stay as they are."""
    turned = vectors.astype(np.float32, copy=True)
    dimension = turned.shape[1]
    power = 1 << (dimension.bit_length() - 1)
    for turn in range(_ROUNDS):
        turned *= _flips(dimension, turn)
        # First the first parts, then the last ones: what lies between is mixed with both.
        turned[:, :power] = _transformed(turned[:, :power])
        if power < dimension:
            turned[:, -power:] = _transformed(turned[:, -power:])
    return turned


def _transformed(parts: Floats) -> Floats:
    """Return a Hadamard transform of each row; the number of parts is a power of two."""
    count, length = parts.shape
    whole, half = np.ascontiguousarray(parts), 1
    while half < length:
        pairs = whole.reshape(count, length // (2 * half), 2, half)
        whole = np.stack((pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]), axis=2)
        half *= 2
    return whole.reshape(count, length) / np.float32(np.sqrt(length))


def _flips(dimension: int, turn: int) -> Floats:
    """Return signs that look random and are always the same."""
    drawn = hashlib.shake_256(f"{dimension}/{turn}".encode()).digest(-(-dimension // 8))
    bits = np.unpackbits(np.frombuffer(drawn, dtype=np.uint8))[:dimension]
    return (1.0 - 2.0 * bits).astype(np.float32)
