"""What lies in a folder: the files to be read, and what is not read, each with its reason.

`explain` tells the same of one path.

Links are never followed: what they lead to in the folder is found without them, what lies outside was
not added. So there is no loop, and no way around an exclusion; that holds for what becomes a link meanwhile
(`opening`). Patterns for files and folders are those
that people know from `.gitignore`. Case does not matter, nor how an accent is written: an exclusion that
misses a folder for that is none.
"""

from __future__ import annotations

import os
import stat
import time
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from mimetypes import MimeTypes
from pathlib import Path, PurePath

from askance.adapters.library.files.file_process import HERE, FileCalls
from askance.adapters.library.files.opening import (
    FoundFile,
    empty_folder_above,
    found_file,
    identity_of,
    list_folder,
)
from askance.config.settings import LibrarySettings
from askance.domain.addresses import path_of
from askance.domain.file_formats import DOCUMENT_LINES, MAIL_FORMAT, format_of
from askance.domain.library import FileRecord, FileState, Folder
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.storage import FolderIndex

LINK, SPECIAL, FORMAT, EMPTY = "link", "special", "format", "empty"
REMOVED, OTHERS = "removed", "include"
"""Codes of the rules that are no patterns."""
NOT_READ = Message("Files of this kind are not read.")
DEEPEST = 100
"""So many folders deep files are read: each is opened from the one above it."""
_ANY_DEPTH = "**"
_MAILDIR = frozenset({"cur", "new"})


@cache
def _other_suffixes() -> frozenset[str]:
    """Return the endings of pictures, films and programs: a file without one, of no known kind, may be a mailbox."""
    # Those that Python itself knows, which are the same everywhere. The first call takes 40 ms: Python reads the
    # system's tables, too.
    types = MimeTypes()
    return frozenset({*types.types_map[True], *types.encodings_map}) - DOCUMENT_LINES


@dataclass(frozen=True, slots=True)
class Rules:
    """What of a folder is read: its own patterns, and those that hold everywhere.

    A pattern without a slash is a name of a file or folder at any depth. One with a slash is a path
    below the folder, `**` standing for folders in between, or a path from the root of the disk;
    what is below an excluded folder is excluded. Where there are patterns to include, a file must
    match one of them.
    """

    root: Path
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def excluding(self, path: Path) -> str:
        """Return the pattern that excludes a file or folder; empty if none does."""
        whole = _parts(path)
        below = whole[len(self.root.parts) :]
        return next((p for p in self.exclude if _excludes(p, below, whole)), "")

    def includes(self, path: Path) -> bool:
        """Whether a file is among those that are asked for."""
        if not self.include:
            return True
        below = _parts(path.relative_to(self.root)) or _parts(PurePath(path.name))
        return any(_names(p, below) for p in self.include)


