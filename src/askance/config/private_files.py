"""The one place where folders and files of ours are made, for their owner alone, and where files of others are opened.

What cannot be done is raised as OSError. What is made here is private whatever the umask is, and whatever was there
before. A link is no lock, and nothing is appended to one. Under Windows a user's own folders are private as they are,
and modes mean nothing. `runtime_folder` is where sockets and locks lie; `open_regular` opens files that anybody may
have put there.
"""
# `askance toggle` is bound to a key, so this imports nothing that is heavy, such as pathlib.
# ruff: noqa: PTH100, PTH101, PTH102, PTH105, PTH108, PTH118, PTH111, PTH112, PTH120

from __future__ import annotations

import errno
import io
import os
import stat
import sys

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import BinaryIO

    StrPath = str | os.PathLike[str]

OURS_ALONE = 0o600
FOR_ALL_TO_READ = 0o644
_FOLDER = 0o700
_OTHERS = 0o077
_MOST_ASIDE = 1000


class NotOurs(OSError):
    """A folder that another user has, or could have put something into."""


def make_folder(folder: StrPath) -> None:
    """Make a folder of ours, with all that is missing above it, for its owner alone.

    One that is there is closed to others if it belongs to this user; one of another user's, who
    lets this one in, is left as it is.
    """
    make_path(folder)
    if sys.platform != "win32":
        _close_to_others(os.fspath(folder), os.O_RDONLY | os.O_DIRECTORY)


def make_path(folder: StrPath) -> None:
    """Make what is missing of a path, for its owner alone; leave what is there of it as it is.

    This is for folders that are not only ours, such as the one for desktop entries.
    """
    try:
        _make_beside_others(folder)
    except FileNotFoundError:
        above = os.path.dirname(os.path.abspath(folder))
        # The root has no folder above it; on Windows a drive may be missing altogether.
        if above == os.fspath(folder):
            raise
        make_path(above)
        # Where the folder above takes none, as in /proc, that is said and not tried again.
        _make_beside_others(folder)


def claim_folder(folder: StrPath, *, make: bool = True) -> None:
    """Make sure that a folder in a place where others may write is this user's, and nobody else's.

    Raises:
        FileNotFoundError: it is not there, and is not to be made.
        NotOurs: it is a link, no folder, or belongs to another user.
        OSError: it cannot be made, or not be closed to others.
    """
    if make:
        make_path(folder)
    if sys.platform == "win32":
        return
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise NotOurs("it is a link, or no folder")
    # What is opened is what is judged: no link can take its place between the two.
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    if not _close_to_others(os.fspath(folder), flags, surely=True):
        raise NotOurs("it belongs to another user, or to all")


def exists(path: Path) -> bool:
    """Return whether something is at a path. `Path.exists` calls what one may not look at missing from
    Python 3.14 on.

    Raises:
        OSError: that cannot be known.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def create_file(file: StrPath) -> int:
    """Create a file that is not there yet, and return its descriptor, open for writing bytes.

    Raises:
        FileExistsError: it is there, if only as a link that leads nowhere.
        OSError: it cannot be created.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    return os.open(file, flags, OURS_ALONE)


def open_lock(file: StrPath) -> int:
    """Open a file that serves as a lock, and create it if it is not there; return its descriptor."""
    flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.open(file, flags, OURS_ALONE)


def append(file: StrPath, content: bytes) -> int:
    """Append to a file with one write, and return its size; create it if it is not there.

    What several processes append at once stands in it one behind the other.
    """
    flags = os.O_CREAT | os.O_APPEND | os.O_WRONLY
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(file, flags, OURS_ALONE)
    try:
        # A regular file takes all of a write unless its disk is full.
        if os.write(handle, content) < len(content):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), os.fspath(file))
        return os.fstat(handle).st_size
    finally:
        os.close(handle)


def try_lock(handle: int) -> bool:
    """Lock an open file for this process if nobody else has; return whether it is ours now.

    The lock goes with the handle, and with the process however that ends.
    """
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415

            # Not `lockf`: such a lock goes as soon as any descriptor of the file is closed here.
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def replace_file(file: StrPath, content: bytes, *, mode: int = OURS_ALONE) -> None:
    """Write a file whole or not at all; its folder is there. Whoever reads it sees the old or the new."""
    path: str = os.fspath(file)
    folder, name = os.path.split(path)
    # In the same folder: a rename does not cross file systems. `tempfile` is slow to import.
    fresh = os.path.join(folder, f".{name}.{os.urandom(6).hex()}")
    handle = create_file(fresh)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        # Opened to others only when it is complete. By chmod: the umask would limit a mode given to open.
        if mode != OURS_ALONE:
            os.chmod(fresh, mode)
        put_in_place(fresh, file)
    except BaseException:
        _remove(fresh)
        raise


