"""What holds for every test of the window."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication


@pytest.fixture(autouse=True)
def empty_clipboard() -> None:
    """Nothing was copied yet: Qt's platform without a screen takes for another program's whatever
    a test before this one has copied."""
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()
