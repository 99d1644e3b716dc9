"""The program starts, answers, shows all its windows and ends in the locales that change most.

In Turkish the capital of i is İ, in Arabic digits and direction are others, and C knows ASCII alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from askance.config.folders import Folders
from ui.whole.neighbours import Neighbours
from ui.whole.remembered import questions_kept
from ui.whole.window_child import window
from waiting import PATIENCE_S

# Plainly English: the program loads no model that recognises languages.
QUESTION = "Is it light in the evening?"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="locales are made with localedef: run it on Linux"
)


@pytest.fixture(scope="session")
def made_locales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("locales")


def _make(name: str, folder: Path) -> None:
    """Make a locale of the system's sources, in a folder for `LOCPATH`."""
    program = shutil.which("localedef") or "/usr/sbin/localedef"
    language, _, charset = name.partition(".")
    try:
        subprocess.run(  # noqa: S603 - the system's own program
            [program, "-i", language, "-f", charset, str(folder / name)],
            check=True,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("localedef makes no locales here: install the package locales")


def _skip_where_python_does_not_start(environment: dict[str, str]) -> None:
    """Before 3.13 Python decodes *.pth files as ASCII in this locale, and ends at an umlaut."""
    command = [sys.executable, "-c", ""]
    whole = {**os.environ, **environment}
    ended = subprocess.run(command, check=False, env=whole, capture_output=True)  # noqa: S603
    if ended.returncode and b"UnicodeDecodeError" in ended.stderr:
        pytest.skip("this Python does not start here in the locale C: run it in an ASCII folder")


@pytest.mark.exhaustive
@pytest.mark.parametrize("locale", ["tr_TR.UTF-8", "C", "ar_EG.UTF-8", "zh_CN.UTF-8"])
def test_every_window_is_there_in(
    locale: str, around: Neighbours, home: Path, folders: Folders, made_locales: Path
) -> None:
    environment = around.environment(home, LC_ALL=locale, LANG=locale, LANGUAGE="")
    if locale == "C":
        _skip_where_python_does_not_start(environment)
    else:
        _make(locale, made_locales)
        environment["LOCPATH"] = str(made_locales)
    around.script.answer = ["The lamp burns at night."]
    with window(environment) as child:
        child.type(f"/chat {QUESTION}")
        child.until("0 answered")
        child.type("!windows")
        child.until("windows")
        child.terminate()
        assert child.process.returncode == 0
    assert questions_kept(folders) == [(QUESTION, True)]
    assert not list(folders.crashes.glob("crash*"))
