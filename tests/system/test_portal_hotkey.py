"""The hotkey through a portal on a real message bus: asked for in order, and every refusal told."""

from __future__ import annotations

import asyncio
from asyncio import Event
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from jeepney import DBusAddress, new_method_call
from jeepney.io.asyncio import open_dbus_router

from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.ports.hotkey import HotkeyTaken, HotkeyUnavailable, parse_combination
from askance.system.hotkey.portal import SHORTCUTS, PortalHotkey, written_trigger
from askance.system.session_bus import PORTAL_NAME
from servers.message_bus import BusServer, needs_bus, serve_bus
from system.fake_portal import FakePortal, serve_portal
from waiting import PATIENCE_S

pytestmark = needs_bus

SOON_S = PATIENCE_S
APP_ID = "io.example.Askance"
BUS_ITSELF = ("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
CTRL_SPACE = parse_combination("Ctrl+Space")


def hotkey(bus: str, limit_s: float = SOON_S, desktop: str = "sway") -> PortalHotkey:
    environment = {"DBUS_SESSION_BUS_ADDRESS": bus, "XDG_CURRENT_DESKTOP": desktop}
    return PortalHotkey(environment, APP_ID, limit_s=limit_s)


@asynccontextmanager
async def listening(
    bus: str, portal: FakePortal, take: Callable[[str], None] = pytest.fail, desktop: str = "sway"
) -> AsyncIterator[Message]:
    """Have the hotkey through this portal; gives what the desktop says of it."""
    async with (
        asyncio.timeout(SOON_S),
        serve_portal(bus, portal),
        hotkey(bus, desktop=desktop).listening(CTRL_SPACE, take) as note,
    ):
        yield note


async def refused(bus: str, portal: FakePortal, limit_s: float = SOON_S) -> InputError:
    async with asyncio.timeout(SOON_S), serve_portal(bus, portal):
        return await refusal(hotkey(bus, limit_s=limit_s))


async def refusal(listener: PortalHotkey) -> InputError:
    with pytest.raises((HotkeyTaken, HotkeyUnavailable)) as caught:
        async with listener.listening(CTRL_SPACE, pytest.fail):
            pytest.fail("there is nothing to listen to")
    return caught.value


async def test_a_shortcut_is_asked_for_in_order_and_its_presses_are_heard(bus: str) -> None:
    tokens, portal = asyncio.Queue[str](), FakePortal()
    async with listening(bus, portal, tokens.put_nowait):
        await portal.press(activation="let me in")
        assert await tokens.get() == "let me in"
        await portal.press()
        assert await tokens.get() == ""
        await portal.press("another")
        await portal.press(session="/org/freedesktop/portal/desktop/session/x/y")
        await portal.press(activation="last")
        assert await tokens.get() == "last"
    names = [name for name, _ in portal.calls]
    assert names == ["Register", "Get", "CreateSession", "ListShortcuts", "BindShortcuts"]
    assert portal.calls[0][1] == (APP_ID, {})
    assert portal.calls[1][1] == (SHORTCUTS, "version")
    session, shortcuts, parent, _ = portal.calls[4][1]
    assert session == portal.session
    described = ("s", "Show or hide Askance")
    wanted = {"description": described, "preferred_trigger": ("s", "CTRL+space")}
    assert shortcuts == [("toggle", wanted)]
    assert parent == ""


@pytest.mark.parametrize(
    ("written", "trigger"),
    [
        ("Ctrl+Alt+Shift+Super+K", "CTRL+ALT+SHIFT+LOGO+k"),
        ("Super+PageUp", "LOGO+Prior"),
        ("F12", "F12"),
    ],
)
def test_triggers_are_written_as_the_specification_wants_them(written: str, trigger: str) -> None:
    assert written_trigger(parse_combination(written)) == trigger


@pytest.mark.parametrize(
    ("desktop", "binds"), [("KDE", 1), ("Hyprland", 1), ("", 1), ("ubuntu:GNOME", 2)]
)
async def test_keys_are_bound_once_unless_the_desktop_hears_none_that_were_not_bound(
    bus: str, desktop: str, binds: int
) -> None:
    presses = asyncio.Queue[str]()
    async with asyncio.timeout(SOON_S), serve_portal(bus, FakePortal(keys="Meta+A")) as portal:
        for _ in range(2):
            listener = hotkey(bus, desktop=desktop)
            async with listener.listening(CTRL_SPACE, presses.put_nowait) as note:
                await portal.press()
                await presses.get()
                assert "Meta+A" in note
    assert [name for name, _ in portal.calls].count("BindShortcuts") == binds


@pytest.mark.parametrize(
    ("desktop", "place"),
    [
        ("GNOME", "Settings, Apps, Askance, Global Shortcuts"),
        ("KDE", "System Settings, Keyboard, Shortcuts"),
        ("sway", "the settings of your desktop"),
    ],
)
async def test_the_keys_that_the_desktop_gave_are_told_with_the_place_to_change_them(
    bus: str, desktop: str, place: str
) -> None:
    async with listening(bus, FakePortal(keys="Ctrl+Alt+A"), desktop=desktop) as note:
        assert note.values["keys"] == "Ctrl+Alt+A"
        assert note.values["place"] == place


async def test_keys_that_the_user_has_taken_away_are_not_asked_for_again(bus: str) -> None:
    portal = FakePortal(remembers=True, keys="")
    reported = await refused(bus, portal)
    assert type(reported) is HotkeyTaken
    assert "BindShortcuts" not in [name for name, _ in portal.calls]


@pytest.mark.parametrize(
    "portal",
    [FakePortal(has_registry=False), FakePortal(keys=None), FakePortal(keys=None, remembers=True)],
)
async def test_portals_without_a_registry_or_a_description_of_the_keys_will_do(
    bus: str, portal: FakePortal
) -> None:
    tokens = asyncio.Queue[str]()
    async with listening(bus, portal, tokens.put_nowait) as note:
        await portal.press()
        assert await tokens.get() == ""
        assert note == ("" if portal.keys is None else note)


async def test_a_portal_that_lists_no_shortcuts_binds_them(bus: str) -> None:
    portal = FakePortal(lists=False)
    async with listening(bus, portal) as note:
        assert "Ctrl+Space" in note
    assert portal.calls[-1][0] == "BindShortcuts"


@pytest.mark.parametrize(
    ("portal", "kind", "problem", "fix"),
    [
        (
            FakePortal(has_shortcuts=False),
            HotkeyUnavailable,
            "This desktop does not offer hotkeys to programs.",
            "Add this line to the configuration of sway: bindsym Ctrl+space exec askance toggle",
        ),
        (
            FakePortal(knows_entry=False, needs_name=True),
            HotkeyUnavailable,
            "The desktop portal refused a hotkey: An app id is required.",
            "Run `askance menu`",
        ),
        (
            FakePortal(answer=1),
            HotkeyUnavailable,
            "The desktop asked whether Askance may use a hotkey, and the answer was no.",
            "Turn the hotkey on again in the settings to be asked again.",
        ),
        (
            FakePortal(answer=2),
            HotkeyUnavailable,
            "The desktop portal refused a hotkey: it ended the request.",
            "askance toggle",
        ),
        (
            FakePortal(binds=False),
            HotkeyUnavailable,
            "The desktop asked whether Askance may use a hotkey, and the answer was no.",
            "askance toggle",
        ),
        (
            FakePortal(keys=""),
            HotkeyTaken,
            "The desktop did not assign Ctrl+Space to Askance.",
            "Choose keys for Askance in the desktop's settings",
        ),
        (
            FakePortal(leaves_at_bind=True),
            HotkeyUnavailable,
            "The desktop has taken the hotkey back.",
            "askance toggle",
        ),
    ],
)
async def test_every_refusal_is_told_with_its_remedy(
    bus: str, portal: FakePortal, kind: type[InputError], problem: str, fix: str
) -> None:
    reported = await refused(bus, portal)
    assert type(reported) is kind
    assert reported.problem == problem
    assert fix in reported.fix


async def test_the_end_of_a_request_is_told_so_that_it_can_be_translated(bus: str) -> None:
    reported = await refused(bus, FakePortal(answer=2))
    assert isinstance(reported.problem.values["problem"], Message)


async def test_a_bus_without_a_portal_is_told(bus: str) -> None:
    reported = await refusal(hotkey(bus))
    assert (type(reported), reported.problem.values) == (HotkeyUnavailable, {})
    assert "portal" in reported.problem


async def test_the_portal_of_this_desktop_is_never_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = tmp_path / "dbus-1" / "services"
    services.mkdir(parents=True)
    entry = f"[D-BUS Service]\nName={PORTAL_NAME}\nExec=/bin/false\n"
    (services / f"{PORTAL_NAME}.service").write_text(entry, "utf-8")
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path))
    with serve_bus() as server:
        async with asyncio.timeout(SOON_S), open_dbus_router(server.address) as router:
            reported = await router.send_and_get_reply(
                new_method_call(DBusAddress(*BUS_ITSELF), "ListActivatableNames")
            )
            refused = await refusal(hotkey(server.address))
    assert reported.body[0] == ["org.freedesktop.DBus"]
    assert (type(refused), "portal" in refused.problem) == (HotkeyUnavailable, True)