@dataclass(frozen=True, slots=True)
class Walk:
    """How a folder is walked.

    `others` are folders and files that were added by themselves, which have rules of their own. `excluded` are
    the folders that were excluded before, by what identifies them: one of them stays excluded under
    another name for as long as the rule that excludes it is there. `files` looks at what lies there.
    """

    rules: Rules
    others: Collection[str] = ()
    excluded: Mapping[str, FileRecord] | None = None
    files: FileCalls = HERE

    def entries(self) -> Iterator[FoundFile | FileRecord]:
        """Yield what lies in the folder, in the order of names.

        Raises:
            OSError: the folder itself cannot be read, or is a link now.
        """
        root = self.rules.root
        status = self.files.call(str(root), os.lstat, root)
        if stat.S_ISLNK(status.st_mode):
            raise OSError("it is a link now, and links are not followed")
        if stat.S_ISDIR(status.st_mode):
            yield from self._folder(root)
        elif pattern := self.rules.excluding(root):
            yield self._out(root, pattern, _matches(pattern, root))
        else:
            yield self._file(root, status)

    def _folder(self, root: Path) -> Iterator[FoundFile | FileRecord]:
        waiting = [root]
        while waiting:
            folder = waiting.pop()
            try:
                entries = self.files.call(str(root), list_folder, root, folder)
            except OSError as exc:
                if folder == root:
                    raise
                yield self._failed(folder, exc)
                continue
            inner: list[Path] = []
            for name, status in entries:
                path = folder / name
                if str(path) in self.others:
                    continue
                if isinstance(status, OSError):
                    found = self._failed(path, status)
                else:
                    found = self._entry(path, status)
                if found is not None:
                    yield found
                else:
                    inner.append(path)
            # The last one is taken next, so that folders come in the order of names, each with
            # all below it.
            waiting += reversed(inner)

    def entry(self, path: Path) -> FoundFile | FileRecord | None:
        """Return what an entry is; None for a folder that is to be walked."""
        try:
            return self._entry(path, path.lstat())
        except OSError as exc:
            return self._failed(path, exc)

    def _entry(self, path: Path, status: os.stat_result) -> FoundFile | FileRecord | None:
        if pattern := self.rules.excluding(path):
            return self._out(path, pattern, _matches(pattern, path), status)
        if shown(path) != str(path):
            detail = Message("Its name is not UTF-8. Give it another name.")
            return FileRecord(shown(path), str(self.rules.root), FileState.FAILED, detail)
        if stat.S_ISLNK(status.st_mode):
            return self._out(path, LINK, Message("It is a link, and links are not followed."))
        if stat.S_ISDIR(status.st_mode):
            if len(path.relative_to(self.rules.root).parts) > DEEPEST:
                detail = Message("It lies more than {n} folders deep.", n=DEEPEST)
                return FileRecord(str(path), str(self.rules.root), FileState.FAILED, detail)
            return self._renamed(path, status)
        return self._file(path, status)

    def _file(self, path: Path, status: os.stat_result) -> FoundFile | FileRecord:
        if not stat.S_ISREG(status.st_mode):
            return self._out(path, SPECIAL, Message("It is no file that can be read."))
        form = MAIL_FORMAT if _is_in_maildir(path) else format_of(path)
        if form is None and path.suffix.lower() in _other_suffixes():
            return self._out(path, FORMAT, NOT_READ)
        if not status.st_size:
            return empty_file(path, str(self.rules.root))
        if not self.rules.includes(path):
            return self._out(path, OTHERS, Message("It is not among the files to include."))
        before = (self.excluded or {}).get(identity_of(status))
        if before is not None and _is_moved(before, path, status):
            return replace(before, path=str(path), folder=str(self.rules.root))
        return found_file(path, self.rules.root, status, form)

    def _renamed(self, path: Path, status: os.stat_result) -> FileRecord | None:
        """Return why a folder is excluded that was, under another name."""
        before = (self.excluded or {}).get(identity_of(status))
        if before is None or before.rule not in self.rules.exclude:
            return None
        if before.path != str(path) and os.path.lexists(before.path):
            return None
        if not self._was_there(path, before.changed_ns):
            return None  # a new folder, which took over the number of one that is gone
        detail = Message(
            "It is {file}, which {rule} excludes, under another name.",
            file=before.path,
            rule=before.rule,
        )
        return self._out(path, before.rule, detail, status)

    def _was_there(self, folder: Path, moment_ns: int) -> bool:
        """Whether anything in a folder has been there since before a moment.

        A new file, a copy and what is moved into a folder have a later time of change than that; what
        is in a folder keeps its own when the folder gets another name.
        """
        with suppress(OSError):
            root = self.rules.root
            listed = self.files.call(str(root), list_folder, root, folder)
            return any(
                status.st_ctime_ns <= moment_ns
                for _, status in listed
                if not isinstance(status, OSError)
            )
        return False

    def _out(
        self, path: Path, rule: str, detail: Message, status: os.stat_result | None = None
    ) -> FileRecord:
        is_folder = status is not None and stat.S_ISDIR(status.st_mode)
        return FileRecord(
            shown(path),
            str(self.rules.root),
            FileState.EXCLUDED,
            detail,
            rule,
            # When it was found excluded: `_was_there` tells an old folder from a new one by it.
            changed_ns=time.time_ns(),
            identity=identity_of(status) if status and is_folder else "",
        )

    def _failed(self, path: Path, error: OSError) -> FileRecord:
        return FileRecord(shown(path), str(self.rules.root), FileState.FAILED, unreadable(error))


def _is_in_maildir(path: Path) -> bool:
    """Whether a file is a mail, whatever its name: it lies in `cur` or `new`, beside `tmp`."""
    folder = path.parent
    return folder.name in _MAILDIR and (folder.parent / "tmp").is_dir()


def rules_of(folder: Folder, settings: LibrarySettings) -> Rules:
    """Return what of a folder is read."""
    return Rules(Path(folder.path), folder.include, (*settings.exclude, *folder.exclude))


def walk_of(
    folder: Folder,
    settings: LibrarySettings,
    known: Iterable[FileRecord],
    others: Collection[str] = (),
    files: FileCalls = HERE,
) -> Walk:
    """Return how a folder is walked, of whose files something is known."""
    excluded = {r.identity: r for r in known if r.identity and not r.content_hash}
    return Walk(rules_of(folder, settings), others, excluded, files)


