"""Two files of numbers beside the library: the vectors of one model, and the signs of their parts.

Rows stand without gaps, each of the same length. A file never becomes shorter while it has its name,
since others may have it mapped into their memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from askance.config.private_files import create_file, open_for_update, put_in_place

_FLOAT_BYTES = 4
_WORD_BITS, _WORD_BYTES = 64, 8
_COPIED_BYTES = 4_194_304


def words_of(dimension: int) -> int:
    """Return how many words of 64 bits the signs of a vector take."""
    return -(-dimension // _WORD_BITS)


@dataclass(frozen=True, slots=True)
class VectorFiles:
    """The files of one model, called `name` and one of two suffixes."""

    folder: Path
    name: str
    dimension: int

    @property
    def vectors(self) -> Path:
        """Each row is a vector, as float32."""
        return self.folder / f"{self.name}.f32"

    @property
    def signs(self) -> Path:
        """Each row is the signs of a rotated vector, as uint64."""
        return self.folder / f"{self.name}.bits"

    def holds(self, rows: int) -> bool:
        """Whether both files are there, and as long as so many rows."""
        return all(_size(file) >= rows * length for file, length in self._lengths())

    @property
    def capacity(self) -> int:
        """How many rows the longer of the files takes on the disk."""
        return max(_size(file) // length for file, length in self._lengths())

    def write(self, row: int, vectors: bytes, signs: bytes) -> None:
        """Write rows from one on, and see to it that they are on the disk."""
        for (file, length), content in zip(self._lengths(), (vectors, signs), strict=True):
            handle = open_for_update(file)
            try:
                os.lseek(handle, row * length, os.SEEK_SET)
                _write(handle, content)
                os.fsync(handle)
            finally:
                os.close(handle)

    def copy(self, moves: Iterable[tuple[int, int]]) -> None:
        """Copy rows to other places, each given as from where and to where."""
        moves = tuple(moves)
        for file, length in self._lengths():
            handle = open_for_update(file)
            try:
                for source, target in moves:
                    os.lseek(handle, source * length, os.SEEK_SET)
                    content = os.read(handle, length)
                    os.lseek(handle, target * length, os.SEEK_SET)
                    _write(handle, content)
                os.fsync(handle)
            finally:
                os.close(handle)

    def wipe(self, first: int, end: int) -> None:
        """Overwrite rows with zeros, as far as the files reach."""
        for file, length in self._lengths():
            stop = min(end * length, _size(file))
            if stop <= first * length:
                continue
            handle = open_for_update(file)
            try:
                at = os.lseek(handle, first * length, os.SEEK_SET)
                while at < stop:
                    step = min(_COPIED_BYTES, stop - at)
                    _write(handle, bytes(step))
                    at += step
                os.fsync(handle)
            finally:
                os.close(handle)

    def copied(self, name: str, rows: int) -> VectorFiles:
        """Write the first rows into files of another name, and return those."""
        fresh = VectorFiles(self.folder, name, self.dimension)
        for (source, length), (target, _) in zip(self._lengths(), fresh._lengths(), strict=True):
            part = target.with_name(f"{target.name}.part")
            part.unlink(missing_ok=True)
            with source.open("rb") as old, os.fdopen(create_file(part), "wb") as new:
                left = rows * length
                while left and (content := old.read(min(left, _COPIED_BYTES))):
                    new.write(content)
                    left -= len(content)
            put_in_place(part, target)
        return fresh

    def delete(self) -> None:
        """Delete both files. Who has them mapped keeps what there was."""
        for file, _ in self._lengths():
            file.unlink(missing_ok=True)

    def _lengths(self) -> tuple[tuple[Path, int], tuple[Path, int]]:
        return (
            (self.vectors, self.dimension * _FLOAT_BYTES),
            (self.signs, words_of(self.dimension) * _WORD_BYTES),
        )


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _write(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
