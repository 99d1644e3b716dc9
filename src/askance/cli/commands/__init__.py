"""What each command does, a module each.

`commands.traces` imports a module when it is first used: `askance --help` pays for none of them.
"""

from __future__ import annotations

# As in `toggle`, which has no time for `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from askance.cli.commands import (
        asking,
        cache,
        chatting,
        demo,
        doctor,
        history_view,
        ledger,
        menu,
        own_log,
        reading,
        services,
        settings,
        toggle,
        traces,
    )

__all__ = [
    "asking",
    "cache",
    "chatting",
    "demo",
    "doctor",
    "history_view",
    "ledger",
    "menu",
    "own_log",
    "reading",
    "services",
    "settings",
    "toggle",
    "traces",
]


def __getattr__(name: str) -> ModuleType:
    if name not in __all__:
        raise AttributeError(name)
    from importlib import import_module  # noqa: PLC0415

    return import_module(f"{__name__}.{name}")