def absent_disks(
    known: Iterable[FileRecord],
    entries: Iterable[FoundFile | FileRecord],
    files: FileCalls = HERE,
) -> list[FileRecord]:
    """Return the folders that disks were in which are not there now: empty, where files of theirs were.

    Such a folder is no sign that anybody deleted the files.
    """
    seen = {str(entry.path) for entry in entries}
    places = dict[Path, tuple[Path, str] | None]()
    absent = dict[str, FileRecord]()
    for record in known:
        if record.path in seen or not record.identity:
            continue
        folder = Path(record.path).parent
        if folder not in places:
            places[folder] = None
            with suppress(TimeoutError):  # of which the walk has said so
                places[folder] = files.call(record.folder, empty_folder_above, folder)
        place, device = places[folder] or (folder, "")
        if device and record.identity.partition(":")[0] != device:
            detail = Message(
                "The disk that was here is not there. What it held stays in the library."
            )
            absent[str(place)] = FileRecord(str(place), record.folder, FileState.FAILED, detail)
    return list(absent.values())


def shown(path: Path) -> str:
    """Return a path as it can be stored and shown; a byte that is no UTF-8 stands as its number."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def empty_file(path: Path, folder: str) -> FileRecord:
    """Return a file that holds nothing to be read."""
    detail = Message("It is empty.")
    moment = time.time_ns()
    return FileRecord(shown(path), folder, FileState.EXCLUDED, detail, EMPTY, changed_ns=moment)


def taken_out(record: FileRecord) -> FileRecord:
    """Return a file as one that was removed from the library, and is not to come back by itself."""
    return replace(
        record,
        state=FileState.EXCLUDED,
        rule=REMOVED,
        detail=Message("It was removed from the library; add it by its path to have it back."),
        content_hash="",
        document="",
    )


def _is_moved(removed: FileRecord, path: Path, status: os.stat_result) -> bool:
    """Whether a file is one that was removed from the library, under another name.

    A new file may take over the number of one that is gone, but not its moment with it.
    """
    return (
        removed.rule == REMOVED
        and (removed.size, removed.changed_ns) == (status.st_size, status.st_mtime_ns)
        and removed.path != str(path)
        and not os.path.lexists(removed.path)
    )


def unreadable(error: OSError) -> Message:
    """Return why a file cannot be read."""
    return Message("It cannot be read: {problem}.", problem=error)


def _matches(pattern: str, path: Path) -> Message:
    if pattern.strip("/") == path.name:  # the path stands before it, and ends with that very word
        return Message("This name is excluded.")
    return Message("{rule} excludes it.", rule=pattern)


def _excludes(pattern: str, below: Sequence[str], whole: Sequence[str]) -> bool:
    if any(_names(pattern, below[:n]) for n in range(1, len(below) + 1)):
        return True
    anchored = _absolute(pattern)
    return bool(anchored) and any(_fits(anchored, whole[:n]) for n in range(1, len(whole) + 1))


def _names(pattern: str, parts: Sequence[str]) -> bool:
    """Whether a pattern means what these parts of a path lead to."""
    wanted = _wanted(pattern)
    if not wanted or not parts:
        return False
    if "/" not in pattern.strip("/") and not pattern.startswith("/"):
        return fnmatchcase(parts[-1], wanted[0])
    return _fits(wanted, parts)


@lru_cache(maxsize=256)
def _wanted(pattern: str) -> tuple[str, ...]:
    return tuple(_plain(part) for part in pattern.strip().split("/") if part)


def _fits(wanted: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether parts of a pattern match those of a path, one by one; `**` matches any number."""
    # All places in the pattern at once, as an NFA: linear in parts times places, however many
    # `**` there are.
    reached = {0}
    for part in parts:
        reached = _passing(wanted, reached)
        reached = {
            place if wanted[place] == _ANY_DEPTH else place + 1
            for place in reached
            if place < len(wanted)
            and (wanted[place] == _ANY_DEPTH or fnmatchcase(part, wanted[place]))
        }
    return len(wanted) in _passing(wanted, reached)


def _passing(wanted: Sequence[str], reached: Iterable[int]) -> set[int]:
    """Return the places that are reached where `**` may match nothing."""
    found: set[int] = set()
    for place in reached:
        found.add(place)
        while place < len(wanted) and wanted[place] == _ANY_DEPTH:
            place += 1
            found.add(place)
    return found


def _absolute(pattern: str) -> tuple[str, ...]:
    """Return the parts of a pattern that is a whole path; none of another one."""
    if pattern.startswith("~"):
        return _parts(Path(pattern).expanduser())
    return _anchored(pattern)


