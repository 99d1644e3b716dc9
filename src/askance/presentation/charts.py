"""What a picture of figures shows: panels with lines or stacked bars over one axis. It is drawn elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from askance.presentation.i18n import spoken, tr

_MOST_TICKS = 5
_STEPS = (1, 2, 2.5, 5, 10)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True)


class ChartForm(StrEnum):
    """How a panel shows its series: bars stand on one another."""

    LINES = "lines"
    BARS = "bars"


class Tick(_Part):
    """A place on an axis, and what is written there."""

    at: float
    label: str


class Series(_Part):
    """Values under one name, one for each place of the panel; None where nothing is known."""

    name: str
    values: tuple[float | None, ...]


class Panel(_Part):
    """One picture of several. The first and the last of `y_ticks` are the ends of its axis."""

    title: str
    form: ChartForm
    x: tuple[float, ...]
    x_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    series: tuple[Series, ...]


class BarGroup(_Part):
    """Bars beside one another, one for each name of the chart: shares of a whole, None where nothing is known."""

    label: str
    shares: tuple[Annotated[float, Field(ge=0, le=1)] | None, ...]


class Chart(_Part):
    """What is drawn: up to four panels, or groups of bars, or where there is neither, why."""

    title: str
    subtitle: str = ""
    panels: tuple[Panel, ...] = ()
    names: tuple[str, ...] = ()
    groups: tuple[BarGroup, ...] = ()


def value_ticks(highest: float) -> tuple[Tick, ...]:
    """Return round numbers from 0 to what holds the highest value."""
    rough = max(highest, 1e-9) / _MOST_TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * n for n in _STEPS if power * n >= rough * (1 - 1e-9))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    if not math.isclose(step * 10**decimals, round(step * 10**decimals)):
        decimals += 1
    count = max(1, math.ceil(highest / step - 1e-9))
    return tuple(
        Tick(at=step * i, label=spoken().number(step * i, decimals)) for i in range(count + 1)
    )


def share_ticks() -> tuple[Tick, ...]:
    """Return the ends of shares, and three between them."""
    return tuple(Tick(at=n / 100, label=tr("{n} %", n=n)) for n in (0, 25, 50, 75, 100))


def highest_of(series: Iterable[Series], form: ChartForm) -> float:
    """Return how high the axis must reach."""
    rows = [[value or 0.0 for value in one.values] for one in series]
    if form is ChartForm.LINES:
        return max((value for row in rows for value in row), default=0.0)
    return max((sum(column) for column in zip(*rows, strict=True)), default=0.0)
