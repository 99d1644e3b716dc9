"""What is used here of watchfiles, whose own types leave some unknown."""

from asyncio import Event
from collections.abc import AsyncGenerator, Callable
from enum import IntEnum

class Change(IntEnum):
    added = 1
    modified = 2
    deleted = 3

def awatch(
    *paths: str,
    watch_filter: Callable[[Change, str], bool] | None = ...,
    debounce: int = ...,
    step: int = ...,
    stop_event: Event | None = ...,
    rust_timeout: int | None = ...,
    yield_on_timeout: bool = ...,
    ignore_permission_denied: bool | None = ...,
) -> AsyncGenerator[set[tuple[Change, str]]]: ...