def put_in_place(fresh: StrPath, file: StrPath) -> None:
    """Give a file that was written whole, in the same folder, the name that it is to have.

    What had the name is gone then. The name never leads to less than the whole, not even where the
    power fails in between.
    """
    # Under Windows only what may be written can be sent to the disk.
    handle = os.open(fresh, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    os.replace(fresh, file)


def _make_beside_others(folder: StrPath) -> None:
    """Make a folder that another thread or process may be making, too."""
    try:
        os.mkdir(folder, _FOLDER)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _close_to_others(folder: str, flags: int, *, surely: bool = False) -> bool:
    """Return whether a folder is this user's; others lose what they may do in it.

    One with the sticky bit, like `/tmp`, is everybody's, also where root has it, and stays as it is.
    """
    assert sys.platform != "win32"
    handle = os.open(folder, flags)
    try:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX:
            return False
        if found.st_mode & _OTHERS:
            try:
                os.fchmod(handle, stat.S_IMODE(found.st_mode) & ~_OTHERS)
            # A disk that cannot be written, or knows no modes.
            except OSError:
                if surely:
                    raise
    finally:
        os.close(handle)
    return True


def _remove(file: str) -> None:
    try:  # noqa: SIM105 - contextlib takes too long to import
        os.unlink(file)
    except OSError:
        pass


def set_aside(file: Path) -> Path:
    """Give a file a name beside it that is free, and return that.

    Raises:
        OSError: it cannot be renamed, or no name is free.
    """
    # Numbered, so that a file that was set aside before is never overwritten.
    for number in range(1, _MOST_ASIDE):
        aside = file.with_name(f"{file.name}.{number}")
        if not aside.exists():
            file.rename(aside)
            return aside
    raise FileExistsError(file)


# Where sockets, locks and marks of the running program lie: never where another user could have put
# something first.

_OTHERS_MAY_WRITE = 0o022


def runtime_folder(environment: Mapping[str, str]) -> str:
    """Return the folder, which need not exist. Whoever makes it claims it (`claim_folder`).

    Without `XDG_RUNTIME_DIR` it has a name of this user's among the temporary files. Where a link lies there, or
    what belongs to another user, it is in the user's own cache instead.
    """
    if home := environment.get("ASKANCE_HOME"):
        return os.path.abspath(os.path.join(os.path.expanduser(home), "run"))
    if sys.platform == "win32":
        local = environment.get("LOCALAPPDATA") or os.path.expanduser("~")
        return os.path.join(local, "askance", "run")
    # The login session has made it for this user alone, and empties it at the end.
    if runtime := environment.get("XDG_RUNTIME_DIR"):
        return os.path.abspath(os.path.join(runtime, "askance"))
    # Others can write to the folder around it, so what lies under this name is checked.
    chosen = temporary_folder(environment)
    if is_ours(chosen, if_absent=True):
        return chosen
    cache = environment.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.abspath(os.path.join(cache, "askance", "run"))


def temporary_folder(environment: Mapping[str, str], suffix: str = "") -> str:
    """Return a folder of this user's among the temporary files, by its name."""
    user = os.getuid() if sys.platform != "win32" else ""
    chosen = os.path.join(environment.get("TMPDIR") or "/tmp", f"askance-{user}{suffix}")  # noqa: S108
    return os.path.abspath(chosen)


def is_ours(folder: str, *, if_absent: bool = False, closed: bool = False) -> bool:
    """Whether a folder is this user's, and no link; where it is not there, `if_absent`.

    With `closed` others must not be able to write there either.
    """
    if sys.platform == "win32":
        return True
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        return if_absent
    except OSError:
        return False
    is_folder = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    return is_folder and not (closed and found.st_mode & _OTHERS_MAY_WRITE)


# Files of others, opened for reading only if they are regular files: pipes and devices have no end.

_READING = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# Opening does not wait for a pipe that took the file's place after the first check.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


class NotRegular(OSError):
    """Something is no regular file: a pipe, a socket, a device, a folder."""


def open_regular(
    file: Path | str, *, dir_fd: int | None = None, follow_links: bool = True
) -> BinaryIO:
    """Open a file for reading bytes. With `dir_fd` its name is relative to that open folder.

    The stream ends where the file ended when it was opened, so one that grows has an end, too.

    Raises:
        NotRegular: it is no regular file. Such a thing is not opened.
        OSError: it cannot be opened.
    """
    # Before it is opened, too: opening a pipe waits for its other end, and a device may act.
    _require_regular(os.stat(file, dir_fd=dir_fd, follow_symlinks=follow_links))
    reading = _READING | _NO_WAIT | (0 if follow_links else _NO_LINK)
    descriptor = os.open(file, reading, dir_fd=dir_fd)
    try:
        opened = os.fstat(descriptor)
        _require_regular(opened)
    except OSError:
        os.close(descriptor)
        raise
    return io.BufferedReader(_Part(descriptor, opened.st_size))


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise NotRegular("it is no regular file")


class _Part(io.FileIO):
    """The first `size` bytes of an open file."""

    def __init__(self, descriptor: int, size: int) -> None:
        super().__init__(descriptor, "rb")
        self._left = size

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        view = memoryview(buffer)[: self._left]
        read = super().readinto(view) or 0
        self._left -= read
        return read

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        data = super().read(wanted) or b""
        self._left -= len(data)
        return data

    # `BufferedReader.read` comes here for all of it, and to `readinto` for a part.
    def readall(self) -> bytes:
        parts: list[bytes] = []
        while part := self.read(self._left):
            parts.append(part)
        return b"".join(parts)
