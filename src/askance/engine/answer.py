"""From evidence to answer: written, checked, or shown as passages where no model can write."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import groupby

from askance.citations.checking import Checked, check_citations
from askance.citations.disagreement import find_disagreements
from askance.citations.markers import round_foreign_markers
from askance.config.settings import Settings
from askance.domain.conversation import Outcome
from askance.domain.errors import AskanceError, ServiceError
from askance.domain.events import (
    Answered,
    CitationsChecked,
    SourcesReady,
    TokenArrived,
    WarningCode,
)
from askance.domain.evidence import Extract, ExtractKind, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Phase
from askance.engine.calls import Calls, is_looping
from askance.engine.ledger import Ledger
from askance.engine.progress import Progress
from askance.engine.prompts import LENGTHS, VARIABLES, Prompts
from askance.engine.research import Research
from askance.engine.schedule import Schedule
from askance.languages.phrases import says_nothing_found
from askance.languages.recognition import language_of
from askance.languages.scripts import CJK_RUN
from askance.ports.model import Finished, FinishReason
from askance.ranking.scoring import Bm25f, Field
from askance.ranking.selection import shingles
from askance.ranking.tokens import (
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
    scores = Bm25f(texts, {"text": Field()}).scores(terms(question, code))
    order = sorted(range(len(read)), key=lambda i: -scores[i])
    return [read[i] for i in order[:QUOTED_PASSAGES]]


def _blocks(extract: Extract, question: str) -> Iterator[str]:
    """Yield the prose and the tables of a passage as blocks of Markdown, up to its length."""
    room = QUOTED_CHARS
    for is_table, group in groupby(extract.text.splitlines(), key=lambda line: line[:1] == "|"):
        lines = [round_foreign_markers(line) for line in group]
        if room <= 0 or not any(line.strip() for line in lines):
            continue
        if is_table:
            block = _table(lines, extract.n, question, room)
        else:
            prose = " ".join(line.strip() for line in lines if line.strip())
            block = f"> {whole_sentences(prose[:room]) or prose[:room]} [{extract.n}]"
        room -= len(block)
        yield block


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
    kept, length = set[int](), 0
    for i in by_fit:
        length += sum(map(len, rows[i]))
        if kept and length > room:
            break
        kept.add(i)
    best = rows[by_fit[0]]
    best[-1] = f"{best[-1]} [{n}]".strip()
    shown = [head, ["---"] * len(head), *(rows[i] for i in sorted(kept))]
    return "\n".join(f"| {' | '.join(row)} |" for row in shown)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


SHORTEST_OPENING_WORDS = 4
AT_ITS_LENGTH = Message("at its length limit (answer.max_tokens)")
REPEATED_ITSELF = Message("because the model repeated itself")
# So many words in a row do not agree with the instructions by chance.
ECHO_WORDS = 7


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer as the model wrote it. `looped` says that it lost itself in repetition."""

    text: str
    looped: bool = False


async def write_answer(
    calls: Calls, progress: Progress, evidence: str, task: str, *, temperature: float
) -> Draft:
    """Stream the answer as `TokenArrived` and return it, up to the end of the run's time.

    An answer that was cut (by time, by length, by a loop, by a broken stream) says so in a warning;
    what was written by then is kept, up to its last whole sentence.

    Raises:
        ServiceError, InputError: the model failed before it wrote anything.
    """
    text = ""
    cut = ""
    looped = False
    try:
        async with (
            asyncio.timeout_at(progress.ends_at),
            aclosing(calls.write(evidence, task, temperature=temperature)) as parts,
        ):
            async for part in parts:
                if isinstance(part, Finished):
                    cut = AT_ITS_LENGTH if part.reason is FinishReason.LENGTH else ""
                    continue
                text += part.text
                progress.emit(TokenArrived(part.text))
                if looped := is_looping(text):
                    cut = REPEATED_ITSELF
                    break
    except TimeoutError:
        cut = Message("at the run's time limit (limits.run_timeout_s)")
    except ServiceError as exc:
        if not text.strip():
            raise
        cut = Message("because the model failed: {problem}", problem=exc.problem.clause())
    if cut:
        progress.warn(WarningCode.ANSWER_CUT, Message("The answer was cut {cut}.", cut=cut))
        text = whole_sentences(text)
    return Draft(without_repeats(text) if looped else text.strip(), looped)


