"""An answer as the model writes it, cut where it must be, or the best passages in its place."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import accumulate, groupby

from askance.citations.foreign_markers import round_foreign_markers
from askance.domain.errors import ServiceError
from askance.domain.events import (
    DraftRetracted,
    TokenArrived,
    WarningCode,
)
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.model import Finished, FinishReason, Retracted
from askance.engine.model_session import ModelSession
from askance.engine.progress import RunState
from askance.engine.replies import is_looping
from askance.engine.reply_markup import ReplyMarkup
from askance.extract.markdown import FENCES, code_apart
from askance.text.languages.phrases import reports_nothing_found
from askance.text.languages.recognition import language_of
from askance.text.languages.scripts import CJK_RUN
from askance.text.languages.sentences import ENDS
from askance.text.ranking.scoring import Bm25f, ScoredField
from askance.text.ranking.selection import shingles
from askance.text.ranking.tokens import (
    count_words,
    sentence_spans,
    sentences,
    terms,
    whole_sentences,
    words,
)

# The best passages as they stand, in place of an answer that no model writes.

QUOTED_PASSAGES = 4
QUOTED_CHARS = 420
_CODE, _TABLE = "code", "table"
_RULE_CELL = re.compile(r":?-{2,}:?")


BEST_PASSAGES = Message("These passages fit the question best:")


def quote_passages(
    extracts: Sequence[Extract], sources: Sequence[Source], *, question: str, opening: str
) -> str:
    """Return the passages that fit the question best as Markdown, those of a page below its title.

    What a page tells in sentences is quoted, its tables stay tables; each names its number.
    """
    titles = {s.n: s.title for s in sources}
    pages: dict[int, list[str]] = {}
    for extract in _best(extracts, question):
        quoted = pages.setdefault(extract.n, [])
        quoted += (block for block in _blocks(extract, question) if block not in quoted)
    parts = [str(opening)]
    for n, blocks in pages.items():
        parts += [f"**{round_foreign_markers(titles[n])}**", *blocks]
    return "\n\n".join(parts)


def _best(extracts: Sequence[Extract], question: str) -> list[Extract]:
    """Return the passages that share most with the question, best first; of equals the first."""
    read = [e for e in extracts if e.kind is ExtractKind.PASSAGE] or list(extracts)
    code = language_of(e.text for e in read)
    texts = [{"text": terms(f"{e.heading}\n{e.text}", code)} for e in read]
    scores = Bm25f(texts, {"text": ScoredField()}).scores(terms(question, code))
    order = sorted(range(len(read)), key=lambda i: -scores[i])
    return [read[i] for i in order[:QUOTED_PASSAGES]]


def _blocks(extract: Extract, question: str) -> Iterator[str]:
    """Yield the prose, the tables and the code of a passage as blocks of Markdown, up to its length."""
    room, is_named = QUOTED_CHARS, False
    for kind, group in groupby(_lines(extract.text), key=lambda line: line[0]):
        written = [line for _, line in group]
        lines = [round_foreign_markers(line) for line in written]
        if room <= 0 or not any(line.strip() for line in lines):
            continue
        if kind == _CODE:
            block = _code(written, room)
            block += "" if is_named else f"\n\n[{extract.n}]"
        elif kind == _TABLE:
            block = _table(lines, extract.n, question, room)
        else:
            prose = " ".join(line.strip() for line in lines if line.strip())
            block = f"> {whole_sentences(prose[:room]) or prose[:room]} [{extract.n}]"
        is_named = True
        room -= len(block)
        yield block


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a passage with what they are of; blocks of code are parted by their fences."""
    for is_code, part in code_apart(text):
        if is_code and part.startswith(FENCES):
            yield "", ""
            yield from ((_CODE, line) for line in part.split("\n"))
        else:
            yield from ((_TABLE if line[:1] == "|" else "", line) for line in part.splitlines())


def _code(lines: Sequence[str], room: int) -> str:
    """Return a block of code, of a long one its first lines. No number of a source is read in it."""
    head, *rest = lines
    fence = head[: len(head) - len(head.lstrip(head[0]))]
    if rest and rest[-1].startswith(fence) and not rest[-1].strip(fence[0]):
        rest.pop()
    lengths = accumulate(len(line) + 1 for line in rest)
    lines_left = [
        line for line, length in zip(rest, lengths, strict=True) if length <= room
    ] or rest[:1]
    return "\n".join([head, *lines_left, fence])


def _table(lines: Sequence[str], n: int, question: str, room: int) -> str:
    """Return a table with its head. Of one that is too long, the rows that fit the question best.

    The number stands in the row that fits best.
    """
    head, *rows = [_cells(line) for line in lines]
    rows = [row for row in rows if not all(_RULE_CELL.fullmatch(cell) for cell in row)]
    if not rows:
        head, rows = [""] * len(head), [head]
    code = language_of([" ".join(lines), question])
    asked = set(terms(question, code))
    shared = [len(asked.intersection(terms(" ".join(row), code))) for row in rows]
    by_fit = sorted(range(len(rows)), key=lambda i: -shared[i])
    retained, length = set[int](), 0
    for i in by_fit:
        length += sum(map(len, rows[i]))
        if retained and length > room:
            break
        retained.add(i)
    best = rows[by_fit[0]]
    best[-1] = f"{best[-1]} [{n}]".strip()
    shown = [head, ["---"] * len(head), *(rows[i] for i in sorted(retained))]
    return "\n".join(f"| {' | '.join(row)} |" for row in shown)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


# Writing the answer: streamed, cut where it must be, and parted from what is none.

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
    called and they are shown, otherwise the request is closed at once and nothing was shown.

    An answer that was cut (by time, by length, by a loop, by a broken stream) says so in a warning;
    what was written by then is stored, up to its last whole sentence.

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
