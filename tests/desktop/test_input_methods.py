"""Chinese, Korean and Vietnamese are typed into the real window with fcitx5."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.display import middle
from desktop.input_methods import IS_THERE, desktop_with_fcitx, switch_to
from desktop.test_walk import from_sources_or_memory, pictures
from desktop.walking import Walker, walking
from servers.world import knowing_model
from ui.whole.neighbours import neighbours, welcomed

needs_fcitx = pytest.mark.skipif(
    not IS_THERE,
    reason="no input method: install the packages xvfb, openbox, picom, dbus-daemon, fcitx5, "
    "fcitx5-chinese-addons, fcitx5-hangul and fcitx5-unikey",
)


def compose(walker: Walker, keys: str, shown: str) -> None:
    """Type into an empty field, and see what is composed of it."""
    walker.screen.hands.press("Control_L", "a")
    walker.screen.hands.press("BackSpace")
    walker.until(lambda seen: not seen["typed"] and not seen["composed"])
    walker.screen.hands.type(keys)
    walker.until(lambda seen: seen["composed"] == shown)


@needs_fcitx
@pytest.mark.parametrize(
    ("method", "keys", "composed", "before", "words"),
    [
        ("pinyin", "nihao", "ni hao", "", "你好"),
        ("hangul", "gksrmf", "글", "한", "한글 "),
        ("unikey", "tieengs", "tiếng", "", "tiếng "),
    ],
)
def test_words_are_composed_in_their_place_and_the_keys_that_end_it_do_nothing_else(
    tmp_path: Path, method: str, keys: str, composed: str, before: str, words: str
) -> None:
    home = welcomed(tmp_path / "home")
    with (
        neighbours(knowing_model(answer=[from_sources_or_memory])) as around,
        walking(
            tmp_path,
            around.environment(home, ASKANCE_WINDOW__HOTKEY=""),
            pictures(tmp_path, f"composing-{method}"),
            desktop_with_fcitx,
        ) as walker,
    ):
        hands = walker.screen.hands
        hands.click(middle(walker.until(lambda seen: seen["field"])["field"]))
        walker.until(lambda seen: seen["active"] == "Askance")
        switch_to(walker.screen.environment, method)

        compose(walker, keys, composed)
        assert walker.look()["typed"] == before
        walker.keep("composing")
        hands.press("Escape")
        seen = walker.until(lambda seen: not seen["composed"])
        assert seen["paper"], "Escape closed the window"

        compose(walker, keys, composed)
        hands.press("Return")
        seen = walker.until(lambda seen: not seen["composed"])
        assert not seen["states"], "Return sent what was not finished"

        compose(walker, keys, composed)
        hands.press("space")
        walker.until(lambda seen: seen["typed"] == words)
        walker.keep("committed")
        hands.press("Return")
        walker.until(lambda seen: seen["states"] and not seen["typed"])
