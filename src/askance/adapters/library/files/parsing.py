"""A file read: its text, taken out by the confined processes that take pages apart, and a note's title, tags and aliases.

A large file is read in parts; what was left out of them is said once for the whole file. Files of Word and PowerPoint
before 2007 are converted first, by the LibreOffice that is installed: without the network, into a folder of its own,
and ended with all that it started once its time is over.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, cast

from askance.adapters.library.files.file_process import FileCalls
from askance.adapters.library.prepared import prepare_all
from askance.domain.file_formats import (
    OLD_POWERPOINT,
    OLD_WORD,
    Format,
    format_of,
    names_content,
)
from askance.domain.library import PAGE_BREAK, Document, DocumentKind, Origin, Prepared
from askance.domain.messages import NOTHING, Message, Value
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import WITHOUT_FILES, Extracted
from askance.extract.text.decoding import divisible, is_ole
from askance.extract.text.markdown_text import code_apart
from askance.system.children import end_child, start_child
from askance.system.program import NO_WINDOW, child_command

_ENDINGS = {OLD_WORD: ("doc", "docx"), OLD_POWERPOINT: ("ppt", "pptx")}
# A page takes a second or two, most of which is the start.
_TIMEOUT_S = 45.0
_START_AGAIN = 81
_MOST_BYTES = 256 * 1_048_576
_NAMES = ("soffice", "libreoffice")
_ELSEWHERE = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.com",
)


class NotRead(Exception):
    """A file holds no text, or none that can be taken out. `detail` says why."""

    def __init__(self, detail: Message) -> None:
        super().__init__(str(detail))
        self.detail = detail


def find_libreoffice() -> str:
    """Return the path of the LibreOffice that is installed; empty where there is none."""
    found = filter(None, map(shutil.which, _NAMES))
    place = next(found, next(filter(os.path.isfile, _ELSEWHERE), ""))
    # What a script on the path starts, so that it can be started again here.
    program = Path(os.path.realpath(place)).with_name("soffice.bin")
    return str(program) if place and program.is_file() else place


async def converted(data: bytes, form: Format) -> tuple[bytes, Format]:
    """Return a file in a format that is read here, and which that is; one that is in such a format as it is.

    Raises:
        NotRead: LibreOffice is not installed, or cannot read it.
    """
    if form.content_type not in _ENDINGS or not is_ole(data):
        return data, form
    if not (program := await asyncio.to_thread(find_libreoffice)):
        raise NotRead(Message("LibreOffice would read it, which is not installed."))
    old, new = _ENDINGS[form.content_type]
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="askance-convert-"))
    try:
        source, made = folder / f"file.{old}", folder / f"file.{new}"
        await asyncio.to_thread(source.write_bytes, data)
        async with asyncio.timeout(_TIMEOUT_S):
            # With a new profile it ends, to be started again.
            while await _run(program, folder, source, new) == _START_AGAIN:
                pass
        if not made.is_file() or made.stat().st_size > _MOST_BYTES:
            raise NotRead(Message("LibreOffice could not read it."))
        found = format_of(made)
        assert found is not None, "the formats that are converted into are known"
        return await asyncio.to_thread(made.read_bytes), found
    except TimeoutError:
        raise NotRead(Message("LibreOffice could not read it.")) from None
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


async def _run(program: str, folder: Path, source: Path, ending: str) -> int:
    """Return the status of LibreOffice, which has ended with all that it started."""
    options = ("--headless", "--norestore", "--nolockcheck", "--nodefault", "--nofirststartwizard")
    profile = (folder / "profile").as_uri()
    command = [program, f"-env:UserInstallation={profile}", *options]
    command += ["--convert-to", ending, "--outdir", str(folder), str(source)]
    process = await start_child(
        *child_command("askance.extract.office.converter"),
        str(folder),
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        cwd=folder,
        # What lies in the home of the user, and what it is told by variables, is none of its business.
        env={**_environment(), "HOME": str(folder), "TMPDIR": str(folder)},
        creationflags=NO_WINDOW,
        start_new_session=sys.platform != "win32",
    )
    try:
        return await process.wait()
    finally:
        # With what it may have started, which is of its group.
        await end_child(process)
        # LibreOffice names its socket by its profile, and cannot delete it from within the cage.
        digest = hashlib.md5(profile.encode("utf-16-le"), usedforsecurity=False).digest()
        name = f"OSL_PIPE_*_SingleOfficeIPC_{''.join(f'{byte:x}' for byte in digest)}"
        await asyncio.to_thread(_delete_socket, name)


def _delete_socket(name: str) -> None:
    for socket in Path("/tmp").glob(name):  # noqa: S108 - where it has it, whatever TMPDIR says
        socket.unlink(missing_ok=True)


def _environment() -> dict[str, str]:
    passed_on = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "PYTHONPATH")
    return {name: os.environ[name] for name in passed_on if name in os.environ}


# What a note says of itself: at its head, as YAML between lines of dashes or as TOML between
# plus signs, and by tags in its text.

LONGEST_HEAD_CHARACTERS = 16_000
"""A head is a few lines; a text that begins with a rule is none."""
# `---`, lines of YAML, then `---` or `...`; or `+++`, lines of TOML, `+++`.
HEAD = re.compile(
    r"(?:---[ \t]*\n(?P<yaml>.*?)\n(?:---|\.\.\.)|\+\+\+[ \t]*\n(?P<toml>.*?)\n\+\+\+)[ \t]*(?:\n|\Z)",
    re.DOTALL,
)
# Where a field begins, and the other lines of one; `|` or `>-`, behind which a text of several lines follows (YAML 1.2, 8.1).
_FIELD = re.compile(r"^(?=[^\s\-#:][^:\n]{0,60}:(?:[ \t]|$))", re.MULTILINE)
_INNER = re.compile(r"[ \t]*(?:#.*)?|[ \t].*|-(?:[ \t].*)?")
_ITEM = re.compile(r"^[ \t]*-[ \t]+\S", re.MULTILINE)
_SCALAR = re.compile(r"[ \t]*[|>][+-]?\d?[+-]?[ \t]*(?:#.*)?\n")
# More brackets are no head, and the parser takes time by the square of their depth.
_MOST_BRACKETS = 200
_COMMENT = re.compile(r"\s#.*")
# Within double quotes: a letter by its number, but no half of one, and a quote or a stroke (YAML 1.2, 5.7).
_ESCAPED = re.compile(r"""\\(?:u(?![dD][89a-fA-F])([\da-fA-F]{4})|(["\\]))""")
_TAGS = frozenset({"tags", "tag", "keywords"})
_ALIASES = frozenset({"aliases", "alias"})
_READ = _TAGS | _ALIASES | {"title"}
# As Obsidian knows them: behind white space, and not a number alone.
_INLINE_TAG = re.compile(r"(?<![^\s(])#([\w/-]{1,100})(?![\w/#-])")
# `#a1b2c3` is a colour and no tag; `#decade` has no digit and is one.
_COLOUR = re.compile(r"(?=[a-f]*\d)(?:[\da-f]{3}|[\da-f]{6}|[\da-f]{8})", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`\n]*`")
_MOST_INLINE_TAGS = 50

_Fields = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Note:
    """A note without its head; `aliases` are other names that it has, `properties` what else the head says, in lines."""

    text: str
    title: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


def read_note(text: str) -> Note:
    """Return a text without the head that it may have, and what that and the tags in it say."""
    head = HEAD.match(text, 0, LONGEST_HEAD_CHARACTERS)
    value = None
    if head is not None:
        value = _toml_fields(head["toml"]) if head["yaml"] is None else _yaml_fields(head["yaml"])
    if head is None or value is None:
        return Note(text, tags=_inline_tags(text))
    body = text[head.end() :].lstrip("\n")
    fields = {name.casefold(): values for name, values in value.items()}
    tags = [tag.removeprefix("#") for name in _TAGS for tag in fields.get(name, ())]
    aliases = [alias for name in _ALIASES for alias in fields.get(name, ())]
    title = ", ".join(fields.get("title", ()))
    properties = tuple(
        f"{name}: {', '.join(values)}"
        for name, values in value.items()
        if values and name.casefold() not in _READ
    )
    tags += _inline_tags(body)
    return Note(body, title, tuple(dict.fromkeys(tags)), tuple(dict.fromkeys(aliases)), properties)


def _yaml_fields(head: str) -> _Fields | None:
    """Return the fields of a head with their values; None if a line of it says nothing of the kind.

    Each is read by itself: of one that is no YAML, such as a title with a colon, the rest of the line is the value.
    """
    before, *chunks = _FIELD.split(head)
    if not all(map(_INNER.fullmatch, before.split("\n"))):
        return None
    fields: _Fields = {}
    for chunk in chunks:
        first, *lines = chunk.split("\n")
        is_text = bool(_SCALAR.match(f"{first.partition(':')[2]}\n"))
        if not (is_text or all(map(_INNER.fullmatch, lines))):
            return None
        name, values, is_list = _read_field(chunk) or _as_written(chunk)
        if not is_text and len(_ITEM.findall(chunk)) > len(values):  # items that stand too far in
            name, values, is_list = _as_written(chunk)
        if not is_list and name.casefold() in _TAGS | _ALIASES:
            # A comma separates tags and aliases only: in a title it is punctuation.
            parts = ",".join(value.strip("[]") for value in values).split(",")
            values = [part.strip(" '\"") for part in parts]
        tidy = (" ".join(value.split()) for value in values)
        fields.setdefault(name, []).extend(filter(None, tidy))
    return fields


def _read_field(chunk: str) -> tuple[str, list[str], bool] | None:
    """Return a field's name, its values, and whether they are a list; None of what is no YAML, or has references.

    A value in a table of its own has its name before it.
    """
    import yaml  # noqa: PLC0415 - 20 ms, and most files have no head

    # PyYAML comes without types, and a checker knows less of `parse` than of the rest of it.
    events = cast("Callable[..., Iterable[Any]]", yaml.parse)  # pyright: ignore[reportUnknownMemberType]

    if chunk.count("[") + chunk.count("{") > _MOST_BRACKETS:
        return None
    found: list[str] = []
    # Of each list or table that is open: None, or the name whose value comes next, empty before a name.
    inside: list[str | None] = []
    is_list = False
    try:
        # By events and without a tree: its building is recursive, and a reference may stand for any number of others.
        for event in events(chunk, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)):
            match event:
                case yaml.AliasEvent():
                    return None
                case yaml.CollectionStartEvent():
                    is_list = is_list or isinstance(event, yaml.SequenceStartEvent)
                    inside.append("" if isinstance(event, yaml.MappingStartEvent) else None)
                    continue
                case yaml.ScalarEvent(value=value) if inside[-1] == "":
                    inside[-1] = value or "-"
                    found += [] if found else [value]
                    continue
                case yaml.ScalarEvent(value=value):
                    has_name = inside[-1] is not None and len(inside) > 1
                    found.append(f"{inside[-1]}: {value}" if has_name else value)
                case yaml.CollectionEndEvent():
                    inside.pop()
                case _:
                    continue
            if inside and inside[-1] is not None:
                inside[-1] = ""
    except yaml.YAMLError:
        return None
    return (found[0], found[1:], is_list) if found else None


def _as_written(chunk: str) -> tuple[str, list[str], bool]:
    """Return what `_read_field` does of what is no YAML: the rest of the line, or the lines of a list."""
    name, _, given = chunk.partition(":")
    mark = _SCALAR.match(f"{given}\n")
    lines = [line.strip() for line in f"{given}\n"[mark.end() if mark else 0 :].split("\n")]
    items = [_bare(line[1:]) for line in lines if line.startswith("-")]
    return name.strip(" '\""), items or [_bare(" ".join(lines))], bool(items)


def _bare(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPED.sub(lambda found: found[2] or chr(int(found[1], 16)), text[1:-1])
    return _COMMENT.sub("", f" {text}").strip().strip("'\"")


def _toml_fields(head: str) -> _Fields | None:
    try:
        read = tomllib.loads(head)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    fields: _Fields = {}
    for name, value in _leaves(read):
        fields.setdefault(name, []).append(value)
    return fields


def _leaves(table: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the values of a table, those of its lists and of tables in it each by itself."""
    # A stack of our own: a deep table would exhaust Python's.
    pile: list[tuple[str, object]] = list(table.items())[::-1]
    while pile:
        name, value = pile.pop()
        if isinstance(value, dict):
            pile += list(cast("dict[str, object]", value).items())[::-1]
        elif isinstance(value, list):
            pile += [(name, item) for item in cast("list[object]", value)[::-1]]
        else:
            yield name, str(value)


def _inline_tags(text: str) -> tuple[str, ...]:
    """Return the tags that stand in a text, outside of its code."""
    found: dict[str, None] = {}
    for is_code, part in code_apart(text):
        for tag in _INLINE_TAG.findall("" if is_code else _CODE_SPAN.sub("", part)):
            name = tag.strip("/-")
            if name and not name.isdigit() and not _COLOUR.fullmatch(name):
                found[name] = None
    return tuple(found)[:_MOST_INLINE_TAGS]


def pages_read(detail: Message) -> int | None:
    """Return how many pages, chapters … are read by then, or where the `next` part begins; None at the end."""
    for part in _sentences(detail):
        following = part.values.get("next", part.values.get("pages"))
        if isinstance(following, int):
            return following
    return None


def progress_in(detail: Message) -> tuple[int, int] | None:
    """Return how many pages or characters are read, and of how many; None where no part says that."""
    for part in _sentences(detail):
        read, available = part.values.get("pages"), part.values.get("available")
        if isinstance(read, int) and isinstance(available, int):
            return read, available
    return None


def left_out(details: Iterable[Message]) -> Message:
    """Return what the parts of a file say that they lack; of those but the last, not that more follows."""
    every = [list(_sentences(detail)) for detail in details]
    remarks = [part for parts in every[:-1] for part in parts if "pages" not in part.values]
    remarks += every[-1] if every else []
    together: dict[str, Message] = {}
    for part in remarks:
        before = together.get(part.template)
        together[part.template] = _added(before, part) if before else part
    return Message.joined(*together.values())


def _sentences(detail: Message) -> Iterator[Message]:
    """Yield what a message was joined of."""
    values = list(detail.values.values())
    if values and all(isinstance(value, Message) for value in values):
        for value in values:
            if isinstance(value, Message):
                yield from _sentences(value)
    elif detail:
        yield detail


def _added(first: Message, second: Message) -> Message:
    """Return two messages of one kind as one: their numbers `n` added, their lists joined."""
    values: dict[str, Value] = dict(second.values)
    n, m = first.values.get("n"), second.values.get("n")
    if isinstance(n, int) and isinstance(m, int):
        values["n"] = n + m
    numbers = [str(message.values.get("numbers", "")) for message in (first, second)]
    if all(numbers):
        values["numbers"] = ", ".join(numbers)
    return second.with_values(values)


# A part of a text goes in at once and comes back whole: its paragraphs are fewer than a page may have.
FILE_TIMEOUT_S = 60.0
"""How long the text of one file may be computed."""
CLOCK_FACTOR = 20
"""So many times as long it may take by the clock, where the machine is busy, other files come first, or the program was stopped."""
PART_BYTES = 60_000
# A text of one line is parted behind a sign, if one comes so soon.
_LONGEST_WORD_BYTES = 1_000
_FENCE = re.compile(rb"^(?:```|~~~)", re.MULTILINE)
_SIGNS = (b" ", b",", b";", b"\t")
_BETWEEN_PARTS = {DocumentKind.CODE: "\n", DocumentKind.PDF: f"\n\n{PAGE_BREAK}"}


class Extractor(Protocol):
    """Takes the text out of foreign bytes, where they can do no harm; cancelling ends that."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Return the text, or why there is none.

        Raises:
            ServiceDown: what takes it out does not start.
        """
        ...


@dataclass(frozen=True, slots=True)
class Beginning:
    """What an earlier look has read of a file before its time ended, and what it said of it."""

    text: str = ""
    detail: Message = NOTHING


async def parse(
    extractor: Extractor,
    path: Path,
    data: bytes,
    form: Format,
    before: Beginning = Beginning(),
) -> tuple[Document, Message]:
    """Return a file as a document, and what of it was left out, if anything was. It reads on from what is known.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read = await text_parts(extractor, path, data, form, pages_read(before.detail) or 0)
    texts = [*filter(None, [before.text]), *(found.markdown for found in read)]
    text = _BETWEEN_PARTS.get(form.kind, "\n\n").join(texts)
    note = read_note(text) if form.kind is DocumentKind.MARKDOWN else Note(text)
    text = note.text
    aliases = [f"aliases: {', '.join(note.aliases)}"] if note.aliases else []
    # A note is looked for by any of its names, and by what it says.
    if head := "\n".join([*aliases, *note.properties]):
        text = f"{head}\n\n{text}"
    titles = [title for title in (note.title, *(found.title for found in read)) if title]
    if form.kind is not DocumentKind.MAIL:  # a subject is what its sender wrote
        titles = [title for title in titles if names_content(title)]
    first = read[0]
    document = Document(
        path.as_uri(),
        titles[0] if titles and form.kind is not DocumentKind.CODE else path.name,
        text,
        Origin.FILE,
        form.kind,
        form.syntax,
        note.tags,
        language=first.language or "",
        published=first.published or "",
    )
    return document, left_out([before.detail, *(found.detail for found in read)])


async def prepared_of(documents: Sequence[Document], files: FileCalls) -> Sequence[Prepared]:
    """Compute what is stored beside texts, in another process; nothing where that ends: who stores them computes it."""
    texts = [(d.text, d.language, d.kind is DocumentKind.CODE) for d in documents]
    call = partial(files.call, answer_s=CLOCK_FACTOR * FILE_TIMEOUT_S)
    with suppress(OSError):
        return await asyncio.to_thread(call, "", prepare_all, texts) if texts else ()
    return ()


async def text_parts(
    extractor: Extractor, path: Path, data: bytes, form: Format, first: int = 0
) -> list[Extracted]:
    """Return the text of a file in parts; of some kinds so many pages, chapters or characters at a time, from the
    one behind the `first` on.

    Where time ends behind some of these, they are returned, and the last one says how many they are.

    Raises:
        NotRead: there is no text.
        ServiceDown: what takes files apart does not start.
    """
    read: list[Extracted] = []
    try:
        async with asyncio.timeout(CLOCK_FACTOR * FILE_TIMEOUT_S):
            await _read(extractor, path, data, form, read, first)
    except TimeoutError:
        if read and form.is_in_parts and read[-1].status is PageStatus.OK:
            return read
        n = FILE_TIMEOUT_S
        raise NotRead(Message("Reading it took longer than {n} s.", n=n)) from None
    has_text = first > 0 or any(found.status is PageStatus.OK for found in read)
    if not has_text or any(found.status is PageStatus.FAILED for found in read):
        raise NotRead(_reason(read))
    return read


async def _read(
    extractor: Extractor,
    path: Path,
    data: bytes,
    form: Format,
    read: list[Extracted],
    more: int,
) -> None:
    data, form = await converted(data, form)
    url, content_type = path.as_uri(), form.content_type
    if not form.is_in_parts:
        if not form.is_text:
            read.append(await extractor.extract(data, url, content_type))
            return
        if len(data) > PART_BYTES:
            # What a part is written in, all of the file says better than the part.
            data, charset = divisible(data)
            content_type = f"{content_type}; charset={charset}" if charset else content_type
        parts = _parts(data)
        for part in parts:
            _end_in_time(read)
            read.append(await extractor.extract(part, url, content_type))
        return
    await _InParts(extractor, data, url, content_type, form).read_all(more, read)


@dataclass(slots=True)
class _InParts:
    """A file of which so many pages, chapters or characters are read at a time."""

    extractor: Extractor
    data: bytes
    url: str
    content_type: str
    form: Format

    async def read_all(self, first: int, read: list[Extracted]) -> None:
        """Read what is behind the `first`; of a PDF file with more than one part left two at a time."""
        more = await self._read_part(first, read)
        pages = progress_in(read[-1].detail) if self.form.kind is DocumentKind.PDF else None
        if pages is not None and pages[1] - more > more - first > 0:
            await self._read_halves(more, pages[1], read)
        elif more > first:
            await self._read_on(more, read, (read,))

    async def _read_halves(self, first: int, pages: int, read: list[Extracted]) -> None:
        """Read the pages that are left in two processes: each page is read by itself."""
        middle, reached = (first + pages) // 2, first
        before, behind = list[Extracted](), list[Extracted]()
        every = (read, before, behind)

        async def read_before() -> None:
            nonlocal reached
            reached = await self._read_on(first, before, every, middle)

        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(read_before())
                group.create_task(self._read_on(middle, behind, every))
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:
            # Where the first half was not read to its end, no page may be missing before the second.
            read += [*before, *(behind if reached == middle else ())]

    async def _read_on(
        self, more: int, read: list[Extracted], every: Iterable[list[Extracted]], stop: int = 0
    ) -> int:
        """Read part by part up to `stop`, or to the end; return where it has come to."""
        done = -1
        while more > done and more != stop:
            _end_in_time(chain.from_iterable(every))
            done, more = more, await self._read_part(more, read, stop)
        return more

    async def _read_part(self, first: int, read: list[Extracted], stop: int = 0) -> int:
        """Read one part, and return where the next one begins; `first` at the end."""
        before = f"; before={stop}" if stop else ""
        asked = f"{before}; first={first}"
        found = await self.extractor.extract(self.data, self.url, self.content_type + asked)
        if self.form.kind is DocumentKind.MAIL and found.status is PageStatus.FAILED and not first:
            # A file in it may need more than a process has.
            self.content_type += WITHOUT_FILES
            found = await self.extractor.extract(self.data, self.url, self.content_type + asked)
        if found.reason is PageReason.TIMED_OUT:
            raise TimeoutError
        more = pages_read(found.detail) or first
        if found.status is PageStatus.EMPTY and self.form.kind is DocumentKind.PDF:
            # Pages without a text are counted, too.
            found = replace(found, markdown=PAGE_BREAK * max(more - first - 1, 0))
        read.append(found)
        return more


def _end_in_time(read: Iterable[Extracted]) -> None:
    if sum(found.computed_s for found in read) > FILE_TIMEOUT_S:
        raise TimeoutError


def _reason(read: list[Extracted]) -> Message:
    worst = next((f for f in read if f.status is PageStatus.FAILED), read[0])
    return worst.detail or Message("It has no text.")


def _parts(data: bytes) -> Iterator[bytes]:
    """Yield a text in parts that end with a paragraph where one ends near, and else with a line."""
    start = 0
    # An empty file is one empty part, which the parser refuses as empty.
    while start < len(data) or not start:
        stop = start + PART_BYTES
        if stop < len(data):
            blank = data.rfind(b"\n\n", start + PART_BYTES // 2, stop)
            line = data.rfind(b"\n", start, stop)
            stop = blank + 2 if blank >= 0 else line + 1 if line >= 0 else _whole(data, stop)
            stop = _outside_code(data, start, stop)
        yield data[start:stop]
        if stop >= len(data):
            return
        start = stop


def _outside_code(data: bytes, start: int, stop: int) -> int:
    """Return where a block of code begins that would be parted, if that is not where the part does."""
    if len(_FENCE.findall(data, start, stop)) % 2 == 0:
        return stop
    fence = max(data.rfind(mark, start, stop) for mark in (b"\n```", b"\n~~~")) + 1
    return fence if fence > start else stop


def _whole(data: bytes, stop: int) -> int:
    """Return a place that parts no word, or else no character of UTF-8."""
    if sign := max(data.rfind(sign, stop - _LONGEST_WORD_BYTES, stop) for sign in _SIGNS) + 1:
        return sign
    return next((at for at in range(stop, stop - 4, -1) if data[at] & 0xC0 != 0x80), stop)
