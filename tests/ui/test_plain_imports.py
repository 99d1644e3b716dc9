"""What the window imports comes as Python imports it, and without what nothing here uses."""

from __future__ import annotations

import subprocess
import sys

_WITHOUT = "import PySide6.QtCore, linecache, xml.dom.minidom; print(len(linecache.cache))"
_WITH = f"import askance.ui.shell; {_WITHOUT}"


def printed(program: str) -> int:
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)  # noqa: S603
    return int(told.stdout)


def test_no_source_is_read_of_what_is_imported_later() -> None:
    assert printed(_WITH) < printed(_WITHOUT)


def test_processes_are_looked_at_only_where_somebody_asks() -> None:
    program = """
import sys, askance.ui.shell.app, askance.ui.shell.desktop, askance.wiring
print(sum(name.partition(".")[0] == "psutil" for name in sys.modules))
"""
    assert printed(program) == 0


def test_httpx_comes_without_its_command_line() -> None:
    program = """
import sys, askance.wiring
if "httpx" not in sys.modules: raise SystemExit("httpx is not there at all")
print(sum(name in sys.modules for name in ("click", "pygments", "rich")))
"""
    assert printed(program) == 0
