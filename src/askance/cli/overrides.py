"""Settings given with `--set NAME=VALUE`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askance.config.sources import written_value
from askance.domain.errors import SettingsError


def parse_assignments(assignments: Sequence[str]) -> dict[str, Any]:
    """Return `section.field` with its value for each assignment; a later one wins.

    Raises:
        SettingsError: an assignment has no equals sign, or names no setting.
    """
    overrides: dict[str, Any] = {}
    for assignment in assignments:
        name, equals, text = assignment.partition("=")
        if not equals:
            raise SettingsError(
                f"--set {assignment!r} gives no value.",
                fix="Write it as --set search.max_results=5.",
            )
        overrides[name.strip()] = written_value(name.strip(), text.strip())
    return overrides
