from __future__ import annotations

import pytest

from askance.domain.ports.model import Speed


@pytest.mark.parametrize(
    ("runs_s", "said"),
    [
        ((), 0),
        ((40.0,), 0),
        ((12.4, 13.2), 13),
        ((0.2, 0.3), 1),
        ((38.0, 44.0, 300.0), 45),
        ((61.0, 70.9), 65),
    ],
)
def test_what_to_expect_is_said_from_the_second_run_on_and_as_one_would_say_it(
    runs_s: tuple[float, ...], said: int
) -> None:
    assert Speed(runs_s=runs_s).typical_run_s == said
