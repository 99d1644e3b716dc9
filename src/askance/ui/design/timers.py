"""Timers. Qt properties are set by their setters: as keywords of a constructor they are not found
where the process's locale writes the capital of i as İ (Turkish, Azerbaijani, Tatar)."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer


def single_shot_timer(parent: QObject, interval_ms: int = 0) -> QTimer:
    """Return a timer that fires once after each start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(interval_ms)
    return timer


def repeating_timer(parent: QObject, interval_ms: int) -> QTimer:
    """Return a timer that fires every `interval_ms` once it is started."""
    timer = QTimer(parent)
    timer.setInterval(interval_ms)
    return timer
