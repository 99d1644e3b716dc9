"""Folders and files below a folder that was added, opened by descriptor, without following a link.

What a path leads to can change between two looks at it: a folder that was listed can be a link to another
place once a file in it is opened. So a folder is opened from the one above it, link by link of the path none
is followed, and a file is compared with what was listed once it is open.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from askance.config.private_files import open_regular
from askance.domain.file_formats import Format
from askance.domain.messages import Message

# Windows has no descriptors of folders.
_HAS_DIR_FD = (
    os.open in os.supports_dir_fd
    and os.stat in os.supports_dir_fd
    and os.scandir in os.supports_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
# The unit of `st_blocks`, whatever the file system's block size is.
_BLOCK_BYTES = 512
PART_BYTES = 1_048_576
# White space in UTF-8 and UTF-16, with the marks that such files begin with.
_BLANKS = b" \t\r\n\f\v\0\xc2\xa0\xef\xbb\xbf\xff\xfe"
Listed = tuple[str, os.stat_result | OSError]


class FileChanged(Exception):
    """A file was replaced or written to while it was read: what was read of it may be half of each."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to be read, and what tells whether it has changed.

    `root` is the folder that was added, or the file itself. `stored_bytes` is the room that it takes: less than
    its `size` where that is mostly a hole. `form` is how it is read, None where only its content says that.
    """

    path: Path
    root: Path
    size: int
    changed_ns: int
    identity: str
    stored_bytes: int
    form: Format | None = None


def identity_of(status: os.stat_result) -> str:
    """Return what a file or folder keeps when it gets another name."""
    return f"{status.st_dev}:{status.st_ino}"


def found_file(path: Path, root: Path, status: os.stat_result, form: Format | None) -> FoundFile:
    """Return a regular file as it was listed."""
    stored = getattr(status, "st_blocks", None)
    stored = status.st_size if stored is None else min(status.st_size, stored * _BLOCK_BYTES)
    identity = identity_of(status)
    return FoundFile(path, root, status.st_size, status.st_mtime_ns, identity, stored, form)


def list_folder(root: Path, folder: Path) -> list[Listed]:
    """Return the names in a folder at or below `root`, in order, each with what it is; of a link that it is one.

    Raises:
        OSError: it cannot be read, or a part of the path below `root`, or `root` itself, is a link.
    """
    if not _HAS_DIR_FD:
        return _listed_by_path(root, folder)
    found: list[Listed] = []
    descriptor = _open_folder(root, folder)
    try:
        with os.scandir(descriptor) as entries:
            for entry in entries:
                try:
                    found.append((entry.name, entry.stat(follow_symlinks=False)))
                except OSError as exc:
                    found.append((entry.name, exc))
    finally:
        os.close(descriptor)
    # The system lists names in no order; sorted, each look takes the same one.
    return sorted(found, key=lambda listed: listed[0])


@contextmanager
def opened_file(file: FoundFile) -> Generator[BinaryIO]:
    """Open a file that was listed, and see that it is that very file and stays as it is.

    Raises:
        FileChanged: another file has taken its place, or, on leaving, it was written to meanwhile.
        OSError: it cannot be read, is no regular file any more, or a part of its path is a link now.
    """
    with _open_listed(file) as stream:
        before = os.fstat(stream.fileno())
        if identity_of(before) != file.identity:
            raise FileChanged
        yield stream
        if _stamp(os.fstat(stream.fileno())) != _stamp(before):
            raise FileChanged


def read_file(file: FoundFile, limit: int) -> bytes:
    """Return what is in a file, one byte more than `limit` at the most. It raises as `opened_file` does."""
    return b"".join(file_parts(file, limit))


def read_files(files: Sequence[FoundFile], limit: int) -> list[bytes | Exception]:
    """Return what is in each of some files, as `read_file` does, or what that raises."""
    found: list[bytes | Exception] = []
    for file in files:
        try:
            found.append(read_file(file, limit))
        except (FileChanged, OSError) as exc:
            found.append(exc)
    return found


def file_parts(file: FoundFile, limit: int = sys.maxsize) -> Generator[bytes]:
    """Yield what is in a file, part by part, one byte more than `limit` at the most. It raises as `opened_file` does."""
    with opened_file(file) as stream:
        while limit >= 0 and (part := stream.read(min(PART_BYTES, limit + 1))):
            limit -= len(part)
            yield part


def require_same(file: FoundFile) -> None:
    """Raise FileChanged where a file is not as it was listed any more, or what `opened_file` raises."""
    with opened_file(file) as stream:
        if _stamp(os.fstat(stream.fileno())) != (file.size, file.changed_ns):
            raise FileChanged


def too_large(most_mb: int) -> Message:
    """Say that a file has more than so many MiB."""
    return Message("It is larger than {n} MiB (library.max_file_mb).", n=most_mb)


def is_blank(file: FoundFile) -> bool:
    """Whether a file holds nothing but white space. It raises as `opened_file` does."""
    return not any(part.translate(None, _BLANKS) for part in file_parts(file))


def real_path(path: Path) -> Path:
    """Return where a path leads to, without links. It raises OSError where it is not there, or leads in a circle."""
    # `Path.resolve` raises RuntimeError for a circle.
    return Path(os.path.realpath(path, strict=True))


def empty_folder_above(folder: Path) -> tuple[Path, str] | None:
    """Return the first folder that is there of a folder and those above it, with its device, if it is empty."""
    # A disk that is not mounted leaves an empty folder, or none at all, where its files were.
    there = next((above for above in (folder, *folder.parents) if above.is_dir()), None)
    with suppress(OSError):  # it may have gone this instant
        if there and not any(there.iterdir()):
            return there, str(there.stat().st_dev)
    return None


def _open_listed(file: FoundFile) -> BinaryIO:
    if not _HAS_DIR_FD:
        _require_no_links(file.root, file.path)
        stream = open_regular(file.path, follow_links=False)
        try:
            # What was opened is compared with what was listed by the caller, so both looks agree.
            _require_no_links(file.root, file.path)
        except OSError:
            stream.close()
            raise
        return stream
    if file.path == file.root:
        return open_regular(file.path, follow_links=False)
    folder = _open_folder(file.root, file.path.parent)
    try:
        return open_regular(file.path.name, dir_fd=folder, follow_links=False)
    finally:
        os.close(folder)


def _open_folder(root: Path, folder: Path) -> int:
    """Return a descriptor of a folder at or below `root`."""
    assert sys.platform != "win32"
    reading = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(root, reading)
    # O_NOFOLLOW looks at the last part of a path alone, so each folder is opened from the one
    # above it.
    for name in folder.relative_to(root).parts:
        try:
            inner = os.open(name, reading, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _listed_by_path(root: Path, folder: Path) -> list[Listed]:
    """List a folder where there are no descriptors of folders: no part of its path may be a link before or after."""
    _require_no_links(root, folder)
    found: list[Listed] = []
    with os.scandir(folder) as entries:
        for name in sorted(entry.name for entry in entries):
            try:
                # What a listing tells of a file under Windows lacks its number.
                found.append((name, (folder / name).lstat()))
            except OSError as exc:
                found.append((name, exc))
    _require_no_links(root, folder)
    return found


def _require_no_links(root: Path, path: Path) -> None:
    """Raise OSError where `root`, or a part of the path below it, is a link or a junction."""
    below = path.relative_to(root)
    # Above `root` links are allowed: the user named it by that path.
    if root.is_symlink() or Path(os.path.realpath(path)) != Path(os.path.realpath(root)) / below:
        raise OSError(f"a part of its path is a link: {path}")


def _stamp(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns
