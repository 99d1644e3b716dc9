"""What a command finds around it: streams, settings, the parts of the program; and the question for consent to a search.

The real parts are imported when they are opened: httpx and trafilatura cost a second together, which
commands that open nothing must not pay. So does rich, 100 ms, where something is drawn over. Which command may load
what is held by `tests/cli/test_what_is_loaded.py`.
"""

# ruff: noqa: PLC0415

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import os
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import urlsplit

from askance.cli.exits import Output, interruptible, write_line
from askance.config.choices import Consent
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.addresses import bare_address
from askance.domain.characters import clean
from askance.domain.conversation import SEARCH
from askance.domain.errors import InputError, SettingsError

if TYPE_CHECKING:
    from askance.app.container import App, Container
    from askance.cli.live import Advance
    from askance.cli.views import Renderer
    from askance.sample_web.sample_server import SampleWeb


Opener = Callable[..., AbstractAsyncContextManager["App"]]
"""Opens the parts, as `askance.app.container.open_app` does."""


@dataclass(frozen=True)
class Shell:
    """The surroundings of one command.

    `read_line` shows a prompt and returns one line, and raises EOFError at the end of the input.
    `find_package` returns the folder of an installed package without importing it, or None.
    """

    environment: Mapping[str, str]
    stdin: TextIO
    stdout: Output
    stderr: TextIO
    read_line: Callable[[str], str]
    open_app: Opener
    serve_sample_web: Callable[[], AbstractContextManager[SampleWeb]]
    find_package: Callable[[str], Path | None]
    _noted: set[str] = field(default_factory=set[str])

    @property
    def folders(self) -> Folders:
        """Where files are kept."""
        return find_folders(self.environment)

    @property
    def redraws(self) -> bool:
        """Whether the output is a terminal that can be drawn over."""
        return self.stdout.isatty() and self.environment.get("TERM", "") != "dumb"

    def settings(self, overrides: Mapping[str, Any] | None = None) -> Settings:
        """Return the settings in force; `overrides` maps `section.field` to values.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        return load_settings(self.folders.settings_file, self.environment, overrides, self.note)

    def container(self) -> Container:
        """Return the parts of the program in its files, none of which is open yet. Use it as a context."""
        from askance.app.container import Container

        return Container(self.settings, self.folders, lambda text: write_line(self.stderr, text))

    def note(self, text: str) -> None:
        """Say something beside the output, once."""
        if text not in self._noted:
            self._noted.add(text)
            write_line(self.stderr, f"askance: {text}")

    def front(
        self, *, as_json: bool = False, verbose: bool = False, command: str = SEARCH
    ) -> Renderer:
        """Return the front end that fits whoever looks, for what is asked with a command."""
        from askance.cli.views import JsonFront, PlainFront, VerboseRenderer

        if self.redraws and not as_json:
            from askance.cli.live import LiveRenderer, PlainConsole

            return LiveRenderer(
                PlainConsole(self.stdout, self.environment), verbose=verbose, command=command
            )
        renderer = JsonFront(self.stdout) if as_json else PlainFront(self.stdout, command)
        return VerboseRenderer(renderer, self.stderr) if verbose else renderer

    @contextmanager
    def bar(
        self, label: str, of: int, *, done: int = 0, as_json: bool = False
    ) -> Generator[Advance]:
        """Draw how much is done on a terminal that can be drawn over; elsewhere nothing."""
        if as_json or not self.redraws:
            yield lambda last="", by=1: None  # noqa: ARG005 - as it is called
            return
        from askance.cli.live import PlainConsole, drawn_bar

        with drawn_bar(PlainConsole(self.stdout, self.environment), label, of, done) as advance:
            yield advance

    def question(self, words: Sequence[str]) -> str:
        """Return the question given as words, or all of the standard input for `-`.

        Raises:
            InputError: there is no question, or the input is not text.
        """
        try:
            text = self.stdin.read() if list(words) == ["-"] else " ".join(words)
        except UnicodeDecodeError as exc:
            raise InputError("The question on standard input is not UTF-8 text.") from exc
        question = clean(text).strip()
        if not question:
            if list(words) == ["-"]:
                raise InputError("There is no question on standard input.")
            raise InputError("There is no question.", fix="Write it behind the command.")
        return question


def process_shell() -> Shell:
    """Return the surroundings of this process."""
    # A terminal that lacks a sign gets a question mark, rather than an error in mid-answer. Of bytes
    # that are no text Python makes halves of surrogate pairs in the C locale.
    for stream, errors in (
        (sys.stdin, "strict"),
        (sys.stdout, "replace"),
        (sys.stderr, "replace"),
    ):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)
    return Shell(
        environment=dict(os.environ),
        stdin=sys.stdin,
        stdout=Output(sys.stdout),
        stderr=sys.stderr,
        read_line=_editing_reader()
        if sys.stdin.isatty() and sys.stdout.isatty()
        else lambda _prompt: read_piped_line(sys.stdin),
        open_app=_open_app,
        serve_sample_web=_serve_sample_web,
        find_package=find_package,
    )


def find_package(name: str) -> Path | None:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent


@asynccontextmanager
async def _open_app(settings: Settings, folders: Folders, **options: Any) -> AsyncGenerator[App]:
    from askance.app.container import open_app

    # A dictionary is an ordered set here: each sentence is shown once.
    troubles: dict[str, None] = {}
    try:
        async with open_app(
            settings, folders, on_error=lambda text: troubles.update({text: None}), **options
        ) as app:
            yield app
    finally:
        # Reported after the work: while the live display is on, it would draw over them.
        for trouble in troubles:
            write_line(sys.stderr, f"askance: {trouble}")


def _serve_sample_web() -> AbstractContextManager[SampleWeb]:
    from askance.sample_web.sample_server import serve_sample_web

    return serve_sample_web()


def _editing_reader() -> Callable[[str], str]:
    # Its presence alone gives `input` line editing and recall; Windows has both without it.
    with contextlib.suppress(ImportError):
        importlib.import_module("readline")
    return input


def read_piped_line(stdin: TextIO) -> str:
    """Return the next line of a pipe.

    Raises:
        EOFError: there is none.
        InputError: it is not text.
    """
    try:
        line = stdin.readline()
    except UnicodeDecodeError as exc:
        raise InputError("The line on standard input is not UTF-8 text.") from exc
    if not line:
        raise EOFError
    return line.rstrip("\n")


# Asking once whether public search engines may be asked directly.

CONSENT_SETTING = "search.in_process"
# A service of this machine accepts at once; one in the same house within a few milliseconds.
KNOCK_S = 1.0
_PORTS = {"http": 80, "https": 443}
_YES, _NO = frozenset({"y", "yes"}), frozenset({"n", "no", ""})


def is_interactive(shell: Shell) -> bool:
    """Whether a person sits at both ends, who can be asked."""
    return shell.stdin.isatty() and shell.stdout.isatty()


def settled(shell: Shell, settings: Settings) -> Settings:
    """Return the settings, with the answer of a person who had to be asked now.

    Nobody is asked who has answered before, cannot be asked, or whose SearXNG is there.
    """
    asked_for = settings.search.in_process is Consent.UNASKED and is_interactive(shell)
    # The connection is tried last: it may take a second.
    if not asked_for or somebody_answers(settings.search.url):
        return settings
    shell.stdout.line(
        f"Nothing answers at {bare_address(settings.search.url)}, where SearXNG should be."
    )
    shell.stdout.line("`askance up` starts it; that needs Docker or Podman.")
    return with_answer(shell, settings)


def with_answer(shell: Shell, settings: Settings) -> Settings:
    """Ask, keep the answer in the settings file, and return the settings with it.

    Whoever closes the input instead of answering is asked again another time.
    """
    from askance.app.checks.first_steps import explanation
    from askance.config.editing import set_value

    shell.stdout.line("Without SearXNG this program can ask public search engines itself.")
    shell.stdout.line(explanation(settings.search))
    try:
        given = confirmed(shell, "Ask them directly from now on? [y/N] ")
    except EOFError:
        shell.stdout.line()
        return settings
    answer = Consent.GIVEN if given else Consent.REFUSED
    other = Consent.REFUSED if given else Consent.GIVEN
    try:
        set_value(CONSENT_SETTING, answer.value, shell.folders.settings_file)
    except SettingsError as exc:
        write_line(shell.stderr, f"askance: {exc} The answer counts for now.")
    else:
        undo = f"`askance config set {CONSENT_SETTING} {other}` changes that."
        shell.stdout.line(f"{CONSENT_SETTING} is {answer} now; {undo}")
    search = settings.search.model_copy(update={"in_process": answer})
    return settings.model_copy(update={"search": search})


def confirmed(shell: Shell, question: str) -> bool:
    """Ask until the answer is a yes or a no; an empty line is a no.

    Raises:
        EOFError: the input was closed.
        KeyboardInterrupt: Ctrl-C.
    """
    while True:
        # `askance chat` asks inside its event loop, where Ctrl-C would only cancel a task.
        with interruptible():
            answer = clean(shell.read_line(question)).strip().lower()
        if answer in _YES | _NO:
            return answer in _YES


def somebody_answers(url: str) -> bool:
    """Whether anything accepts a connection at an address. No byte is sent."""
    parts = urlsplit(url)
    # `web_address` lets only these two schemes into the settings.
    place = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    try:
        socket.create_connection(place, KNOCK_S).close()
    # UnicodeError: a host name that cannot be encoded for a look-up.
    except (OSError, UnicodeError):
        return False
    return True
