"""From evidence to answer: written, checked, verified, or shown as passages where no model can write."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, cast

from askance.citations.check.checking import Checked, check_citations, doubts, settled
from askance.citations.check.disagreement import find_disagreements
from askance.config.choices import Verification
from askance.domain.conversation import Outcome
from askance.domain.errors import UNUSABLE_MODEL, AskanceError, PromptTooLong, StorageError
from askance.domain.events import (
    Answered,
    CitationsChecked,
    CitationsVerified,
    SourcesReady,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Phase
from askance.engine.context import RunContext
from askance.engine.evidence_set import EvidenceSet
from askance.engine.model_session import Fields, MalformedReply, ModelSession
from askance.engine.prompts import LENGTHS, VARIABLES, Prompts
from askance.engine.research import Research
from askance.engine.run_progress import log_error
from askance.engine.writing import (
    BEST_PASSAGES,
    WrittenAnswer,
    echoes,
    is_not_found,
    quote_passages,
    report_nothing,
    write_answer,
)

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
    progress, prompts = run.progress, run.prompts
    asked = doubts(checked)[:MOST_SENTENCES]
    if not asked:
        return checked
    named = [doubt.citation for doubt in asked]
    started, written = asyncio.get_running_loop().time(), progress.output_tokens
    fresh = calls.fresh_tokens(evidence, _task(named, prompts))
    # The answer is shown by now: a grade that comes too late would be worth nothing.
    if not run.time_budget.has_time_to_write(fresh):
        return checked
    try:
        async with asyncio.timeout_at(progress.ends_at):
            numbers = await ask_which_are_stated(named, evidence, calls, prompts)
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


def _supported(checked: Checked) -> int:
    return sum(citation.support is Support.SUPPORTED for citation in checked.citations)


async def ask_which_are_stated(
    asked: Sequence[Citation], evidence: str, calls: ModelSession, prompts: Prompts
) -> frozenset[int]:
    """Return which of these sentences, counted from 1, the model says that their sources state.

    Raises:
        MalformedReply, ServiceError, InputError: there is no reply that can be read.
    """
    fields = await calls.ask(
        evidence,
        _task(asked, prompts),
        SCHEMA,
        max_tokens=MAX_TOKENS,
        decided=lambda f: "supported" in f,
    )
    return _read(fields)


def _task(asked: Sequence[Citation], prompts: Prompts) -> str:
    """The task with its sentences, each on a line with its number and that of its source."""
    lines = (
        f"S{n} [{c.n}]: {' '.join(c.sentence.split())[:LONGEST_SENTENCE]}"
        for n, c in enumerate(asked, 1)
    )
    return prompts.render("verify", sentences="\n".join(lines))


def _read(fields: Fields) -> frozenset[int]:
    listed = fields.get("supported")
    numbers = cast("list[object]", listed) if isinstance(listed, list) else []
    return frozenset(n for n in numbers if type(n) is int)


SearchOn = Callable[[], Awaitable[None]]


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

    async def from_evidence(
        self, *, recalled: Outcome | None = None, search_on: SearchOn | None = None
    ) -> Answered:
        """Answer from the evidence: by the model, or in its stead by the passages themselves.

        `recalled` says where it was found without a search; where nothing has been searched, that is
        the conversation.
        `search_on` is called, once, where the model does not find in the evidence what was held to be in
        it; nothing of its answer was shown then, and it writes anew.

        Raises:
            ServiceError: the searches were not answered.
        """
        evidence, progress = self._evidence, self._run.progress
        progress.move(Phase.ANSWERING)
        # With a search in reserve nothing is shown yet: the writer may find nothing, and writes
        # anew then.
        if search_on is None:
            self._begin()
        opening, is_written = NOTHING, False
        is_unfit = not evidence.extracts and await self._research.enter_unread()
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
        self._begin()
        progress.move(Phase.CHECKING)
        progress.emit(
            CitationsChecked(checked.text, checked.citations, checked.added, checked.removed)
        )
        await self._warn_of_parts(checked)
        if is_written:
            checked = await self._verified(checked)
            await self._warn_of_doubts(checked, missing=outcome is Outcome.INSUFFICIENT)
        return Answered(
            checked.text,
            _shown_sources(evidence, checked),
            checked.citations,
            outcome,
            self._research.rounds if self._found_in(recalled) is Outcome.WEB else 0,
            progress.usage,
            progress.warnings,
            progress.elapsed_ms(),
            await self._research.public_words(checked.text),
            opening if checked.text.startswith(opening) else NOTHING,
        )

    def _found_in(self, recalled: Outcome | None) -> Outcome:
        if recalled and not self._has_gone_on:
            return recalled
        return Outcome.WEB if self._research.search_run.asked else Outcome.HISTORY

    def _begin(self) -> None:
        """Tell the sources, before the first word; nothing is searched or read any more."""
        if not self._has_begun:
            self._has_begun = True
            self._research.stop()
            self._run.progress.emit(SourcesReady(self._evidence.sources))

    async def _verified(self, checked: Checked) -> Checked:
        """What the model says of the sentences that the check could not decide; nobody waits for it.

        Where the settings leave it open, they were fitted to the model before: see `question_run.fitted`.
        """
        run = self._run
        if run.calls is None or run.settings.answer.verify is not Verification.ALWAYS:
            return checked
        return await verify(run, run.calls, checked, self._evidence.text)

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
        try:
            draft = await self._write(calls, task, is_held=bool(search_on))
            # Five words tell it, a fifth of a second: the writer is believed over the verdict
            # (decision 24).
            if draft.gave_up and search_on:
                self._has_gone_on = True
                await search_on()
                self._run.progress.move(Phase.ANSWERING)
                self._begin()
                draft = await self._write(calls, task)
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
        # What no source carries may be a small model's memory or its imagination (decision 6).
        supported = _supported(checked)
        lost = draft.looped or (calls.is_small and not is_not_found(draft.text))
        if echoes(draft.text, self._run.prompts.instructions(task)) or (lost and not supported):
            self._run.progress.warn(
                WarningCode.ANSWER_UNUSABLE,
                Message("What the model wrote matches no source. A larger model would do better."),
            )
            return None
        return checked

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
            return Message("No language model could be used.")
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

    async def _warn_of_doubts(self, checked: Checked, *, missing: bool) -> None:
        """Say where the sources disagree, and where none of them carries the answer."""
        question, extracts = self._run.question, self._evidence.extracts
        found = await asyncio.to_thread(find_disagreements, question, extracts)
        if found:
            doubtful = "; ".join(
                ", ".join(f"[{p.n}] says {p.value}" for p in disagreement.positions)
                for disagreement in found
            )
            self._run.progress.warn(
                WarningCode.SOURCES_DISAGREE, Message("Sources disagree: {told}.", told=doubtful)
            )
        # Of an answer that says it found nothing, no sentence can be carried.
        if not missing and not _supported(checked):
            self._run.progress.warn(
                WarningCode.WEAK_SOURCES,
                Message("No sentence of the answer could be matched to a source without doubt."),
            )

    async def _write(
        self, calls: ModelSession, task: str, *, is_held: bool = False
    ) -> WrittenAnswer:
        return await write_answer(
            calls,
            self._run.progress,
            self._evidence.text,
            self._instructions(task),
            temperature=self._run.settings.llm.temperature,
            begin=self._begin if is_held else None,
        )

    def _instructions(self, task: str) -> str:
        length = self._run.time_budget.length(self._run.settings.answer.length)
        values = {"length": LENGTHS[length], "question": self._run.question}
        return self._run.prompts.render(task, **{name: values[name] for name in VARIABLES[task]})


def _shown_sources(evidence: EvidenceSet, checked: Checked) -> tuple[Source, ...]:
    """Return what was found for the question, and what the answer cites of the evidence before it."""
    cited = {citation.n for citation in checked.citations}
    entered = {source.n for source in evidence.entered_sources}
    shown = tuple(source for source in evidence.sources if source.n in cited | entered)
    return shown or evidence.sources
