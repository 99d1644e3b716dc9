"""Where this machine has its power from."""

from __future__ import annotations

import psutil


def is_on_battery() -> bool:
    """Whether this machine runs on a battery; False where that cannot be told."""
    try:
        battery = psutil.sensors_battery()
    except (OSError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False
