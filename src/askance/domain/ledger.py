"""What left this machine, as it is stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One request that left this machine. `at` is in UTC; the others are as in `RequestSent`."""

    at: datetime
    occasion: str
    sending: str
    to: str
    through: str
    content: str
