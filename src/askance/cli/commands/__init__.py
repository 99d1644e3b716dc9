"""What each command does: `commands.asking` is the module of `askance ask`, imported when it is first
asked for. `askance --help` pays for none of them."""

# ruff: noqa: I001 - a name beside its own is for others, and one import is enough for all

from __future__ import annotations

# What a type checker takes for true, without importing `typing`: `askance toggle` comes through here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from askance.cli.commands import (
        asking as asking,
        checking as checking,
        doctor as doctor,
        evaluate as evaluate,
        history as history,
        installation as installation,
        library as library,
        library_adding as library_adding,
        server as server,
        services as services,
        storage as storage,
        toggle as toggle,
    )


def __getattr__(name: str) -> ModuleType:
    from importlib import import_module  # noqa: PLC0415 - as above

    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as exc:
        raise AttributeError(f"no command is done by {name}") from exc
