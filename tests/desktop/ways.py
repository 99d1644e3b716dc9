"""How a person goes through the program by one means alone: the pointer, or the keyboard."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from desktop.walking import Walker


def says(*words: str) -> str:
    """A pattern that matches what begins with one of these words, in either language."""
    return f"^({'|'.join(words)})"


def row_of(seen: dict[str, Any], words: str) -> list[Any]:
    """The first row of a list or menu whose words match: its words, its place, and whether Enter takes it; [] for none."""
    return next((row for row in seen["rows"] if re.search(words, row[0])), [])


class ByPointer:
    """By the mouse, but for what is typed into fields."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker

    def press(self, button: str, /, *_keys: str) -> None:
        """Press a button, or the keys that do the same."""
        self.walker.click_button(button)

    def choose(self, words: str, *_keys: str) -> None:
        """Take a row of the list or menu that is open, or press the keys that do the same."""
        seen = self.walker.until(lambda seen: row_of(seen, words))
        self.walker.click_in(row_of(seen, words)[1])

    def delete(self, words: str) -> None:
        """Delete what a row stands for."""
        row = row_of(self.walker.until_still(), words)
        self.walker.screen.hands.click(self.walker.at(row[1]), button=3)
        self.choose("^(Delete|Löschen)")

    def go_to_number(self) -> None:
        """Go to the first number of the answer, so that its quote is shown."""
        seen = self.walker.until(lambda seen: seen["markers"])
        self.walker.screen.hands.move(self.walker.at(seen["markers"][0]))

    def open_source(self) -> None:
        """Open the page at that number."""
        self.walker.click_in(self.walker.look()["markers"][0])


class ByKeys:
    """By the keyboard."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker

    def press(self, button: str, /, *keys: str) -> None:
        """Press the keys; without any go back to the button, and press that."""

        def has_focus(seen: dict[str, Any]) -> bool:
            found = re.search(button, seen["focus"])
            if not found:
                self.walker.screen.hands.press("Shift_L", "Tab")
            return bool(found)

        if not keys:
            self.walker.until(has_focus)
        self.walker.screen.hands.press(*(keys or ("Return",)))

    def choose(self, words: str, *keys: str) -> None:
        if not keys:
            self._go_to(words)
        self.walker.screen.hands.press(*(keys or ("Return",)))

    def delete(self, words: str) -> None:
        self._go_to(words)
        self.walker.screen.hands.press("Delete")

    def _go_to(self, words: str) -> None:
        """Go down to a row; the next key is pressed once the one before was heard."""

        def current(seen: dict[str, Any]) -> list[str]:
            return [text for text, _, is_current in seen["rows"] if is_current]

        seen = self.walker.until(lambda seen: row_of(seen, words) and current(seen))
        while not row_of(seen, words)[2]:
            before = current(seen)
            self.walker.screen.hands.press("Down")
            seen = self.walker.until(lambda seen, before=before: current(seen) != before)

    def go_to_number(self) -> None:
        self.walker.screen.hands.press("Alt_L", "Right")

    def open_source(self) -> None:
        self.walker.screen.hands.press("Return")


Way: TypeAlias = ByPointer | ByKeys
