"""Writing the answer: streamed, cut where it must be, and told from what is none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from askance.domain.errors import ServiceError
from askance.domain.events import (
    DraftRetracted,
    TokenArrived,
    WarningCode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import Finished, FinishReason, Retracted
from askance.engine.model_session import ModelSession
from askance.engine.progress import RunState
from askance.engine.replies import is_looping
from askance.engine.reply_markup import ReplyMarkup
from askance.text.languages.phrases import reports_nothing_found
from askance.text.languages.scripts import CJK_RUN
from askance.text.languages.sentences import ENDS
from askance.text.ranking.selection import shingles
from askance.text.ranking.tokens import (
    count_words,
    sentence_spans,
    sentences,
    whole_sentences,
    words,
)

SHORTEST_OPENING_WORDS = 4
# So many words tell it: a fifth of a second on a laptop.
OPENING_WORDS = 5
AT_ITS_LENGTH = Message("at its length limit (answer.max_tokens)")
REPEATED_ITSELF = Message("because the model repeated itself")
# So many words in a row do not agree with the instructions by chance.
ECHO_WORDS = 7


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer as the model wrote it. `looped` says that it lost itself in repetition, `gave_up` that it was
    left after an opening which says that nothing was found."""

    text: str
    looped: bool = False
    gave_up: bool = False


async def write_answer(
    calls: ModelSession,
    progress: RunState,
    evidence: str,
    task: str,
    *,
    temperature: float,
    begin: Callable[[], None] | None = None,
) -> WrittenAnswer:
    """Stream the answer as `TokenArrived` and return it, up to the end of the run's time.

    With `begin` its first words are held back until they tell whether anything was found: if so `begin` is
    called and they are told, otherwise the model is left at once and nothing was told.

    An answer that was cut (by time, by length, by a loop, by a broken stream) says so in a warning;
    what was written by then is kept, up to its last whole sentence.

    Raises:
        ServiceError, InputError: the model failed before it wrote a whole sentence.
    """
    text = ""
    cut = ""
    looped = False
    opening = _AnswerOpening(progress, begin)
    markup = ReplyMarkup()
    try:
        async with (
            asyncio.timeout_at(progress.ends_at),
            aclosing(calls.write(evidence, task, temperature=temperature)) as parts,
        ):
            async for part in parts:
                if isinstance(part, Finished | Retracted):
                    markup = markup if isinstance(part, Finished) else ReplyMarkup()
                    text, cut = opening.turn(part, text)
                    continue
                piece = markup.add(part.text)
                text += piece
                if opening.reports_nothing(text, piece):
                    return WrittenAnswer(text, gave_up=True)
                if looped := is_looping(text):
                    cut = REPEATED_ITSELF
                    break
    except TimeoutError:
        cut = Message("at the run's time limit (limits.run_timeout_s)")
    except ServiceError as exc:
        if not _has_whole_sentence(text + markup.held):
            raise
        cut = Message("because the model failed: {problem}", problem=exc.problem.clause())
    rest = markup.close()
    text += rest
    if opening.reports_nothing(text, rest, is_whole=True):
        return WrittenAnswer(text, gave_up=True)
    if cut:
        progress.warn(WarningCode.ANSWER_CUT, Message("The answer was cut {cut}.", cut=cut))
        text = whole_sentences(text)
    return WrittenAnswer(without_repeats(text) if looped else text.strip(), looped)


def _has_whole_sentence(text: str) -> bool:
    """Say whether a broken-off text has more than the beginning of a sentence."""
    written = text.rstrip()
    return written[-1:] in tuple(ENDS) or len(whole_sentences(written)) < len(written)


class _AnswerOpening:
    """Tells the pieces of an answer, those of its opening once they show that something was found."""

    def __init__(self, progress: RunState, begin: Callable[[], None] | None) -> None:
        self._progress = progress
        self._begin = begin

    def turn(self, part: Finished | Retracted, text: str) -> tuple[str, str]:
        """Return what is left of the text, and what cut it: the end of the model's words, or of its thoughts."""
        if isinstance(part, Finished):
            return text, AT_ITS_LENGTH if part.reason is FinishReason.LENGTH else ""
        if self._begin is None:
            self._progress.emit(DraftRetracted())
        return "", ""

    def reports_nothing(self, text: str, piece: str, *, is_whole: bool = False) -> bool:
        """Take in a piece, the last of `text`, and say whether the opening says that nothing was found."""
        if self._begin is None:
            if piece:
                self._progress.emit(TokenArrived(piece))
            return False
        if not text.strip() or (count_words(text) < OPENING_WORDS and not is_whole):
            return False
        if is_not_found(text):
            return True
        self._begin()
        self._begin = None
        self._progress.emit(TokenArrived(text))
        return False


def echoes(text: str, instructions: str) -> bool:
    """Say whether an answer repeats its instructions, as models do that are too small for them."""
    return bool(shingles(text, ECHO_WORDS) & shingles(instructions, ECHO_WORDS))


def is_not_found(answer: str) -> bool:
    """Say whether an answer's first full sentence states that nothing was found."""
    opening = next((s for s in sentences(answer) if _is_full(s)), answer)
    return not answer.strip() or reports_nothing_found(opening, words(opening))


def _is_full(sentence: str) -> bool:
    has_spaces = not CJK_RUN.search(sentence)
    count = len(sentence.split()) if has_spaces else count_words(sentence)
    return count >= SHORTEST_OPENING_WORDS


def report_nothing(queries: Sequence[str], *, in_library: bool = False) -> Message:
    """Return the answer of a run that found nothing: what was tried."""
    if in_library and not queries:
        return Message("I could not find anything about this in your library.")
    tried = ", ".join(f"“{query}”" for query in queries)
    searched = Message("Searched for: {queries}.", queries=tried) if tried else NOTHING
    return Message.joined(Message("I could not find anything about this on the web."), searched)


def without_repeats(text: str) -> str:
    """Keep each sentence where it stands first."""
    unique = dict.fromkeys(text[start:end] for start, end in sentence_spans(text))
    return " ".join(unique)