async def test_a_portal_that_says_nothing_is_given_up(bus: str) -> None:
    reported = await refused(bus, FakePortal(silent=True), limit_s=0.05)
    assert "portal" in reported.problem


@pytest.mark.parametrize("named", ["tcp:host=127.0.0.1,port=1", "nonsense", ""])
async def test_a_missing_bus_is_told(named: str, tmp_path: Path) -> None:
    environment = {"DBUS_SESSION_BUS_ADDRESS": named, "XDG_RUNTIME_DIR": str(tmp_path)}
    reported = await refusal(PortalHotkey(environment, APP_ID))
    assert "bus" in reported.problem
    assert (await refusal(PortalHotkey({}, APP_ID))).problem == reported.problem


@asynccontextmanager
async def a_bus_that(answers: bytes | None, folder: Path) -> AsyncIterator[tuple[str, Event]]:
    """A socket that takes what it is sent, and says this to it, nothing (None), or hangs up (b"")."""
    over = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answers is not None:
            await reader.readline()
            writer.write(answers)
        if answers != b"":
            await reader.read()
        writer.close()
        over.set()

    async with await asyncio.start_unix_server(serve, folder / "bus"):
        yield f"unix:path={folder}/bus", over


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        (None, "The desktop portal does not answer."),
        (b"", "The session's message bus does not answer"),
        (b"REJECTED KERBEROS_V4\r\n", "The session's message bus does not answer"),
        (b"x" * 20_000, "The session's message bus does not answer"),
    ],
)
async def test_a_bus_that_lets_nobody_in_is_told_and_left(
    answers: bytes | None, problem: str, tmp_path: Path
) -> None:
    before = asyncio.all_tasks()
    async with asyncio.timeout(SOON_S), a_bus_that(answers, tmp_path) as (bus, over):
        reported = await refusal(hotkey(bus, limit_s=0.05 if answers is None else SOON_S))
        assert reported.problem.startswith(problem)
        await over.wait()
    assert asyncio.all_tasks() == before