def echoes(text: str, instructions: str) -> bool:
    """Say whether an answer repeats its instructions, as models do that are too small for them."""
    return bool(shingles(text, ECHO_WORDS) & shingles(instructions, ECHO_WORDS))


def says_not_found(answer: str) -> bool:
    """Say whether an answer's first full sentence states that nothing was found."""
    opening = next((s for s in sentences(answer) if _is_full(s)), answer)
    return not answer.strip() or says_nothing_found(opening, words(opening))


def _is_full(sentence: str) -> bool:
    has_spaces = not CJK_RUN.search(sentence)
    count = len(sentence.split()) if has_spaces else count_words(sentence)
    return count >= SHORTEST_OPENING_WORDS


def report_nothing(queries: Sequence[str]) -> Message:
    """Return the answer of a run that found nothing: what was tried."""
    tried = ", ".join(f"“{query}”" for query in queries)
    told = Message("Searched for: {queries}.", queries=tried) if tried else NOTHING
    return Message.joined(Message("I could not find anything about this on the web."), told)


def without_repeats(text: str) -> str:
    """Keep each sentence where it stands first."""
    kept = dict.fromkeys(text[start:end] for start, end in sentence_spans(text))
    return " ".join(kept)


def _shown_sources(ledger: Ledger, checked: Checked) -> tuple[Source, ...]:
    """Return what was found for the question, and what the answer cites of the evidence before it."""
    cited = {citation.n for citation in checked.citations}
    entered = {source.n for source in ledger.entered_sources}
    shown = tuple(source for source in ledger.sources if source.n in cited | entered)
    return shown or ledger.sources


# From evidence to answer: written, checked, and told with all that a person should know of it.


