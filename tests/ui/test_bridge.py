"""Runs beside the window: their events cross in order, late ones are known, and closing is quick."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from askance.domain.errors import ServiceDown, SettingsError
from askance.domain.events import Cancelled, Failed, TokenArrived, Warned, WarningCode
from askance.domain.messages import Message
from askance.ui.bridge import Bridge, Emit, PendingCalls, Timed
from waiting import until


class SignalLog(QObject):
    """What a window heard, in order."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge)
        self.bundles: list[tuple[int, tuple[Any, ...]]] = []
        bridge.happened.connect(self.take)

    def take(self, number: int, bundle: Any) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.bundles.append((number, tuple(event for _, event in bundle)))

    def events(self, number: int) -> list[Any]:
        return [event for run, bundle in self.bundles if run == number for event in bundle]

    def ended(self, number: int) -> Callable[[], bool]:
        return lambda: any(isinstance(e, (Failed, Cancelled)) for e in self.events(number))


def opener(parts: Any = "the parts", closed: list[Any] | None = None) -> Any:
    @asynccontextmanager
    async def open_parts() -> AsyncIterator[Any]:
        if isinstance(parts, Exception):
            raise parts
        yield parts
        if closed is not None:
            closed.append(parts)

    return open_parts


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Bridge]:
    with started(opener()) as made:
        yield made


@pytest.fixture
def received(bridge: Bridge) -> SignalLog:
    return SignalLog(bridge)


@contextmanager
def started(open_parts: Any) -> Iterator[Bridge]:
    """A bridge with parts of its own."""
    made = Bridge(open_parts)
    made.start()
    try:
        yield made
    finally:
        assert made.close()


async def see(parts: Any) -> Any:
    return parts


async def forever(parts: Any, emit: Emit) -> None:
    emit(Warned(WarningCode.NO_PROGRESS, Message("begun")))
    await asyncio.Event().wait()


def test_events_cross_in_their_order_and_tokens_in_bundles(
    bridge: Bridge, received: SignalLog, qtbot: QtBot
) -> None:
    async def talk(parts: Any, emit: Emit) -> None:
        assert parts == "the parts"
        for word in ("a", "b", "c"):
            emit(TokenArrived(word))
        emit(Failed(Message("no more")))
        emit(TokenArrived("too late"))

    number = bridge.run(talk, tuple)
    qtbot.waitUntil(received.ended(number))
    assert received.bundles == [
        (
            number,
            (TokenArrived("a"), TokenArrived("b"), TokenArrived("c"), Failed(Message("no more"))),
        )
    ]


def test_what_crosses_is_what_the_engines_thread_made_of_the_events(
    bridge: Bridge, received: SignalLog, qtbot: QtBot
) -> None:
    texts: list[str] = []

    def fold(bundle: tuple[Timed, ...]) -> tuple[tuple[float, Any], ...]:
        texts.extend(event.message for _, event in bundle if isinstance(event, Warned))
        return ((0.0, (threading.current_thread().name, *texts)),)

    async def talk(parts: Any, emit: Emit) -> None:
        emit(Warned(WarningCode.NO_PROGRESS, Message("so")))
        emit(Warned(WarningCode.NO_PROGRESS, Message("far")))

    number = bridge.run(talk, fold)
    qtbot.waitUntil(lambda: len(received.bundles) == 2)
    assert received.events(number) == [("engine", "so"), ("engine", "so", "far")]


def test_tokens_come_without_waiting_for_another_event(
    bridge: Bridge, received: SignalLog, qtbot: QtBot
) -> None:
    async def talk(parts: Any, emit: Emit) -> None:
        emit(TokenArrived("a"))
        await asyncio.Event().wait()

    number = bridge.run(talk, tuple)
    qtbot.waitUntil(lambda: received.events(number) == [TokenArrived("a")])


def test_a_stopped_run_ends_cancelled_and_leaves_the_next_one_alone(
    bridge: Bridge, received: SignalLog, qtbot: QtBot
) -> None:
    first, second = bridge.run(forever, tuple), bridge.run(forever, tuple)
    qtbot.waitUntil(lambda: len(received.bundles) == 2)
    bridge.stop(first)
    bridge.stop(first)
    qtbot.waitUntil(received.ended(first))
    assert received.events(first)[-1] == Cancelled()
    assert not received.ended(second)()


def test_a_run_that_fails_says_why(bridge: Bridge, received: SignalLog, qtbot: QtBot) -> None:
    async def fail(parts: Any, emit: Emit) -> None:
        raise ServiceDown("Ollama", "http://127.0.0.1:1", "It is gone.", fix="Start it.")

    async def break_down(parts: Any, emit: Emit) -> None:
        raise ZeroDivisionError("oh")

    numbers = [bridge.run(fail, tuple), bridge.run(break_down, tuple)]
    for number in numbers:
        qtbot.waitUntil(received.ended(number))
    assert received.events(numbers[0]) == [
        Failed(
            Message("It is gone."),
            Message("Start it."),
            "Ollama",
            "http://127.0.0.1:1",
            kind="ServiceDown",
        )
    ]
    (bug,) = received.events(numbers[1])
    assert "ZeroDivisionError" in bug.problem


