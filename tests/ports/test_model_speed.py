from __future__ import annotations

import pytest

from askance.domain.ports.model import Speed, Timing


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


def test_what_is_evaluated_again_is_foreseen_by_prompts_of_about_that_length() -> None:
    speed = Speed()
    for known, new, timing in [
        (0, 900, Timing(900, prompt_tokens=900)),  # nothing was there to be kept
        (1000, 90, Timing(0, prompt_tokens=1090)),  # a server that does not count
        (80, 20, Timing(96, prompt_tokens=96)),  # a short beginning, lost
        (1000, 90, Timing(180, prompt_tokens=1100)),
        (1000, 90, Timing(1090, prompt_tokens=1090)),  # another's prompt came between
        (1200, 90, Timing(190, prompt_tokens=1290)),
    ]:
        speed = speed.with_again(known, new, timing)
    assert [speed.usual_again(known) for known in (50, 90, 1000, 2000)] == [50, 76, 100, 100]
    assert Speed().usual_again(1000) == 0
    assert Speed().saved_share is None
    assert speed.saved_share == pytest.approx(1 - (76 + 90 + 1000 + 100) / 3280)


def test_only_the_last_prompts_tell_what_is_evaluated_again() -> None:
    speed = Speed()
    for again in [900] * 10 + [50] * 12:
        speed = speed.with_again(1000, 100, Timing(100 + again, prompt_tokens=1100))
    assert speed.usual_again() == 50