@lru_cache(maxsize=256)
def _anchored(pattern: str) -> tuple[str, ...]:
    path = PurePath(pattern)
    return _parts(path) if path.is_absolute() and path.name else ()


def _parts(path: PurePath) -> tuple[str, ...]:
    return tuple(_plain(part) for part in path.parts)


def _plain(name: str) -> str:
    # Some file systems return `é` decomposed, and the pattern may have it composed.
    return unicodedata.normalize("NFC", name).casefold()


class FileStatus(StrEnum):
    """How a path stands to the library. Stable codes: other programs read them."""

    INDEXED = "indexed"
    EXCLUDED = "excluded"
    FAILED = "failed"
    NEW = "new"
    OUTSIDE = "outside"
    MISSING = "missing"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True)
class FileExplanation:
    """How a path stands, with the reason for it; `folder` is the one that was added, which it is in."""

    path: str
    standing: FileStatus
    detail: Message = NOTHING
    rule: str = ""
    folder: str = ""
    documents: tuple[str, ...] = ()


def explain(path: Path, book: FolderIndex, settings: LibrarySettings) -> FileExplanation:
    """Return how a path stands to the library. No link on the way is followed that a look would not follow.

    What a look would say of it now comes before what the last one said.
    """
    place = Path(os.path.normpath(path.expanduser().absolute()))
    name = shown(place)
    folders = {folder.path: folder for folder in book.folders()}
    within = [root for root in folders if place.is_relative_to(root)]
    real = Path(os.path.realpath(place))
    if not within and any(real.is_relative_to(root) for root in folders):
        return explain(real, book, settings)  # it was added by its own path, and is named by a link
    if not within:
        return _outside(place, name, settings)
    # Of folders within each other the innermost has the rules.
    folder = folders[max(within, key=len)]
    known = {record.path: record for record in book.files()}
    documents = book.documents_of(str(place)) if name == str(place) else ()
    found = _now(place, folder, settings, known) or _then(place, known.get(name))
    return FileExplanation(name, *found, folder.path, documents)


def _outside(place: Path, name: str, settings: LibrarySettings) -> FileExplanation:
    if not os.path.lexists(place):
        return FileExplanation(name, FileStatus.MISSING, Message("It is not there."))
    real = Path(os.path.realpath(place))
    rule = Rules(Path(real.anchor), (), settings.exclude).excluding(real)
    if rule:
        detail = Message(
            "It is in no folder that was added, and {rule} (library.exclude) would exclude it.",
            rule=rule,
        )
        return FileExplanation(name, FileStatus.OUTSIDE, detail, rule)
    detail = Message("It is in no folder that was added. `askance library add` adds it.")
    return FileExplanation(name, FileStatus.OUTSIDE, detail)


def _now(
    place: Path, folder: Folder, settings: LibrarySettings, known: Mapping[str, FileRecord]
) -> tuple[FileStatus, Message, str] | None:
    """Return why a look would not read a file now; None if it would, or has."""
    root = Path(folder.path)
    walk = walk_of(folder, settings, known.values())
    steps = [p for p in (place, *place.parents) if p != root and p.is_relative_to(root)]
    for step in reversed(steps):
        if not os.path.lexists(step):
            return FileStatus.MISSING, Message("It is not there."), ""
        entry = walk.entry(step)
        if isinstance(entry, FileRecord):
            message = entry.detail
            if step != place:
                message = Message("{file}: {problem}", file=shown(step), problem=entry.detail)
            return FileStatus(entry.state.value), message, entry.rule
    return None


def _then(place: Path, record: FileRecord | None) -> tuple[FileStatus, Message, str]:
    """Return what the last look said of a file that it could read."""
    if record is None and place.is_dir():
        detail = Message("It is a folder. `askance library status --all` names its files.")
        return FileStatus.FOLDER, detail, ""
    if record is None:
        detail = Message("It was not read yet. `askance library add` reads it.")
        return FileStatus.NEW, detail, ""
    if record.state is FileState.EXCLUDED or record.state is FileState.FAILED:
        return FileStatus(record.state.value), record.detail, record.rule
    status, detail = place.stat(), record.detail
    if (status.st_size, status.st_mtime_ns) != (record.size, record.changed_ns):
        detail = Message("It has changed since it was read. `askance library add` reads it.")
    return FileStatus.INDEXED, detail, ""


def left_out_of(book: FolderIndex, url: str) -> Message:
    """Return what of a file could not be read, by its address; nothing where it is whole, or no file."""
    path = path_of(url)
    record = book.file(path) if path else None
    return record.detail if record is not None and record.is_partly_lost else NOTHING
