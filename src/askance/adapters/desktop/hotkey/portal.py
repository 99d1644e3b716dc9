"""The hotkey under Wayland: the desktop's portal for global shortcuts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from askance.adapters.desktop.hotkey.by_hand import bind_by_hand
from askance.adapters.desktop.hotkey.loss import Loss
from askance.adapters.desktop.hotkey.portal_talk import Talk
from askance.adapters.desktop.hotkey.portal_words import Words
from askance.adapters.desktop.session_bus import Bus, open_session_bus
from askance.domain.combination import Combination
from askance.ports.hotkey import Pressed

# A portal that the bus has to start first may take as long as the bus itself waits for it.
LIMIT_S = 25.0


class PortalHotkey:
    """Asks the portal for a combination; the user may be shown a question, or choose other keys.

    `app_id` is the basename of the installed desktop entry, without `.desktop`.
    """

    def __init__(
        self, environment: Mapping[str, str], app_id: str, *, limit_s: float = LIMIT_S
    ) -> None:
        self._environment = environment
        self._app_id = app_id
        self._limit_s = limit_s

    @asynccontextmanager
    async def listening(self, combination: Combination, pressed: Pressed) -> AsyncGenerator[None]:
        """Listen; see `Hotkey.listening`."""
        words = Words(combination, bind_by_hand(combination, self._environment))
        loss = Loss()
        async with self._bus(words) as bus:
            with words.translated():
                talk = Talk(bus, words)
                async with asyncio.timeout(self._limit_s):
                    await talk.introduce(self._app_id)
                    session = await talk.open_session()
                # Here the desktop may ask the user, who may take any time.
                await talk.bind(session, combination)

            async def hear() -> None:
                with suppress(OSError):  # the bus is gone, and the hotkey with it
                    while not talk.is_end(message := await bus.signal(), session):
                        if talk.is_activation(message, session):
                            options: dict[str, tuple[str, Any]] = message.body[3]
                            pressed(str(options.get("activation_token", ("s", ""))[1]))
                loss.tell(words.taken_back())

            async with loss.ends_body(), asyncio.TaskGroup() as group:
                hearing = group.create_task(hear())
                yield
                hearing.cancel()

    @asynccontextmanager
    async def _bus(self, words: Words) -> AsyncGenerator[Bus, None]:
        async with AsyncExitStack() as stack:
            with words.translated():
                async with asyncio.timeout(self._limit_s):
                    bus = await stack.enter_async_context(open_session_bus(self._environment))
            yield bus
