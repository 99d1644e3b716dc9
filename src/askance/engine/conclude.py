"""From evidence to answer: written, checked, and told with all that a person should know of it."""

from __future__ import annotations

from askance.citations.checking import check_citations
from askance.config.settings import Settings
from askance.domain.conversation import Outcome
from askance.domain.errors import AskanceError, ServiceNonsense
from askance.domain.events import Answered, CitationsChecked, SourcesReady, WarningCode
from askance.domain.evidence import Extract, Source
from askance.domain.phases import Phase
from askance.engine.answer import (
    quote_passages,
    report_nothing,
    says_not_found,
    write_answer,
)
from askance.engine.calls import Calls
from askance.engine.progress import Progress
from askance.engine.prompts import LENGTHS, Prompts
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
        text = await self._write(self._calls, "", "recount") if self._calls else ""
        if not text:
            raise ServiceNonsense("language model", "", "The language model wrote no answer.")
        self._progress.move(Phase.CHECKING)
        return self._answered(text, Outcome.HISTORY, (), (), 0)

    async def from_evidence(self) -> Answered:
        """Answer from the ledger: by the model, or in its stead by the passages themselves."""
        ledger, progress = self._research.ledger, self._progress
        progress.move(Phase.ANSWERING)
        progress.emit(SourcesReady(ledger.sources))
        if not ledger.extracts:
            text, outcome = report_nothing(self._research.searching.asked, progress.warnings), None
        else:
            text, outcome = await self._written(ledger.text, "answer"), Outcome.WEB
        if not text:
            text = quote_passages(ledger.extracts, ledger.sources)
            outcome = Outcome.PASSAGES_ONLY
        elif outcome is None or says_not_found(text):
            outcome = Outcome.INSUFFICIENT
        progress.move(Phase.CHECKING)
        return self._answered(text, outcome, ledger.sources, ledger.extracts, self._research.rounds)

    async def _written(self, evidence: str, task: str) -> str:
        """The model's answer, or the empty string where it gives none."""
        if self._calls is None:
            return ""
        try:
            text = await self._write(self._calls, evidence, task)
        except AskanceError as exc:
            self._progress.warn(WarningCode.MODEL_UNAVAILABLE, f"The answer is missing: {exc}")
            return ""
        if not text:
            self._progress.warn(WarningCode.MODEL_UNAVAILABLE, "The model wrote no answer.")
        return text

    async def _write(self, calls: Calls, evidence: str, task: str) -> str:
        return await write_answer(
            calls,
            self._progress,
            evidence,
            self._prompts.render(task, length=LENGTHS[self._settings.answer.length]),
            temperature=self._settings.llm.temperature,
        )

    def _answered(
        self,
        text: str,
        outcome: Outcome,
        sources: tuple[Source, ...],
        extracts: tuple[Extract, ...],
        rounds: int,
    ) -> Answered:
        progress = self._progress
        checked = check_citations(text, extracts, titles={s.n: s.title for s in sources})
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