def test_parts_that_cannot_be_opened_fail_runs_until_others_are_given(qtbot: QtBot) -> None:
    with started(opener(SettingsError("Bad.", fix="Mend it."))) as bridge:
        received = SignalLog(bridge)
        number = bridge.run(forever, tuple)
        qtbot.waitUntil(received.ended(number))
        bad = Failed(Message("Bad."), Message("Mend it."), kind="SettingsError")
        assert received.events(number) == [bad]
        bridge.reopen(opener("others"))
        results: list[Any] = []

        bridge.call(see, results.append)
        qtbot.waitUntil(lambda: results == ["others"])


def test_new_parts_wait_for_the_work_on_the_old_ones(qtbot: QtBot) -> None:
    closed: list[Any] = []
    with started(opener("old", closed)) as bridge:
        received = SignalLog(bridge)
        number = bridge.run(forever, tuple)
        qtbot.waitUntil(lambda: len(received.bundles) == 1)
        bridge.reopen(opener("new"))
        results: list[Any] = []

        async def see(parts: Any) -> Any:
            return parts, list(closed)

        bridge.call(see, results.append)
        assert not results
        bridge.stop(number)
        qtbot.waitUntil(lambda: results == [("new", ["old"])])


def test_work_that_waited_for_parts_never_gets_those_that_were_exchanged(qtbot: QtBot) -> None:
    results: list[Any] = []

    @asynccontextmanager
    async def exchanged_in_the_moment_they_are_there() -> AsyncIterator[Any]:
        # The thread may come here before `started` has returned.
        await until(lambda: begun and begun[0]._thread._waiting)
        await asyncio.sleep(0)
        begun[0].reopen(opener("new"))
        yield "old"

    begun: list[Bridge] = []
    with started(exchanged_in_the_moment_they_are_there) as bridge:
        begun.append(bridge)
        bridge.call(see, results.append)
        qtbot.waitUntil(lambda: results == ["new"])


def test_after_the_end_nothing_is_begun(qtbot: QtBot) -> None:
    bridge = Bridge(opener())
    bridge.start()
    assert bridge.close()
    results: list[Any] = []

    bridge.call(see, results.append)()
    bridge.reopen(opener())
    bridge.run(forever, tuple)
    assert bridge.close()
    assert not results


def test_a_call_brings_its_result_or_its_error_and_can_be_given_up(
    bridge: Bridge, qtbot: QtBot
) -> None:
    results: list[Any] = []
    gate = threading.Event()

    async def fail(parts: Any) -> Any:
        raise SettingsError("Bad.")

    async def hold(parts: Any) -> Any:
        gate.set()
        await asyncio.Event().wait()

    bridge.call(hold, results.append)()
    bridge.call(fail, results.append)
    qtbot.waitUntil(lambda: len(results) == 1)
    assert isinstance(results[0], SettingsError)


def test_what_blocks_is_done_in_a_thread_of_its_own(bridge: Bridge, qtbot: QtBot) -> None:
    results: list[Any] = []
    calls = PendingCalls(bridge, QObject(bridge))

    def block() -> str:
        return threading.current_thread().name

    def fail() -> str:
        raise SettingsError("Bad.")

    calls.in_thread("block", block, results.append)
    qtbot.waitUntil(lambda: len(results) == 1)
    calls.in_thread("fail", fail, results.append)
    qtbot.waitUntil(lambda: len(results) == 2)
    assert results[0] not in {"engine", threading.main_thread().name}
    assert isinstance(results[1], SettingsError)


def test_closing_in_the_middle_of_work_leaves_no_thread(qtbot: QtBot) -> None:
    closed: list[Any] = []
    bridge = Bridge(opener("parts", closed))
    bridge.start()
    received = SignalLog(bridge)
    number = bridge.run(forever, tuple)
    qtbot.waitUntil(lambda: len(received.events(number)) == 1)
    assert bridge.close(within_s=1.0)
    assert closed == ["parts"]
    assert all(thread.name != "engine" for thread in threading.enumerate())


@pytest.mark.skipif(
    sys.version_info >= (3, 12),
    reason="True is immortal: its count says nothing, run it on Python 3.11",
)
def test_a_thousand_signals_leave_the_count_of_true_alone(
    bridge: Bridge, received: SignalLog, qtbot: QtBot
) -> None:
    before = sys.getrefcount(True)
    for i in range(1000):
        bridge.happened.emit(i, ((0.0, True),))
    qtbot.waitUntil(lambda: len(received.bundles) == 1000)
    received.bundles.clear()
    # Other tests leave some that are collected meanwhile; a lost count would be one a signal.
    assert abs(sys.getrefcount(True) - before) < 500


def test_parts_that_are_exchanged_twice_while_the_old_ones_close_leave_nobody_waiting(
    qtbot: QtBot,
) -> None:
    may_close = threading.Event()

    @asynccontextmanager
    async def slow_to_close() -> AsyncIterator[str]:
        yield "first"
        await asyncio.to_thread(may_close.wait, 30)

    with started(slow_to_close) as bridge:
        found: list[Any] = []
        bridge.call(see, found.append)
        qtbot.waitUntil(lambda: found == ["first"])
        bridge.reopen(opener("second"))
        bridge.call(see, found.append)
        bridge.reopen(opener("third"))
        may_close.set()
        qtbot.waitUntil(lambda: found == ["first", "third"])
