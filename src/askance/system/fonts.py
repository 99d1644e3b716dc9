"""For which scripts this system has fonts: without one, Qt draws boxes and says nothing.

`fc-list` is asked where Qt is not there to be asked. Only systems with fontconfig lack such fonts.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from askance.domain.messages import NOTHING, Message
from askance.system.qt_libraries import INSTALLERS, Which
from askance.text.languages.scripts import ARABIC, DEVANAGARI, HAN, HANGUL, HEBREW, KANA, THAI

_LIMIT_S = 5.0
# The packages of Debian and Ubuntu, Fedora, Arch.
_CJK = ("fonts-noto-cjk", "google-noto-sans-cjk-vf-fonts", "noto-fonts-cjk")
_OTHER = ("fonts-noto-core", "google-noto-sans-vf-fonts", "noto-fonts")


@dataclass(frozen=True, slots=True)
class FontScript:
    """A language that is written in it, as in `presentation.answers.LANGUAGES`, the characters by which
    it is known, and `codes`, the languages by which fontconfig knows its fonts: one is enough.
    """

    name: Message
    characters: re.Pattern[str]
    codes: tuple[str, ...]
    packages: tuple[str, str, str] = _OTHER


CHINESE = FontScript(Message("Chinese"), re.compile(f"[{HAN}]"), ("zh-cn", "zh-tw", "ja"), _CJK)
JAPANESE = FontScript(Message("Japanese"), re.compile(f"[{KANA}]"), ("ja",), _CJK)
KOREAN = FontScript(Message("Korean"), re.compile(f"[{HANGUL}]"), ("ko",), _CJK)
SCRIPTS = (
    CHINESE,
    JAPANESE,
    KOREAN,
    FontScript(Message("Arabic"), re.compile(f"[{ARABIC}]"), ("ar",)),
    FontScript(Message("Hebrew"), re.compile(f"[{HEBREW}]"), ("he",)),
    FontScript(Message("Hindi"), re.compile(f"[{DEVANAGARI}]"), ("hi",)),
    FontScript(Message("Thai"), re.compile(f"[{THAI}]"), ("th",)),
)

HasFont = Callable[[str], bool]
"""Whether there is a font for a language, by its code."""


def scripts_in(text: str) -> list[FontScript]:
    """Return the scripts of which a text has any character."""
    return [script for script in SCRIPTS if script.characters.search(text)]


def without_font(scripts: Sequence[FontScript], has_font: HasFont) -> list[FontScript]:
    """Return those scripts that no font of this system has."""
    return [script for script in scripts if not any(map(has_font, script.codes))]


def problem_of(lacking: Collection[FontScript]) -> Message:
    """Say what this system has no font for."""
    names = Message.joined(*(script.name for script in lacking), by=", ")
    return Message("This system has no font for {names}, and shows boxes instead.", names=names)


def fix_of(
    lacking: Sequence[FontScript], which: Which = shutil.which, platform: str = sys.platform
) -> Message:
    """Say what installs such fonts; nothing where that is not known."""
    if not platform.startswith("linux") or not lacking:
        return NOTHING
    for column, (program, command) in enumerate(INSTALLERS):
        if which(program):
            wanted = " ".join(sorted({script.packages[column] for script in lacking}))
            return Message("Install it: `{command}`", command=f"{command} {wanted}")
    return NOTHING


def fonts_of_system() -> HasFont | None:
    """Return what fontconfig knows of fonts; None where it cannot be asked."""
    program = shutil.which("fc-list")
    if program is None:
        return None

    def has_font(code: str) -> bool:
        asked = [program, "--format", "x", f":lang={code}"]
        try:
            listed = subprocess.run(asked, capture_output=True, timeout=_LIMIT_S, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return True  # nobody knows
        return bool(listed.stdout)

    return has_font
