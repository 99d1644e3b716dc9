"""What the user is told when the portal gives no hotkey, and what fixes it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from jeepney import DBusErrorResponse

from askance.domain.combination import Combination
from askance.domain.messages import Message
from askance.ports.hotkey import HotkeyTaken, HotkeyUnavailable

_NO_PORTAL = {
    f"org.freedesktop.DBus.Error.{name}"
    for name in ("ServiceUnknown", "NameHasNoOwner", "NoReply", "TimedOut")
}
_STARTING_FAILED = "org.freedesktop.DBus.Error.Spawn."


def is_absence(exc: DBusErrorResponse) -> bool:
    """Whether a call failed for want of a portal."""
    return exc.name in _NO_PORTAL or exc.name.startswith(_STARTING_FAILED)


def _told(exc: DBusErrorResponse) -> str:
    """What the other side says itself, or else the name of its error."""
    match exc.data:
        case (str(text), *_) if text:
            return text
        case _:
            return exc.name


class Words:
    """The errors for one combination. `unregistered` says that the portal did not take our name."""

    def __init__(self, combination: Combination, by_hand: str) -> None:
        self._combination = combination
        self._by_hand = by_hand
        self.unregistered = False

    @contextmanager
    def translated(self) -> Generator[None, None, None]:
        """Turn what goes wrong on the bus into what the user should know."""
        try:
            yield
        except TimeoutError as exc:
            raise HotkeyUnavailable(
                Message("The desktop portal does not answer."), fix=self._by_hand
            ) from exc
        except OSError as exc:
            raise HotkeyUnavailable(
                Message(
                    "The session's message bus does not answer, so the desktop cannot be asked for a "
                    "hotkey."
                ),
                fix=self._by_hand,
            ) from exc
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise HotkeyUnavailable(
                    Message("This desktop has no portal, which a hotkey needs here."),
                    fix=self._by_hand,
                ) from exc
            raise self.refused(_told(exc)) from exc

    def no_shortcuts(self) -> HotkeyUnavailable:
        """The portal has no shortcuts."""
        return HotkeyUnavailable(
            Message("This desktop does not offer hotkeys to programs."), fix=self._by_hand
        )

    def refused(self, reason: str) -> HotkeyUnavailable:
        """The portal said no itself, for a reason in its own words."""
        entry = Message("Run `askance menu`: the portal knows Askance by its entry in the menu.")
        return HotkeyUnavailable(
            Message("The desktop portal refused a hotkey: {problem}.", problem=reason.rstrip(".")),
            fix=Message.joined(entry, self._by_hand) if self.unregistered else self._by_hand,
        )

    def refused_by_user(self) -> HotkeyUnavailable:
        """The user said no."""
        return HotkeyUnavailable(
            Message("The desktop asked whether Askance may use a hotkey, and the answer was no."),
            fix=Message.joined(
                Message("Turn the hotkey on again in the settings to be asked again."),
                self._by_hand,
            ),
        )

    def without_keys(self) -> HotkeyTaken:
        """The portal agreed, but no keys lead to us."""
        return HotkeyTaken(
            Message("The desktop did not assign {keys} to Askance.", keys=self._combination),
            fix=Message(
                "Choose keys for Askance in the desktop's settings for shortcuts, or another "
                "combination here."
            ),
        )

    def taken_back(self) -> HotkeyUnavailable:
        """The session has ended, or the portal."""
        return HotkeyUnavailable(
            Message("The desktop has taken the hotkey back."), fix=self._by_hand
        )
