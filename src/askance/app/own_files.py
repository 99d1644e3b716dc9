"""Commands and lenses of the user's own: small files, read when they are needed, and those that are shipped.

A file has a head in YAML between two lines `---`, and below it the prompt of a command, or notes on a lens. Its name is
that of the command or lens. A broken file costs only itself: it says what is wrong, and in which line.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, cast
from unicodedata import normalize

from askance.domain.conversation import CommandMode, OwnCommand
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.web_pages import MOST_DOMAINS, SearchScope, narrowed, site_name
from askance.presentation.i18n import spoken

VARIABLES = ("argument", "selection", "clipboard", "date")
LARGEST_BYTES = 64 * 1024
MOST_FILES = 200
MOST_SITES = 100
"""Of those that a lens prefers or leaves out: they go with every page to the reader service."""
_SUFFIXES = frozenset({".md", ".txt"})
# No command is a letter, or begins with a digit: `/24 subnet` is a question.
_NAME = re.compile(r"[^\W\d_][\w-]{1,39}")
_HEAD = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_VARIABLE = re.compile(r"\{([a-z]{3,20})\}")
# So alike a word in braces is a slip; any other one is a part of the prompt, such as of JSON.
_SLIP = 0.75
_SHIPPED = Path(__file__).with_name("shipped")


@dataclass(frozen=True, slots=True)
class OwnFile:
    """One file: its name behind the sign by which it is typed, what it says of itself, and what it holds, a lens the
    sites of which is asked, or why that cannot be used.
    """

    sign: str
    name: str
    about: str
    holds: OwnCommand | SearchScope | Message


class _Broken(Exception):
    """Something is wrong with a file: the line of it, and what."""


class OwnFiles:
    """The commands and lenses in a folder, behind them the shipped ones; without a folder those alone."""

    def __init__(self, folder: Path = _SHIPPED) -> None:
        self.folder = folder
        self._were_lenses = set[str]()

    def commands(self) -> Mapping[str, OwnFile]:
        """Return the commands that there are now, by name."""
        return self._found("commands")

    def lenses(self) -> Mapping[str, OwnFile]:
        """Return the lenses that there are now, by name."""
        found = self._found("lenses")
        self._were_lenses.update(found)
        return found

    def note_lens(self, name: str) -> None:
        """Remember a name as that of a lens, such as one through which a stored question was asked."""
        self._were_lenses.add(name)

    def was_lens(self, name: str) -> bool:
        """Return whether a name was that of a lens: without its file a question may not just be searched everywhere."""
        return name in self._were_lenses and name not in self.lenses()

    def scope(
        self, domains: Sequence[str] | None, recency: str | None, lens: str = ""
    ) -> SearchScope:
        """Return what a question is narrowed to by names of websites, how new they are, and the name of a lens.

        Raises:
            InputError: one of the names is none, its file is broken, or both name websites.
        """
        scope, name = narrowed(domains, recency), lens.strip().lstrip("@").casefold()
        if not name:
            return scope
        through = found.holds if (found := self.lenses().get(name)) else None
        if through is None:
            # Without its path, which is nothing for other programs that ask.
            fix = Message("A lens is a file in the folder lenses, beside the settings.")
            raise InputError(Message("There is no lens @{name}.", name=name), fix=fix)
        if isinstance(through, Message):
            raise InputError(through)
        assert isinstance(through, SearchScope)
        if scope.domains and through.domains:
            fix = Message("Leave out one of the two.")
            raise InputError(
                Message("The lens @{name} names its websites itself.", name=name), fix=fix
            )
        return replace(through, domains=scope.domains or through.domains, recency=scope.recency)

    def _found(self, kind: str) -> Mapping[str, OwnFile]:
        files = [*_files_in(_SHIPPED / kind), *_files_in(self.folder / kind)]
        # The later one counts: a shipped one may be replaced.
        return {own.name: own for file in files if (own := _looked_at(kind, file)) is not None}


_used = [OwnFiles()]


def use_own_files(folder: Path) -> None:
    """Take the commands and lenses of this process from a folder, that of its settings."""
    _used[:] = [OwnFiles(folder)]


def own_files() -> OwnFiles:
    """Return the commands and lenses of this process."""
    return _used[0]


def render(
    own: OwnCommand, argument: str, texts: Mapping[str, str], wrap: Callable[[str], str] = str
) -> str:
    """Return the prompt with its variables filled: the rest of the line, and texts that go through `wrap`.

    What is filled in is never read for variables again. A line that no variable takes goes behind the prompt.
    """

    def filled(found: re.Match[str]) -> str:
        name = found[1]
        if name == "argument":
            return argument
        if name == "date":
            return texts[name]
        return wrap(texts[name]) if name in texts else found[0]

    prompt = _VARIABLE.sub(filled, own.prompt)
    rest = "" if own.uses("argument") else argument
    return "\n\n".join(filter(None, (prompt.strip(), rest)))


def _files_in(folder: Path) -> list[Path]:
    try:
        names = sorted(file for file in folder.iterdir() if file.suffix.lower() in _SUFFIXES)
    except OSError:  # there is none, or it is not ours
        return []
    return [file for file in names if _NAME.fullmatch(_name_of(file))][:MOST_FILES]


def _name_of(file: Path) -> str:
    # macOS parts a letter from its accent in names of files; nobody types it so.
    return normalize("NFC", file.stem).casefold()


def _looked_at(kind: str, file: Path) -> OwnFile | None:
    try:
        found = file.stat()
    except OSError:
        return None
    # A pipe would keep its reader waiting for ever.
    if not stat.S_ISREG(found.st_mode):
        return None
    return _read(kind, file, found.st_mtime_ns, found.st_size, spoken().code)


# By its time and size, so that a file is parsed once and a change is seen at once.
@lru_cache(maxsize=2 * MOST_FILES)
def _read(kind: str, file: Path, _changed_ns: int, size: int, language: str) -> OwnFile:
    name = _name_of(file)
    sign, make = ("/", _command_of) if kind == "commands" else ("@", _lens_of)
    try:
        about, holds = make(name, _text_of(file, size), language)
    except _Broken as exc:
        line, why = exc.args
        problem = Message("{file}, line {n}: {problem}.", file=file.name, n=line, problem=why)
        return OwnFile(sign, name, "", problem)
    return OwnFile(sign, name, about, holds)


def _text_of(file: Path, size: int) -> str:
    if size > LARGEST_BYTES:
        raise _Broken(1, Message("it is larger than {n} KB", n=LARGEST_BYTES // 1024))
    try:
        text = file.read_bytes()[:LARGEST_BYTES].decode("utf-8")
        return text.removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as exc:
        line = exc.object[: exc.start].count(b"\n") + 1
        raise _Broken(line, Message("this is no UTF-8 text")) from exc
    except OSError as exc:
        raise _Broken(1, Message("it cannot be read: {problem}", problem=exc.strerror)) from exc


def _command_of(name: str, text: str, language: str) -> tuple[str, OwnCommand]:
    head, prompt, line = _parted(text, ("description", "model", "mode"))
    if not prompt.strip():
        raise _Broken(line, Message("the prompt is missing below the head"))
    for number, row in enumerate(prompt.splitlines(), line):
        for word in map(str, _VARIABLE.findall(row)):
            near = get_close_matches(word, VARIABLES, 1, _SLIP)
            if near and near[0] != word:
                values = {"word": f"{{{word}}}", "nearest": f"{{{near[0]}}}"}
                raise _Broken(number, Message("{word} is probably {nearest}", **values))
    mode, at = head.get("mode", ([CommandMode.CHAT], line))
    if mode[0] not in [*CommandMode]:
        raise _Broken(at, Message("the mode is one of {names}", names=", ".join(CommandMode)))
    model = head.get("model", ([""], line))[0][0]
    own = OwnCommand(name, prompt.strip(), CommandMode(mode[0]), model)
    return _about(head, language, prompt), own


def _lens_of(_: str, text: str, language: str) -> tuple[str, SearchScope]:
    head, notes, line = _parted(text, ("description", "only", "prefer", "never"))
    named = [head.get(key, ([], line)) for key in ("only", "prefer", "never")]
    if not any(names for names, _ in named):
        raise _Broken(line, Message("it names no site: only, prefer or never"))
    only, prefer, never = (
        _sites(names, at, most)
        for (names, at), most in zip(named, (MOST_DOMAINS, MOST_SITES, MOST_SITES), strict=True)
    )
    return _about(head, language, notes), SearchScope(only, preferred=prefer, excluded=never)


def _sites(names: Sequence[str], line: int, most: int) -> tuple[str, ...]:
    if len(names) > most:
        raise _Broken(line, Message("more than {n} sites", n=most))
    try:
        return tuple(dict.fromkeys(map(site_name, names)))
    except InputError as exc:
        raise _Broken(line, exc.problem.clause()) from exc


_Head = dict[str, tuple[list[str], int]]


def _about(head: _Head, language: str, text: str) -> str:
    """Return what a file says of itself, in a language; without a description its first line."""
    for key in (f"description[{language}]", "description"):
        if key in head:
            return " ".join(head[key][0])
    return next((row.strip(" #") for row in text.splitlines() if row.strip(" #")), "")


def _parted(text: str, known: tuple[str, ...]) -> tuple[_Head, str, int]:
    """Return the head of a file, with the line of each field, the text below it, and the line where that begins."""
    found = _HEAD.match(text)
    if found is None:
        if text.startswith("---"):
            raise _Broken(1, Message("the head does not end with a line ---"))
        return {}, text, 1
    head = _fields(found[1])
    for key, (_, line) in head.items():
        if re.sub(r"\[[a-z]{2,3}\]$", "", key) not in known:
            names = ", ".join(known)
            raise _Broken(line, Message("“{key}” is none of {names}", key=key, names=names))
    return head, text[found.end() :], text.count("\n", 0, found.end()) + 1


def _fields(head: str) -> _Head:
    """Return the fields of a head: lists of texts, each with its line in the file."""
    import yaml  # noqa: PLC0415 - 20 ms, and most people have no such file

    try:
        # Nodes, and not values: they know their lines, and `no` stays a word.
        node: Any = cast("Any", yaml).compose(head, Loader=yaml.SafeLoader)
    except yaml.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        problem = Message.verbatim(str(getattr(exc, "problem", None) or "no YAML"))
        raise _Broken(2 + (mark.line if mark else 0), problem) from exc
    except RecursionError as exc:
        raise _Broken(2, Message("it is nested too deeply")) from exc
    if node is None:
        return {}
    if not isinstance(node, yaml.MappingNode):
        raise _Broken(2, Message("the head needs lines such as “description: …”"))
    fields: _Head = {}
    for key, value in node.value:
        line = 2 + value.start_mark.line
        items = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not all(isinstance(item, yaml.ScalarNode) for item in (key, *items)):
            raise _Broken(line, Message("only texts and lists of them can stand here"))
        fields[key.value] = [item.value.strip() for item in items] or [""], line
    return fields
