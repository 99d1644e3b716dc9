"""What the window imports comes as Python imports it, and without what nothing here uses."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import packages_distributions

import pytest

_WITHOUT = "import PySide6.QtCore, linecache, xml.dom.minidom; print(len(linecache.cache))"
_WITH = f"import askance.ui.shell; {_WITHOUT}"
_BEFORE_THE_ICON = {
    "PySide6",
    "Stemmer",
    "annotated_types",
    "askance",
    "jeepney",
    "markdown_it",
    "mdurl",
    "platformdirs",
    "pydantic",
    "pydantic_core",
    "shiboken6",
    "shibokensupport",
    "tomlkit",
    "typing_extensions",
    "typing_inspection",
}
_AFTER_IT = (
    "askance.adapters.containers",
    "askance.adapters.llm",
    "askance.adapters.network",
    "askance.adapters.reader",
    "askance.adapters.search",
    "askance.engine",
    "askance.extract",
    "askance.app.checks",
    "askance.app.container",
    "askance.app.library",
)
# What the engine's thread loads to open the parts.
_OPENED = (
    "askance.adapters.model_choice, askance.adapters.web_choice, askance.adapters.search.searxng, "
    "askance.adapters.search.metasearch, askance.app.container, askance.engine.evidence_search, "
    "askance.engine.run"
)


def told(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout  # noqa: S603


def printed(program: str) -> int:
    return int(told(program))


@pytest.fixture(scope="module")
def at_the_start() -> set[str]:
    """The modules with a place of their own that are there before the window is built."""
    return set(
        told("""
import sys, askance.ui.shell.desktop_app
for name, module in sys.modules.items():
    if getattr(module, "__spec__", None) is not None:
        print(name)
""").split()
    )


def test_no_source_is_read_of_what_is_imported_later() -> None:
    assert printed(_WITH) < printed(_WITHOUT)


def test_no_other_package_comes_before_the_icon(at_the_start: set[str]) -> None:
    """One more costs everybody's start: it comes later, or its name here is worth that."""
    packages = {name.partition(".")[0] for name in at_the_start}
    installed = {name for name in packages_distributions() if not name.startswith("_")}
    assert packages & installed <= _BEFORE_THE_ICON


@pytest.mark.parametrize("name", _AFTER_IT)
def test_what_a_search_needs_comes_after_the_icon(at_the_start: set[str], name: str) -> None:
    assert not [found for found in at_the_start if f"{found}.".startswith(f"{name}.")]


@pytest.mark.parametrize("room", ["settings", "history"])
def test_other_windows_come_when_they_are_wanted(at_the_start: set[str], room: str) -> None:
    """What is there of them shows nothing: the settings' file."""
    inside = {name for name in at_the_start if f"{name}.".startswith(f"askance.ui.{room}.")}
    assert inside <= {"askance.ui.settings", "askance.ui.settings.source"}


def test_neither_the_network_nor_a_database_comes_before_the_icon(at_the_start: set[str]) -> None:
    assert at_the_start.isdisjoint({"http.client", "sqlite3", "urllib.request"})


def test_processes_are_looked_at_only_where_somebody_asks() -> None:
    program = f"""
import sys, askance.ui.shell.desktop_app, askance.ui.shell.desktop, {_OPENED}
print(sum(name.partition(".")[0] == "psutil" for name in sys.modules))
"""
    assert printed(program) == 0


def test_httpx_comes_without_its_command_line() -> None:
    program = f"""
import sys, {_OPENED}
if "httpx" not in sys.modules: raise SystemExit("httpx is not there at all")
print(sum(name in sys.modules for name in ("click", "pygments", "rich")))
"""
    assert printed(program) == 0
