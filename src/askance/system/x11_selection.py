"""The selection of another program on an X server, replaced as a person does it: by the clipboard and Ctrl+V.

What was in the clipboard is read before and offered again behind it, for as long as nobody copies anything else.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from typing import Any

from Xlib import XK, X, Xatom, error
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import event, rq
from Xlib.xobject.drawable import Window

from askance.system.x11 import GONE, event_of, hand_keyboard_to, hidden_window, is_of

# So long for a window to get the keyboard, for keys to be let go of, and for a program to ask for what is pasted.
PATIENCE_S = 1.5
# A program that has asked for a text may ask for it in another form at once.
_ASKS_AGAIN_S = 0.3
LONGEST_BYTES = 200_000
"""A longer text would have to be handed over in pieces (ICCCM, INCR), which nobody selects to have rewritten."""
_CHANGING = ("Shift_L", "Shift_R", "Control_L", "Control_R", "Alt_L", "Alt_R", "Super_L", "Super_R")
# Where V is on keyboards of PCs, for layouts that have no such letter.
_PLACE_OF_V = 55
_TEXTS = ("UTF8_STRING", "text/plain;charset=utf-8", "text/plain", "STRING", "TEXT")
# These ask the owner to do something, or tell of the exchange itself.
_NO_FORMS = ("TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION")
# Clipboard managers leave out what is marked so: the text only goes through the clipboard.
_HINT = "x-kde-passwordManagerHint"
_Content = Mapping[int, tuple[int, int, Any]]
"""What is offered: for each form its type, the bits of a unit, and the units."""


def is_replaceable(display_name: str) -> bool:
    """Return whether keys can be sent to the window of the program in which something is selected."""
    try:
        with closing(Display(display_name)) as display:
            return _selecting(display) is not None
    except GONE:
        return False


def replace(display_name: str, selected: str, text: str) -> bool:
    """Replace what is selected. See `replacing_selection.replace_selection`."""
    is_taken: Future[bool] = Future()
    # A thread of its own, which offers what was in the clipboard for as long as it is wanted.
    arguments = (display_name, selected, text, is_taken)
    threading.Thread(target=_work, args=arguments, name="clipboard", daemon=True).start()
    return is_taken.result()


def _work(name: str, selected: str, text: str, is_taken: Future[bool]) -> None:
    try:
        with closing(Display(name)) as display:
            display.set_error_handler(_overlook)
            _replace(display, selected, text, is_taken)
    except (*GONE, error.XError):
        pass
    finally:
        if not is_taken.done():
            is_taken.set_result(False)


def _overlook(_problem: error.XError, _request: rq.Request | None) -> None:
    """Say nothing: a window that is gone takes no text, which is seen by that."""


def _selecting(display: Display) -> int | None:
    owner: Any = display.get_selection_owner(Xatom.PRIMARY)
    root = display.screen().root
    listed = root.get_full_property(display.get_atom("_NET_CLIENT_LIST_STACKING"), Xatom.WINDOW)
    if owner == X.NONE or listed is None or not display.has_extension("XTEST"):
        return None
    # The uppermost window of that program: the one that owns the selection is mostly never shown.
    return next((w for w in reversed(listed.value) if is_of(display, w, owner.id)), None)


def _replace(display: Display, selected: str, text: str, is_taken: Future[bool]) -> None:
    target, clipboard = _selecting(display), display.get_atom("CLIPBOARD")
    texts = {display.get_atom(name) for name in _TEXTS}
    utf8 = display.get_atom(_TEXTS[0])
    with hidden_window(display) as window:
        found = _read(display, window, Xatom.PRIMARY, utf8)
        is_same = found is not None and _bare(bytes(found[2]).decode()) == _bare(selected)
        # Something else may have been selected since: that must not be lost.
        if target is None or not is_same or len(text.encode()) > LONGEST_BYTES:
            return
        before = _forms(display, window, clipboard)
        if before is None or not hand_keyboard_to(display, target, PATIENCE_S):
            return
        if not _are_keys_free(display):
            return
        window.set_selection_owner(clipboard, X.CurrentTime)
        _press_paste(display)
        content = {form: (utf8, 8, text.encode()) for form in texts}
        content[display.get_atom(_HINT)] = (utf8, 8, b"secret")
        taken = _offer(display, content, target)
        # Anew, so that whoever looks after the clipboard sees that it is another text.
        if before:
            window.set_selection_owner(clipboard, X.CurrentTime)
            display.sync()
        is_taken.set_result(taken)
        if before:
            _offer(display, before, None)


def _offer(display: Display, content: _Content, target: int | None) -> bool:
    """Hand over what is asked for, and return whether the target has asked; without one until another program copies."""
    is_taken, ends_at = False, time.monotonic() + (math.inf if target is None else PATIENCE_S)
    while (rest := ends_at - time.monotonic()) > 0:
        asked = event_of(display, _is_asked, rest)
        if asked is None or asked.type == X.SelectionClear:
            break
        if (
            _answer(display, asked, content)
            and target
            and is_of(display, asked.requestor.id, target)
        ):
            is_taken, ends_at = True, time.monotonic() + _ASKS_AGAIN_S
    return is_taken


def _is_asked(found: Any) -> bool:
    return found.type in {X.SelectionRequest, X.SelectionClear}


def _answer(display: Display, asked: Any, content: _Content) -> bool:
    place, held = asked.property or asked.target, content.get(asked.target)
    is_text = held is not None
    if asked.target == (targets := display.get_atom("TARGETS")):
        held = (Xatom.ATOM, 32, [targets, *content])
    if held is not None:
        asked.requestor.change_property(place, *held)
    answer = event.SelectionNotify(
        time=asked.time,
        requestor=asked.requestor,
        selection=asked.selection,
        target=asked.target,
        property=X.NONE if held is None else place,
    )
    asked.requestor.send_event(answer)
    display.flush()
    return is_text


def _forms(display: Display, window: Window, clipboard: int) -> _Content | None:
    """Return what stands in the clipboard, in the forms that come in one piece; None if there are but longer ones."""
    if display.get_selection_owner(clipboard) == X.NONE:
        return {}
    listed = _read(display, window, clipboard, display.get_atom("TARGETS"))
    wanted = {*(listed[2] if listed else ())} - {display.get_atom(name) for name in _NO_FORMS}
    found = {form: came for form in wanted if (came := _read(display, window, clipboard, form))}
    return found or None


def _read(
    display: Display, window: Window, selection: int, form: int
) -> tuple[int, int, Any] | None:
    place = display.get_atom("ASKANCE_SELECTION")
    window.convert_selection(selection, form, place, X.CurrentTime)
    answer: Any = event_of(
        display, lambda found: found.type == X.SelectionNotify and found.target == form
    )
    if answer is None or answer.property == X.NONE:
        return None
    came: Any = window.get_full_property(place, X.AnyPropertyType)
    window.delete_property(place)
    is_whole = came and came.property_type != display.get_atom("INCR")
    return (came.property_type, came.format, came.value) if is_whole else None


def _bare(text: str) -> str:
    """Return a text without blanks and what is not seen: quotes are cleaned and cut at their ends."""
    return "".join(char for char in text if char.isprintable() and not char.isspace())


def _are_keys_free(display: Display) -> bool:
    """Wait until no key that changes others is held: with Shift, Ctrl+V is another command."""
    codes = [display.keysym_to_keycode(XK.string_to_keysym(name)) for name in _CHANGING]
    ends_at = time.monotonic() + PATIENCE_S
    while any(display.query_keymap()[code // 8] & 1 << code % 8 for code in codes if code):
        if time.monotonic() > ends_at:
            return False
        # No event tells of keys that go to another program.
        time.sleep(0.02)
    return True


def _press_paste(display: Display) -> None:
    control = display.keysym_to_keycode(XK.XK_Control_L)
    letter = display.keysym_to_keycode(XK.XK_v) or _PLACE_OF_V
    for kind, code in ((X.KeyPress, control), (X.KeyPress, letter), (X.KeyRelease, letter), (X.KeyRelease, control)):  # fmt: skip
        xtest.fake_input(display, kind, code)
    display.sync()
