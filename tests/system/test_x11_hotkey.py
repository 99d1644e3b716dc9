"""The hotkey on a real X server: heard with any lock on, taken by one, followed when keys move."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from itertools import combinations

import pytest
from Xlib import X
from Xlib.display import Display

from askance.domain.messages import Message
from askance.domain.ports.hotkey import HotkeyTaken, HotkeyUnavailable, parse_combination
from askance.system.hotkey.x11_hotkey import Grab, Repeats, X11Hotkey
from system.x_server import Typist, XServer, needs_x, serve_x
from waiting import PATIENCE_S

pytestmark = needs_x

SOON_S = PATIENCE_S
CTRL_SPACE = parse_combination("Ctrl+Space")


@pytest.fixture(scope="module")
def x_server() -> Iterator[XServer]:
    with serve_x() as server:
        yield server


@pytest.fixture
def typist(x_server: XServer) -> Iterator[Typist]:
    made = Typist(x_server)
    yield made
    made.close()


class Presses:
    """Counts presses, and waits for them."""

    def __init__(self) -> None:
        self.tokens: asyncio.Queue[str] = asyncio.Queue()

    def __call__(self, token: str) -> None:
        self.tokens.put_nowait(token)

    async def next(self) -> str:
        async with asyncio.timeout(SOON_S):
            return await self.tokens.get()

    @property
    def unheard(self) -> int:
        return self.tokens.qsize()


def hotkey(server: XServer) -> X11Hotkey:
    return X11Hotkey({"DISPLAY": server.name})


async def test_a_press_is_heard_with_every_lock_on_and_off(
    x_server: XServer, typist: Typist
) -> None:
    presses = Presses()
    async with hotkey(x_server).listening(CTRL_SPACE, presses):
        for number in range(3):
            for locks in combinations(("Caps_Lock", "Num_Lock"), number):
                for lock in locks:
                    typist.press(lock)
                typist.press("Control_L", "space")
                assert await presses.next() == ""
                for lock in locks:
                    typist.press(lock)
    assert presses.unheard == 0


@pytest.mark.parametrize(
    ("written", "near", "keys"),
    [
        ("Alt+Shift+F12", ("Alt_L", "F12"), ("Alt_L", "Shift_L", "F12")),
        ("Super+A", ("Super_L", "Shift_L", "a"), ("Super_R", "a")),
        ("Ctrl+Alt+Slash", ("Control_R", "slash"), ("Control_R", "Alt_L", "slash")),
        ("F9", ("Shift_L", "F9"), ("F9",)),
    ],
)
async def test_other_combinations_are_heard_and_only_they(
    x_server: XServer, typist: Typist, written: str, near: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    presses = Presses()
    async with hotkey(x_server).listening(parse_combination(written), presses):
        for _ in range(2):
            typist.press(*near)
            typist.press(*keys)
            await presses.next()
    assert presses.unheard == 0


async def test_a_combination_of_another_program_is_told_with_its_remedy(
    x_server: XServer, typist: Typist
) -> None:
    assert typist.grab("space", X.ControlMask)
    with pytest.raises(HotkeyTaken) as caught:
        async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
            pytest.fail("the combination is another's")
    assert "Ctrl+Space" in caught.value.problem
    assert "`askance toggle`" in caught.value.fix


async def test_a_second_listener_finds_it_taken_until_the_first_is_gone(x_server: XServer) -> None:
    async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
        with pytest.raises(HotkeyTaken):
            async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
                pytest.fail("the combination is another's")
    async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
        pass


async def test_one_that_is_taken_with_num_lock_only_is_taken_and_nothing_of_it_is_kept(
    x_server: XServer, typist: Typist
) -> None:
    assert typist.grab("space", X.ControlMask | X.Mod2Mask)
    with pytest.raises(HotkeyTaken):
        async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
            pytest.fail("the combination is another's")
    typist.close()
    typist.display = Typist(x_server).display
    async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
        pass


async def test_a_key_that_moves_on_the_keyboard_is_followed(
    x_server: XServer, typist: Typist
) -> None:
    presses = Presses()
    async with hotkey(x_server).listening(parse_combination("Ctrl+Q"), presses):
        assert not typist.grab("q", X.ControlMask)
        typist.move_key("q", to="x")
        try:
            async with asyncio.timeout(SOON_S):
                while not presses.unheard:
                    typist.press("Control_L", "q")
                    await asyncio.sleep(0)
            assert not typist.grab("q", X.ControlMask)
            # The key that it was is free.
            assert typist.grab("x", X.ControlMask)
        finally:
            typist.move_key("q", to="x")


async def test_a_changed_keyboard_that_has_the_key_where_it_was_costs_no_press(
    x_server: XServer, typist: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    display = Display(x_server.name)
    grab = Grab(display, parse_combination("Ctrl+Q"), Presses(), Message(""))
    grab.take()
    changes, freed = list[object](), list[object]()
    refresh = display.refresh_keyboard_mapping
    monkeypatch.setattr(
        display, "refresh_keyboard_mapping", lambda it: (refresh(it), changes.append(it))
    )
    monkeypatch.setattr(grab._root, "ungrab_key", lambda *given: freed.append(given))
    typist.move_key("a", to="b")
    try:
        async with asyncio.timeout(SOON_S):
            while not changes:
                grab.read_events()
                await asyncio.sleep(0)
        grab.read_events()
        assert not freed
    finally:
        typist.move_key("a", to="b")
        display.close()


# The library drops the socket that found no server without closing it.
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("environment", [{"DISPLAY": "unix/:4242"}, {"DISPLAY": "nonsense"}, {}])
async def test_an_unreachable_display_is_told_with_its_remedy(environment: dict[str, str]) -> None:
    with pytest.raises(HotkeyUnavailable) as caught:
        async with X11Hotkey(environment).listening(CTRL_SPACE, Presses()):
            pytest.fail("there is no such display")
    gc.collect()
    assert "`askance toggle`" in caught.value.fix


async def test_a_display_that_dies_ends_the_body_and_says_so() -> None:
    async def outlive(server: XServer) -> None:
        async with asyncio.timeout(SOON_S), hotkey(server).listening(CTRL_SPACE, Presses()):
            server.stop()
            await asyncio.Event().wait()

    with serve_x() as server, pytest.raises(HotkeyUnavailable) as caught:
        await outlive(server)
    assert "X display" in caught.value.problem


async def test_what_goes_wrong_in_the_body_and_cancelling_pass_as_they_are(
    x_server: XServer,
) -> None:
    with pytest.raises(OSError, match="of the body"):
        async with hotkey(x_server).listening(CTRL_SPACE, Presses()):
            raise OSError("of the body")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), hotkey(x_server).listening(CTRL_SPACE, Presses()):
            await asyncio.Event().wait()


def test_a_held_key_is_one_press() -> None:
    repeats = Repeats()
    assert repeats.is_new(100)
    repeats.released(600)
    assert not repeats.is_new(600)
    repeats.released(640)
    assert not repeats.is_new(640)
    repeats.released(655)
    assert repeats.is_new(800)
