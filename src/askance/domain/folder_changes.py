"""What changes in the folders of the library while they are followed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.domain.library import Folder
from askance.domain.messages import NOTHING, Message


class Became(StrEnum):
    """What became of a file that is followed, or of a folder. Stable codes: other programs read them."""

    NEW = "new"
    CHANGED = "changed"
    MOVED = "moved"
    DELETED = "deleted"
    EXCLUDED = "excluded"
    FAILED = "failed"
    AWAY = "away"
    BACK = "back"


@dataclass(frozen=True, slots=True)
class Followed:
    """A change that the library has followed; `detail` is its reason, or what was left out."""

    path: str
    became: Became
    detail: Message = NOTHING
    rule: str = ""
    moved_from: str = ""


@dataclass(frozen=True, slots=True)
class Listeners:
    """Callbacks: for the folders that are watched, each change, once all is caught up, and troubles.

    Changes are reported in threads.
    """

    watching: Callable[[Sequence[Folder]], None]
    followed: Callable[[Followed], None]
    caught_up: Callable[[], None]
    trouble: Callable[[Message], None]
