"""The memory of past conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    ExchangeKey,
    SearchHit,
    TimedEvent,
)


class History(Protocol):
    """Keeps conversations. Its methods block for a bounded time: none is for an event loop.

    Each is whole or has not happened. All of them raise StorageError where the store cannot be
    read or written; what was stored before is untouched then.
    """

    def begin_exchange(
        self, conversation: int | None, command: str, text: str, quote: str = ""
    ) -> ExchangeKey:
        """Keep a question before its run starts.

        Without a conversation, or if that one was deleted meanwhile, a new one begins with it.
        """
        ...

    def finish_exchange(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> bool:
        """Keep the events of a run that has ended, but for its arriving tokens.

        False if the exchange was deleted meanwhile.
        """
        ...

    def note_events(self, key: ExchangeKey, events: Sequence[TimedEvent]) -> None:
        """Keep how far a run is that goes on: all that is there of it if the program is killed."""
        ...

    def drop_exchange(self, key: ExchangeKey) -> None:
        """Forget an exchange, and its conversation too if that has no other."""
        ...

    def conversations(
        self, limit: int, before: ConversationSummary | None = None
    ) -> tuple[ConversationSummary, ...]:
        """Return conversations, last used first; those that follow `before` in this order."""
        ...

    def conversation(self, number: int) -> ConversationRecord | None:
        """Return a whole conversation, or None. What of it cannot be read says so in its place."""
        ...

    def search(self, words: str, limit: int = 50) -> tuple[SearchHit, ...]:
        """Return the exchanges that hold all the words, or words that begin so, best first.

        Words have no syntax. Questions, quotes, answers, titles and sources are searched.
        """
        ...

    def rename(self, number: int, title: str) -> bool:
        """Give a conversation a title; a blank one makes it that of its first question again.

        False if there is no such conversation.
        """
        ...

    def delete(self, number: int) -> bool:
        """Forget a conversation. False if there was none."""
        ...

    def delete_all(self) -> int:
        """Forget all conversations, and return how many there were."""
        ...

    def prune(self, keep_days: int) -> int:
        """Forget the conversations that were not used for so many days, and return how many.

        0 keeps all.
        """
        ...