async def test_nobody_listens_any_more_once_the_body_is_left(bus: str) -> None:
    before = asyncio.all_tasks()
    tokens: asyncio.Queue[str] = asyncio.Queue()
    async with asyncio.timeout(SOON_S), serve_portal(bus, FakePortal()) as portal:
        async with hotkey(bus).listening(CTRL_SPACE, tokens.put_nowait):
            await portal.press(activation="heard")
            await tokens.get()
        await portal.press(activation="unheard")
    assert tokens.empty()
    assert asyncio.all_tasks() == before


async def test_a_session_that_is_closed_ends_the_body_and_says_so(bus: str) -> None:
    async def outlive(portal: FakePortal) -> None:
        async with hotkey(bus).listening(CTRL_SPACE, pytest.fail):
            await portal.close_session("/org/freedesktop/portal/desktop/session/x/y")
            await portal.close_session()
            await asyncio.Event().wait()

    async with asyncio.timeout(SOON_S), serve_portal(bus, FakePortal()) as portal:
        with pytest.raises(HotkeyUnavailable) as caught:
            await outlive(portal)
    assert "hotkey" in caught.value.problem


@pytest.mark.parametrize("dies", [False, True])
async def test_a_portal_or_a_bus_that_goes_away_ends_the_body_and_says_so(dies: bool) -> None:
    async def outlive(server: BusServer, portal: FakePortal) -> None:
        async with hotkey(server.address).listening(CTRL_SPACE, pytest.fail):
            if dies:
                server.stop()
            else:
                await portal.leave()
            await asyncio.Event().wait()

    with serve_bus() as server:
        async with asyncio.timeout(SOON_S), serve_portal(server.address, FakePortal()) as portal:
            with pytest.raises(HotkeyUnavailable) as caught:
                await outlive(server, portal)
    assert "hotkey" in caught.value.problem


async def test_cancelling_passes_as_it_is(bus: str) -> None:
    async with asyncio.timeout(SOON_S), serve_portal(bus, FakePortal()):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01), hotkey(bus).listening(CTRL_SPACE, pytest.fail):
                await asyncio.Event().wait()
