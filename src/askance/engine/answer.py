"""From evidence to answer: written, checked, verified, or shown as passages where no model can write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

from askance.citations.check.checking import Checked, check_citations, doubts, settled
from askance.citations.check.contradicting import contradicted_by
from askance.citations.check.disagreement import (
    Answers,
    checked_positions,
    compare_answers,
    joined,
    with_used,
)
from askance.citations.check.entailing import entailed
from askance.citations.markdown.answer_markers import lift_markers, renumbered
from askance.citations.markdown.quoting import quote_passages
from askance.config.choices import Verification
from askance.domain.conversation import Outcome
from askance.domain.errors import (
    UNUSABLE_MODEL,
    AskanceError,
    PromptTooLong,
    ServiceError,
    StorageError,
)
from askance.domain.events import (
    Answered,
    CitationsChecked,
    CitationsVerified,
    DraftRetracted,
    SourcesReady,
    TokenArrived,
    WarningCode,
)
from askance.domain.evidence import Citation, Disagreement, Extract, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Phase
from askance.domain.ports.model import Entailment, Finished, FinishReason, Retracted
from askance.domain.web_pages import day_in
from askance.engine.context import RunContext
from askance.engine.evidence_set import EvidenceSet
from askance.engine.judge import listed_values, sort_positions
from askance.engine.model_replies import (
    FROM_REASONING,
    REPEATED_ITSELF,
    ReplyMarkup,
    is_looping,
    numbers_in,
    why_cut,
    without_repeats,
)
from askance.engine.model_session import MalformedReply, ModelSession
from askance.engine.prompts import LENGTHS, VARIABLES, Prompts
from askance.engine.research import Research
from askance.engine.run_progress import RunState, log_error
from askance.text.caches import forget_texts
from askance.text.languages.scripts import CJK_RUN
from askance.text.languages.sentences import ENDS, reports_nothing_found, sentences
from askance.text.ranking.index_terms import count_words, whole_sentences, words
from askance.text.ranking.intent import asks_for_changing
from askance.text.ranking.scoring import shingles

BEST_PASSAGES = Message("Best passages:")
UNSOURCED = Message("What the model wrote matches no source. A larger model would do better.")
TAKEN_BACK = Message("Asked again, the model misses the answer in the sources, so it is left out.")


SHORTEST_OPENING_WORDS = 4
# So many words tell it: a fifth of a second on a laptop.
OPENING_WORDS = 5
# So many words in a row do not agree with the instructions by chance.
ECHO_WORDS = 7


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """An answer as the model wrote it. `looped` says that it lost itself in repetition, `gave_up` that it was
    left after an opening which says that nothing was found."""

    text: str
    looped: bool = False
    gave_up: bool = False


async def _never() -> bool:
    return False


async def write_answer(
    calls: ModelSession,
    evidence: str,
    task: str,
    *,
    temperature: float,
    begin: Callable[[], None] | None = None,
    is_last: Callable[[], Awaitable[bool]] = _never,
) -> WrittenAnswer:
    """Stream the answer as `TokenArrived` and return it, up to the end of the run's time.

    With `begin` its first words are held back until they tell whether anything was found. If so, or if this
    answer `is_last` all the same, `begin` is called and they are shown; otherwise the request is closed at once
    and nothing was shown.

    An answer that was cut (by time, by length, by a loop, by a broken stream) says so in a warning;
    what was written by then is stored, up to its last whole sentence.

    Raises:
        ServiceError, InputError: the model failed before it wrote a whole sentence.
    """
    text, cut, progress = "", NOTHING, calls.progress
    looped = False
    opening = _AnswerOpening(progress, begin, is_last)
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
                if await opening.gives_up(text, piece):
                    return WrittenAnswer(text, gave_up=True)
                # Up to its length limit it would go on, and a person waits for that.
                if looped := is_looping(text):
                    cut = REPEATED_ITSELF
                    break
    except TimeoutError:
        cut = Message("at the run's time limit (limits.run_timeout_s)")
    except ServiceError as exc:
        # Nothing that could be shown: then the error is the answer.
        if not _has_whole_sentence(text + markup.held):
            raise
        cut = Message("because the model failed: {problem}", problem=exc.problem.clause())
    rest = markup.close()
    text += rest
    if await opening.gives_up(text, rest, is_whole=True):
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

    def __init__(
        self,
        progress: RunState,
        begin: Callable[[], None] | None,
        is_last: Callable[[], Awaitable[bool]],
    ) -> None:
        self._progress = progress
        self._begin = begin
        self._is_last = is_last

    def turn(self, part: Finished | Retracted, text: str) -> tuple[str, Message]:
        """Return what is left of the text, and what cut it."""
        if isinstance(part, Finished):
            if part.is_from_reasoning:
                self._progress.warn(WarningCode.ANSWER_FROM_REASONING, FROM_REASONING)
            # Where only reasoning came, there is no answer that could be cut; the beginning of a sentence is none.
            is_broken = part.reason is FinishReason.OTHER and not _has_whole_sentence(text)
            return "" if is_broken else text, why_cut(part) if text.strip() else NOTHING
        if self._begin is None:
            self._progress.emit(DraftRetracted())
        return "", NOTHING

    async def gives_up(self, text: str, piece: str, *, is_whole: bool = False) -> bool:
        """Take in a piece, the last of `text`, and say whether the opening says that nothing was found, and more
        is to be had."""
        if self._begin is None:
            if piece:
                self._progress.emit(TokenArrived(piece))
            return False
        if not text.strip() or (count_words(text) < OPENING_WORDS and not is_whole):
            return False
        if is_not_found(text) and not await self._is_last():
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
    # The first full one: "Hm." or a heading before it says neither.
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


# Verification by meaning: the model is asked for what the citation check cannot decide.
#
# One call once the answer stands, about all such sentences, behind the prompt that the server
# has in its cache.

# The reply is a list of twelve numbers at the most.
MAX_TOKENS = 60
MOST_SENTENCES = 12
LONGEST_SENTENCE = 300
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "supported": {"type": "array", "items": {"type": "integer"}, "maxItems": MOST_SENTENCES}
    },
    "required": ["supported"],
}


async def verify(run: RunContext, calls: ModelSession, checked: Checked, evidence: str) -> Checked:
    """Return the answer with the grades of what the model finds supported raised.

    Only what the check left open is asked and can be raised: a number or a denial that differs never
    is. Where another source holds more of a sentence it is asked about, too, and the marker moves to
    it if the model finds the sentence there alone. Without time, or without a reply that can be read, all
    stays as it is.
    """
    progress = run.progress
    asked = doubts(checked)[:MOST_SENTENCES]
    if not asked:
        return checked
    named = [doubt.citation for doubt in asked]
    started, written = asyncio.get_running_loop().time(), progress.output_tokens
    fresh = calls.fresh_tokens(evidence, _task(named, calls.prompts))
    # The answer is shown by now: a grade that comes too late would be worth nothing.
    if not run.time_budget.has_time_to_write(fresh):
        return checked
    try:
        async with asyncio.timeout_at(progress.ends_at):
            numbers = await ask_which_are_stated(named, evidence, calls)
    except TimeoutError:
        return checked
    except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
        log_error(exc)
        return checked
    # Numbers that the model made up stand for no doubt.
    answer = settled(checked, [doubt for n, doubt in enumerate(asked, 1) if n in numbers])
    raised = _supported(answer) - _supported(checked)
    cost = fresh + progress.output_tokens - written
    sentences = len({doubt.place for doubt in asked})
    progress.emit(CitationsVerified(sentences, raised, progress.ms_since(started), cost))
    return answer


async def decide_by_entailment(
    run: RunContext, model: Entailment, checked: Checked, extracts: Sequence[Extract]
) -> Checked | None:
    """Return the answer with the grades of what its sources entail raised; None where the model cannot be used.

    As with `verify`, a number or a denial that differs is never asked about. What is not decided in time stays open.
    """
    progress, started = run.progress, asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout_at(progress.ends_at):
            answer, asked = await entailed(checked, extracts, model)
    except TimeoutError:
        return checked
    except AskanceError as exc:
        log_error(exc)
        return None
    if asked:
        raised = _supported(answer) - _supported(checked)
        progress.emit(CitationsVerified(asked, raised, progress.ms_since(started)))
    return answer


def _supported(checked: Checked) -> int:
    return sum(citation.support is Support.SUPPORTED for citation in checked.citations)


async def ask_which_are_stated(
    asked: Sequence[Citation], evidence: str, calls: ModelSession
) -> frozenset[int]:
    """Return which of these sentences, counted from 1, the model says that their sources state.

    Raises:
        MalformedReply, ServiceError, InputError: there is no reply that can be read.
    """
    fields = await calls.ask(
        evidence,
        _task(asked, calls.prompts),
        SCHEMA,
        max_tokens=MAX_TOKENS,
        decided=lambda f: "supported" in f,
    )
    return frozenset(int(n) for n in numbers_in(fields.get("supported")) if n.is_integer())


def _task(asked: Sequence[Citation], prompts: Prompts) -> str:
    """The task with its sentences, each on a line with its number and that of its source."""
    lines = (
        f"S{n} [{c.n}]: {' '.join(c.sentence.split())[:LONGEST_SENTENCE]}"
        for n, c in enumerate(asked, 1)
    )
    return prompts.render("verify", sentences="\n".join(lines))


SearchOn = Callable[[], Awaitable[bool | None]]


class AnswerStage:
    """The last phases of a run."""

    def __init__(
        self, run: RunContext, research: Research, left_out: Callable[[str], Message]
    ) -> None:
        self._run = run
        self._research = research
        self._evidence = research.evidence
        self._left_out = left_out
        self._was_late = self._has_begun = self._has_gone_on = False
        self._disagreements: tuple[Disagreement, ...] = ()
        self._sorted: Answers | None = None

    async def from_evidence(
        self, *, recalled: Outcome | None = None, search_on: SearchOn | None = None
    ) -> Answered:
        """Answer from the evidence: by the model, or in its stead by the passages themselves.

        `recalled` says where it was found without a search; where nothing has been searched, that is
        the conversation.
        `search_on` is called where the model does not find in the evidence what was held to be in it; nothing of
        its answer was shown then, and it writes anew. It returns whether it may be called again.

        Raises:
            ServiceError: the searches were not answered.
        """
        evidence, progress = self._evidence, self._run.progress
        progress.move(Phase.ANSWERING)
        opening, is_written = NOTHING, False
        is_unfit = not evidence.extracts and await self._research.enter_unread()
        # With a search in reserve nothing is shown yet: the writer may find nothing, and writes
        # anew then.
        if search_on is None:
            self._begin()
        if not evidence.extracts:
            in_library = recalled is Outcome.LIBRARY
            if not in_library:
                self._research.search_run.refuse_if_unheard()
            opening = report_nothing(self._research.search_run.asked, in_library=in_library)
            checked, outcome = await self._checked(opening), Outcome.INSUFFICIENT
        elif not is_unfit and (checked := await self._written(search_on)):
            missing = is_not_found(checked.text)
            # On a slow machine the model saw a part only: the passages may still have what it
            # missed.
            if missing and self._run.time_budget.is_short and not checked.citations:
                message = Message.joined(checked.text, BEST_PASSAGES)
                checked = await self._checked(self._quoted(message))
            outcome = Outcome.INSUFFICIENT if missing else self._found_in(recalled)
            is_written = True
        else:
            why = self._why_unread() if is_unfit else self._why_no_answer()
            opening = Message.joined(why, BEST_PASSAGES)
            checked, outcome = await self._checked(self._quoted(opening)), Outcome.PASSAGES_ONLY
            await self._compare(None)
        self._begin()
        progress.move(Phase.CHECKING)
        progress.emit(
            CitationsChecked(checked.text, checked.citations, checked.added, checked.removed)
        )
        await self._warn_of_parts(checked)
        if is_written:
            checked = await self._decided(checked)
            self._warn_of_doubts(checked, missing=outcome is Outcome.INSUFFICIENT)
        checked = _with_pages(checked, evidence)
        as_of = "" if outcome is Outcome.INSUFFICIENT else self._newest_cited(checked)
        if as_of:
            await self._warn_of_newer(checked)
        disagreements = await asyncio.to_thread(with_used, self._disagreements, checked.text)
        sources = await asyncio.to_thread(
            evidence.with_origins, checked.citations, self._research.search_run.offers.values()
        )
        return Answered(
            checked.text,
            _shown_sources(sources, evidence, checked, disagreements),
            checked.citations,
            outcome,
            self._research.rounds if self._found_in(recalled) is Outcome.WEB else 0,
            progress.usage,
            progress.warnings,
            progress.elapsed_ms(),
            await self._research.public_words(checked.text),
            opening if checked.text.startswith(opening) else NOTHING,
            disagreements=disagreements,
            as_of=as_of,
        )

    async def _decided(self, checked: Checked) -> Checked:
        """Return the answer once what words left open is decided, by entailment or else by the model itself."""
        run, evidence = self._run, self._evidence
        if run.entailment is not None:
            found = await decide_by_entailment(run, run.entailment, checked, evidence.extracts)
            if found is not None:
                return found
        # Where the settings leave it open, they were fitted to the model: see `question_run.fitted`.
        if run.settings.answer.verify is Verification.ALWAYS and run.calls:
            return await verify(run, run.calls, checked, evidence.text)
        return checked

    def _found_in(self, recalled: Outcome | None) -> Outcome:
        if recalled and not self._has_gone_on:
            return recalled
        return Outcome.WEB if self._research.search_run.asked else Outcome.HISTORY

    def _begin(self) -> None:
        """Tell the sources, before the first word; nothing is searched or read any more."""
        if not self._has_begun:
            self._has_begun = True
            self._research.stop()
            # The check asks for the words of a few pages, and takes megabytes of its own.
            forget_texts()
            self._run.progress.emit(SourcesReady(self._evidence.sources))

    async def _written(self, search_on: SearchOn | None) -> Checked | None:
        """The model's answer, checked; None where it gives none that a person could use."""
        calls = self._run.calls
        if calls is None:
            return None
        task = "answer_small" if calls.is_small else "answer"
        fresh = calls.fresh_tokens(self._evidence.text, self._instructions(task))
        self._run.time_budget.update()  # the verdicts may have shown that no prefix is cached
        if not self._run.time_budget.has_time_to_write(fresh):
            self._was_late = True
            return None
        await self._compare(calls)
        try:
            draft = await self._write(calls, task, is_held=bool(search_on))
            # Five words tell it, a fifth of a second: the writer is believed over the verdict
            # (decision 24).
            while draft.gave_up and search_on:
                self._has_gone_on = True
                is_open = await search_on()
                if self._run.progress.phase is not Phase.ANSWERING:
                    self._run.progress.move(Phase.ANSWERING)
                if not is_open:
                    self._begin()
                await self._compare(calls)
                draft = await self._write(calls, task, is_held=bool(is_open))
        except AskanceError as exc:
            self._run.progress.warn(
                WarningCode.MODEL_UNAVAILABLE,
                Message("The answer is missing: {problem}", problem=exc),
            )
            return None
        if not draft.text:
            self._run.progress.warn(
                WarningCode.MODEL_UNAVAILABLE, Message("The model wrote no answer.")
            )
            return None
        checked = await self._checked(draft.text)
        if problem := await self._fault(task, draft, checked):
            self._run.progress.warn(WarningCode.ANSWER_UNUSABLE, problem)
            return None
        return checked

    async def _fault(self, task: str, draft: WrittenAnswer, checked: Checked) -> Message:
        """Why an answer is not to be used; empty if it is."""
        is_answer = not is_not_found(draft.text)
        # What no source carries may be a small model's memory or its imagination (decision 6), or the JSON of a verdict.
        is_weak = task == "answer_small" or draft.text.startswith("{")
        is_lost = (draft.looped or (is_answer and is_weak)) and not _supported(checked)
        if is_lost or echoes(draft.text, self._run.prompts.instructions(task)):
            return UNSOURCED
        # Who gave up before, and then answers against its own verdict, may guess (decision 63).
        is_unsure = is_answer and self._has_gone_on
        return TAKEN_BACK if is_unsure and await self._research.is_refuted() else NOTHING

    async def _checked(self, text: str) -> Checked:
        """Check in a thread: an answer of hundreds of sentences takes longer than a frame."""
        evidence = self._evidence
        titles = {s.n: s.title for s in evidence.sources}
        urls = [s.url for s in evidence.sources]
        # Queries say the question in other languages: so sources in those can be compared with it.
        wordings = (self._run.question, *self._research.search_run.asked)
        return await asyncio.to_thread(
            check_citations, text, evidence.extracts, titles=titles, urls=urls, wordings=wordings
        )

    def _quoted(self, opening: str) -> str:
        return quote_passages(
            self._evidence.extracts,
            self._evidence.sources,
            question=self._run.question,
            opening=opening,
        )

    def _why_unread(self) -> Message:
        n = self._run.calls.budget.context_tokens if self._run.calls else 0
        return Message("What was found does not fit into the model's context of {n} tokens.", n=n)

    def _why_no_answer(self) -> Message:
        if self._run.calls is None:
            return Message("No model is available.")
        if self._was_late:
            return Message("There was no time left for the language model to write.")
        return Message("The language model gave no usable answer.")

    async def _warn_of_parts(self, checked: Checked) -> None:
        """Name the files of which the answer cites a part, and the rest could not be read."""
        cited = {citation.n for citation in checked.citations}
        for source in self._evidence.sources:
            if source.n in cited and source.url.startswith("file:"):
                # A note about a file is not worth the answer that it would stand below.
                with suppress(StorageError):
                    if why := await asyncio.to_thread(self._left_out, source.url):
                        message = Message(
                            "{title} was read only in part: {why}", title=source.title, why=why
                        )
                        self._run.progress.warn(WarningCode.READ_IN_PART, message)

    async def _compare(self, calls: ModelSession | None) -> None:
        """Find what the sources answer differently, which the writer is told; sorted by the model where it can be."""
        question, evidence = self._run.question, self._evidence
        extracts, sources = evidence.extracts, evidence.sources
        answers = await asyncio.to_thread(compare_answers, question, extracts, sources)
        # What has entered since may differ in nothing: then it is sorted already.
        if answers == self._sorted:
            return
        self._sorted, found = answers, answers.sure
        if calls and answers.values:
            replied = await sort_positions(self._run, calls, answers.values, evidence)
            if replied is not None:
                compared = (question, replied, extracts, sources)
                found = await asyncio.to_thread(checked_positions, *compared)
        self._disagreements = joined(found, answers.copies)

    def _warn_of_doubts(self, checked: Checked, *, missing: bool) -> None:
        """Say where no source carries the answer."""
        # Of an answer that says it found nothing, no sentence can be carried.
        if not missing and not _supported(checked):
            self._run.progress.warn(
                WarningCode.WEAK_SOURCES,
                Message("No sentence of the answer could be matched to a source without doubt."),
            )

    def _newest_cited(self, checked: Checked) -> str:
        """Return the day of the newest source that carries the answer, where the question asks for what changes."""
        today = self._run.today
        if not asks_for_changing(self._run.question, today.year):
            return ""
        carrying = {c.n for c in checked.citations if c.support is not Support.UNSUPPORTED}
        days = (day_in(s.published, today) for s in self._evidence.sources if s.n in carrying)
        return max(days, default="")

    async def _warn_of_newer(self, checked: Checked) -> None:
        """Say where the newest page that was read contradicts what the answer has from older ones."""
        today, evidence = self._run.today, self._evidence
        read = [(day_in(found.page.published, today), found) for found in evidence.read]
        newest = max((day for day, _ in read), default="")
        day_of = {source.n: day_in(source.published, today) for source in evidence.sources}
        stated: dict[str, str] = {}
        for c in checked.citations:
            if c.support is Support.SUPPORTED:
                sentence = lift_markers(c.sentence, day_of).text
                stated[sentence] = max(stated.get(sentence, ""), day_of[c.n])
        older = [sentence for sentence, day in stated.items() if "" < day < newest]
        for found in (found for day, found in read if day == newest and older):
            if await asyncio.to_thread(contradicted_by, older, found):
                message = Message(
                    "The newest source says otherwise: [{n}] of {day}.",
                    n=evidence.number_of(found.page),
                    day=newest,
                )
                self._run.progress.warn(WarningCode.NEWER_DISAGREES, message)

    async def _write(
        self, calls: ModelSession, task: str, *, is_held: bool = False
    ) -> WrittenAnswer:
        return await write_answer(
            calls,
            self._evidence.text,
            self._instructions(task),
            temperature=self._run.settings.llm.temperature,
            begin=self._begin if is_held else None,
            is_last=self._is_last,
        )

    async def _is_last(self) -> bool:
        """Whether an answer stands that says that nothing was found."""
        if not await self._research.is_at_end():
            return False
        if self._run.progress.phase is not Phase.ANSWERING:
            self._run.progress.move(Phase.ANSWERING)
        return True

    def _differing(self) -> str:
        """What the writer is told of positions; nothing where there are none."""
        positions = (each.positions for each in self._disagreements)
        lines = "\n".join(listed_values([(p.value, p.sources) for p in each]) for each in positions)
        text = f"The sources differ, so say which says what:\n{self._evidence.fenced(lines)}\n"
        return text if lines else ""

    def _instructions(self, task: str) -> str:
        length = self._run.time_budget.length(self._run.settings.answer.length)
        # Only the end of the prompt differs where sources do.
        question = f"{self._differing()}{self._run.question}"
        values = {"length": LENGTHS[length], "question": question}
        return self._run.prompts.render(task, **{name: values[name] for name in VARIABLES[task]})


def _with_pages(checked: Checked, evidence: EvidenceSet) -> Checked:
    """Return an answer whose citations name the page of their quote, where their source has pages."""
    paged = (replace(c, page=evidence.page_of(c.n, c.quote)) for c in checked.citations)
    return replace(checked, citations=tuple(paged))


def _shown_sources(
    known: Sequence[Source],
    evidence: EvidenceSet,
    checked: Checked,
    disagreements: Sequence[Disagreement],
) -> tuple[Source, ...]:
    """Return of all sources those that were found for the question, and what the answer and its table cite of the
    evidence before it."""
    cited = {citation.n for citation in checked.citations}
    cited |= {n for each in disagreements for p in each.positions for n in p.sources}
    entered = {source.n for source in evidence.entered_sources}
    # A list of sources names the page that carries the answer, where it is not the one that entered first.
    pages = {c.n: c.page for c in reversed(checked.citations) if c.page}
    sources = [replace(s, page=pages.get(s.n, s.page)) for s in known]
    shown = [source for source in sources if source.n in cited | entered]
    # A copy of what is not shown is one of the first that is.
    return renumbered(shown or sources, {})
