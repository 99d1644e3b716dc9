"""What a command finds around it. All that it takes from outside is here, for tests to hand in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from askance.cli.parts import Opener
from askance.cli.render.fronts import Front, JsonFront, Narrated, PlainFront
from askance.cli.render.output import Output, say
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.asking import SEARCH
from askance.domain.errors import InputError
from askance.presentation.cleaning import clean

if TYPE_CHECKING:
    from askance.sample_web.server import SampleWeb


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

    def complain(self, trouble: str) -> None:
        """Say what is wrong with a file of ours, beside the output."""
        say(self.stderr, trouble)

    def note(self, said: str) -> None:
        """Say something beside the output, once."""
        if said not in self._noted:
            self._noted.add(said)
            say(self.stderr, f"askance: {said}")

    def front(
        self, *, as_json: bool = False, verbose: bool = False, command: str = SEARCH
    ) -> Front:
        """Return the front end that fits whoever looks, for what is asked with a command."""
        if self.redraws and not as_json:
            from askance.cli.render.live import LiveFront, Screen  # noqa: PLC0415 - rich costs 100 ms

            return LiveFront(
                Screen(self.stdout, self.environment), verbose=verbose, command=command
            )
        front = JsonFront(self.stdout) if as_json else PlainFront(self.stdout, command)
        return Narrated(front, self.stderr) if verbose else front

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
            raise InputError("There is no question.", fix="Write it behind the command.")
        return question
