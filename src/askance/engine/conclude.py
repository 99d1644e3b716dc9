"""From evidence to answer: written, checked, and told with all that a person should know of it."""

from __future__ import annotations

from askance.citations.checking import Checked, check_citations
from askance.citations.disagreement import find_disagreements
from askance.config.settings import Settings
from askance.domain.conversation import Outcome
from askance.domain.errors import AskanceError, ServiceNonsense
from askance.domain.events import Answered, CitationsChecked, SourcesReady, WarningCode
from askance.domain.evidence import Source, Support
from askance.domain.phases import Phase
from askance.engine.answer import (
    Draft,
    echoes,
    quote_passages,
    report_nothing,
    says_not_found,
    write_answer,
)
from askance.engine.calls import Calls
from askance.engine.ledger import Ledger
from askance.engine.progress import Progress
from askance.engine.prompts import LENGTHS, VARIABLES, Prompts
from askance.engine.research import Research


class Conclusion:
    """The last phases of a run."""

    def __init__(
        self,
        question: str,
        calls: Calls | None,
        prompts: Prompts,
        settings: Settings,
        progress: Progress,
        research: Research,
    ) -> None:
        self._question = question
        self._calls = calls
        self._prompts = prompts
        self._settings = settings
        self._progress = progress
        self._research = research

    async def from_history(self) -> Answered:
        """Answer from the conversation alone.

        Raises:
            ServiceError, InputError: the model gives no answer, and nothing stands in its stead.
        """
        self._progress.move(Phase.ANSWERING)
        self._progress.emit(SourcesReady(()))
        draft = await self._write(self._calls, "", "recount") if self._calls else None
        if draft is None or not draft.text:
            raise ServiceNonsense("language model", "", "The language model wrote no answer.")
        self._progress.move(Phase.CHECKING)
        return self._answered(check_citations(draft.text, ()), Outcome.HISTORY, (), 0)

    async def from_evidence(self) -> Answered:
        """Answer from the ledger: by the model, or in its stead by the passages themselves."""
        ledger, progress = self._research.ledger, self._progress
        progress.move(Phase.ANSWERING)
        progress.emit(SourcesReady(ledger.sources))
        if not ledger.extracts:
            checked = check_citations(report_nothing(self._research.searching.asked), ())
            outcome = Outcome.INSUFFICIENT
        elif checked := await self._written(ledger):
            missing = says_not_found(checked.text)
            outcome = Outcome.INSUFFICIENT if missing else Outcome.WEB
            self._warn_of_doubts(checked, missing=missing)
        else:
            text = quote_passages(ledger.extracts, ledger.sources, because=self._why_no_answer())
            checked, outcome = self._checked(text, ledger), Outcome.PASSAGES_ONLY
        progress.move(Phase.CHECKING)
        return self._answered(checked, outcome, ledger.sources, self._research.rounds)

    async def _written(self, ledger: Ledger) -> Checked | None:
        """The model's answer, checked; None where it gives none that a person could use."""
        if self._calls is None:
            return None
        task = "answer_small" if self._calls.is_small else "answer"
        try:
            draft = await self._write(self._calls, ledger.text, task)
        except AskanceError as exc:
            self._progress.warn(WarningCode.MODEL_UNAVAILABLE, f"The answer is missing: {exc}")
            return None
        if not draft.text:
            self._progress.warn(WarningCode.MODEL_UNAVAILABLE, "The model wrote no answer.")
            return None
        checked = self._checked(draft.text, ledger)
        supported = any(c.support is Support.SUPPORTED for c in checked.citations)
        lost = draft.looped or (self._calls.is_small and not says_not_found(draft.text))
        if echoes(draft.text, self._prompts.texts[task]) or (lost and not supported):
            self._progress.warn(
                WarningCode.ANSWER_UNUSABLE,
                "What the model wrote could not be matched to any source; a larger one would do"
                " better.",
            )
            return None
        return checked

    def _checked(self, text: str, ledger: Ledger) -> Checked:
        return check_citations(text, ledger.extracts, titles={s.n: s.title for s in ledger.sources})

    def _why_no_answer(self) -> str:
        if self._calls is None:
            return "No language model could be reached."
        return "The language model gave no usable answer."

    def _warn_of_doubts(self, checked: Checked, *, missing: bool) -> None:
        """Say where the sources disagree, and where none of them carries the answer."""
        found = find_disagreements(self._question, self._research.ledger.extracts)
        if found:
            told = "; ".join(
                ", ".join(f"[{p.n}] says {p.value}" for p in disagreement.positions)
                for disagreement in found
            )
            self._progress.warn(WarningCode.SOURCES_DISAGREE, f"Sources disagree: {told}.")
        if not missing and not any(c.support is Support.SUPPORTED for c in checked.citations):
            self._progress.warn(
                WarningCode.WEAK_SOURCES,
                "No sentence of the answer could be matched to a source without doubt.",
            )

    async def _write(self, calls: Calls, evidence: str, task: str) -> Draft:
        values = {"length": LENGTHS[self._settings.answer.length], "question": self._question}
        wanted = {name: values[name] for name in VARIABLES[task]}
        return await write_answer(
            calls,
            self._progress,
            evidence,
            self._prompts.render(task, **wanted),
            temperature=self._settings.llm.temperature,
        )

    def _answered(
        self, checked: Checked, outcome: Outcome, sources: tuple[Source, ...], rounds: int
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
        )
