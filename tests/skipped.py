"""What was not run, at the end of a test run: each reason once, with what it would take.

A plugin of pytest. The reasons are told in place of pytest's own list, which has a line for each test.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

_PREFIX = "Skipped: "


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the reasons, the most frequent first."""
    counts, places = Counter[str](), defaultdict[str, set[str]](set)
    for report in terminalreporter.stats.get("skipped", []):
        if not isinstance(report.longrepr, tuple):  # an expected failure, which is told as such
            continue
        file, _, reason = report.longrepr
        reason = reason.removeprefix(_PREFIX)
        counts[reason] += 1
        places[reason].add(Path(file).name)
    if not counts:
        return
    terminalreporter.section("not run here, and what it would take")
    for reason, number in counts.most_common():
        terminalreporter.line(f"{number:4}  {reason} ({', '.join(sorted(places[reason]))})")