class Conclusion:
    """The last phases of a run."""

    def __init__(
        self,
        question: str,
        calls: Calls | None,
        prompts: Prompts,
        settings: Settings,
        progress: Progress,
        schedule: Schedule,
        research: Research,
    ) -> None:
        self._question = question
        self._calls = calls
        self._prompts = prompts
        self._settings = settings
        self._progress = progress
        self._schedule = schedule
        self._research = research
        self._was_late = False

    async def from_evidence(self, *, recalled: bool = False) -> Answered:
        """Answer from the ledger: by the model, or in its stead by the passages themselves.

        `recalled` says that all of it was found earlier in the conversation; so it was where nothing
        has been searched.

        Raises:
            ServiceError: the searches were not heard.
        """
        ledger, progress = self._research.ledger, self._progress
        recalled = recalled or not self._research.searching.asked
        progress.move(Phase.ANSWERING)
        progress.emit(SourcesReady(ledger.sources))
        opening = NOTHING
        if not ledger.extracts:
            self._research.searching.refuse_if_unheard()
            opening = report_nothing(self._research.searching.asked)
            checked, outcome = await self._checked(opening, ledger), Outcome.INSUFFICIENT
        elif checked := await self._written(ledger):
            missing = says_not_found(checked.text)
            if missing and self._schedule.is_short and not checked.citations:
                said = Message.joined(checked.text, BEST_PASSAGES)
                checked = await self._checked(self._quoted(ledger, said), ledger)
            found = Outcome.HISTORY if recalled else Outcome.WEB
            outcome = Outcome.INSUFFICIENT if missing else found
            await self._warn_of_doubts(checked, missing=missing)
        else:
            opening = Message.joined(self._why_no_answer(), BEST_PASSAGES)
            text = self._quoted(ledger, opening)
            checked, outcome = await self._checked(text, ledger), Outcome.PASSAGES_ONLY
        progress.move(Phase.CHECKING)
        rounds = 0 if recalled else self._research.rounds
        return self._answered(checked, outcome, _shown_sources(ledger, checked), rounds, opening)

    async def _written(self, ledger: Ledger) -> Checked | None:
        """The model's answer, checked; None where it gives none that a person could use."""
        if self._calls is None:
            return None
        task = "answer_small" if self._calls.is_small else "answer"
        fresh = self._calls.fresh_tokens(ledger.text, self._told(task))
        if not self._schedule.has_time_to_write(fresh):
            self._was_late = True
            return None
        try:
            draft = await self._write(self._calls, ledger.text, task)
        except AskanceError as exc:
            self._progress.warn(
                WarningCode.MODEL_UNAVAILABLE,
                Message("The answer is missing: {problem}", problem=exc),
            )
            return None
        if not draft.text:
            self._progress.warn(
                WarningCode.MODEL_UNAVAILABLE, Message("The model wrote no answer.")
            )
            return None
        checked = await self._checked(draft.text, ledger)
        supported = any(c.support is Support.SUPPORTED for c in checked.citations)
        lost = draft.looped or (self._calls.is_small and not says_not_found(draft.text))
        if echoes(draft.text, self._prompts.texts[task]) or (lost and not supported):
            self._progress.warn(
                WarningCode.ANSWER_UNUSABLE,
                Message("What the model wrote matches no source. A larger model would do better."),
            )
            return None
        return checked

    async def _checked(self, text: str, ledger: Ledger) -> Checked:
        """Check in a thread: an answer of hundreds of sentences takes longer than a frame."""
        titles = {s.n: s.title for s in ledger.sources}
        urls = [s.url for s in ledger.sources]
        return await asyncio.to_thread(
            check_citations, text, ledger.extracts, titles=titles, urls=urls
        )

    def _quoted(self, ledger: Ledger, opening: str) -> str:
        return quote_passages(
            ledger.extracts, ledger.sources, question=self._question, opening=opening
        )

    def _why_no_answer(self) -> Message:
        if self._calls is None:
            return Message("No language model could be used.")
        if self._was_late:
            return Message("There was no time left for the language model to write.")
        return Message("The language model gave no usable answer.")

    async def _warn_of_doubts(self, checked: Checked, *, missing: bool) -> None:
        """Say where the sources disagree, and where none of them carries the answer."""
        extracts = self._research.ledger.extracts
        found = await asyncio.to_thread(find_disagreements, self._question, extracts)
        if found:
            told = "; ".join(
                ", ".join(f"[{p.n}] says {p.value}" for p in disagreement.positions)
                for disagreement in found
            )
            self._progress.warn(
                WarningCode.SOURCES_DISAGREE, Message("Sources disagree: {told}.", told=told)
            )
        if not missing and not any(c.support is Support.SUPPORTED for c in checked.citations):
            self._progress.warn(
                WarningCode.WEAK_SOURCES,
                Message("No sentence of the answer could be matched to a source without doubt."),
            )

    async def _write(self, calls: Calls, evidence: str, task: str) -> Draft:
        return await write_answer(
            calls,
            self._progress,
            evidence,
            self._told(task),
            temperature=self._settings.llm.temperature,
        )

    def _told(self, task: str) -> str:
        length = self._schedule.length(self._settings.answer.length)
        values = {"length": LENGTHS[length], "question": self._question}
        return self._prompts.render(task, **{name: values[name] for name in VARIABLES[task]})

    def _answered(
        self,
        checked: Checked,
        outcome: Outcome,
        sources: tuple[Source, ...],
        rounds: int,
        opening: Message,
    ) -> Answered:
        progress = self._progress
        progress.emit(
            CitationsChecked(checked.text, checked.citations, checked.added, checked.removed)
        )
        return Answered(
            checked.text,
            sources,
            checked.citations,
            outcome,
            rounds,
            progress.usage,
            progress.warnings,
            progress.elapsed_ms(),
            self._research.public_words(checked.text),
            opening if checked.text.startswith(opening) else NOTHING,
        )
