"""Where this machine has its power from."""

from __future__ import annotations


def is_on_battery() -> bool:
    """Whether this machine runs on a battery; False where that cannot be told."""
    import psutil  # noqa: PLC0415 - a start need not wait for it

    try:
        battery = psutil.sensors_battery()
    except (OSError, RuntimeError):
        return False
    return battery is not None and battery.power_plugged is False
