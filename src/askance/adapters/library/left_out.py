"""What is left out of a file that is read in parts, said once for all of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from askance.domain.messages import Message, Value


def pages_read(detail: Message) -> int | None:
    """Return how many pages, chapters … are read by then, or where the `next` part begins; None at the end."""
    for part in _sentences(detail):
        following = part.values.get("next", part.values.get("pages"))
        if isinstance(following, int):
            return following
    return None


def left_out(details: Iterable[Message]) -> Message:
    """Return what the parts of a file say that they lack; of those but the last, not that more follows."""
    every = [list(_sentences(detail)) for detail in details]
    remarks = [part for parts in every[:-1] for part in parts if "pages" not in part.values]
    remarks += every[-1] if every else []
    together: dict[str, Message] = {}
    for part in remarks:
        before = together.get(part.template)
        together[part.template] = _added(before, part) if before else part
    return Message.joined(*together.values())


def _sentences(detail: Message) -> Iterator[Message]:
    """Yield what a message was joined of."""
    values = list(detail.values.values())
    if values and all(isinstance(value, Message) for value in values):
        for value in values:
            if isinstance(value, Message):
                yield from _sentences(value)
    elif detail:
        yield detail


def _added(first: Message, second: Message) -> Message:
    """Return two messages of one kind as one: their numbers `n` added, their lists joined."""
    values: dict[str, Value] = dict(second.values)
    n, m = first.values.get("n"), second.values.get("n")
    if isinstance(n, int) and isinstance(m, int):
        values["n"] = n + m
    numbers = [str(message.values.get("numbers", "")) for message in (first, second)]
    if all(numbers):
        values["numbers"] = ", ".join(numbers)
    return second.with_values(values)
