"""What every test of a store starts from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from askance.adapters.storage.database import Database


@pytest.fixture(autouse=True)
def databases_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every database of a test at its end, as newer Pythons ask for."""
    made: list[Database] = []
    really = Database.__init__

    def noted(self: Database, *arguments: object, **named: object) -> None:
        made.append(self)
        really(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "__init__", noted)
    yield
    for database in made:
        database.close()
