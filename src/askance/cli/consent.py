"""Asking once whether public search engines may be asked directly."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from askance.app.checks.first_steps import explanation
from askance.cli.exits import interruptible
from askance.cli.render.output import write_line
from askance.cli.shell import Shell
from askance.config.choices import Consent
from askance.config.editing import set_value
from askance.config.settings import Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import SettingsError
from askance.presentation.sanitizing import clean

SETTING = "search.in_process"
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
        set_value(SETTING, answer.value, shell.folders.settings_file)
    except SettingsError as exc:
        write_line(shell.stderr, f"askance: {exc} The answer counts for now.")
    else:
        undo = f"`askance config set {SETTING} {other}` changes that."
        shell.stdout.line(f"{SETTING} is {answer} now; {undo}")
    return with_consent(settings, answer)


def with_consent(settings: Settings, consent: Consent) -> Settings:
    """Return the settings with this answer in them."""
    search = settings.search.model_copy(update={"in_process": consent})
    return settings.model_copy(update={"search": search})


def confirmed(shell: Shell, question: str) -> bool:
    """Ask until the answer is a yes or a no; an empty line is a no.

    Raises:
        EOFError: the input was closed.
        KeyboardInterrupt: Ctrl-C.
    """
    while True:
        with interruptible():
            answer = clean(shell.read_line(question)).strip().lower()
        if answer in _YES | _NO:
            return answer in _YES


def somebody_answers(url: str) -> bool:
    """Whether anything accepts a connection at an address. No byte is sent."""
    parts = urlsplit(url)
    place = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    try:
        socket.create_connection(place, KNOCK_S).close()
    except (OSError, UnicodeError):
        return False
    return True
