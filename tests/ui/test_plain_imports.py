"""What is imported after PySide is imported as Python does it."""

from __future__ import annotations

import subprocess
import sys

_WITHOUT = "import PySide6.QtCore, linecache, xml.dom.minidom; print(len(linecache.cache))"
_WITH = f"import askance.ui.shell.plain_imports; {_WITHOUT}"


def sources_read(program: str) -> int:
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)  # noqa: S603
    return int(told.stdout)


def test_no_source_is_read_of_what_is_imported_later() -> None:
    assert sources_read(_WITH) < sources_read(_WITHOUT)
