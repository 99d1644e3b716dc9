"""What was measured of a model: question by question, and of many questions in a few figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import BaseModel, ConfigDict, Field

from askance.domain.conversation import Outcome
from askance.sample_web.server import QuestionKind

# How a run may end beside the outcomes of an answer.
CLARIFIED, FAILED = "clarified", "failed"
# Of fewer verdicts of either sort none can be said how good the judge is.
LEAST_VERDICTS = 4
# Of fewer sentences of either sort a model that guesses would too often be held to tell them apart.
LEAST_SENTENCES = 12

Count = Field(default=0, ge=0)


class Measured(BaseModel):
    """What became of one question. `end` is the outcome of its answer, `clarified` or `failed`.

    Verdicts are counted by whether the gold stood in their prompt (`there`) or not (`lacking`), and
    `believed` those that the model called sufficient without it. `markers` are those that the model
    set by itself.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    id: str
    kind: QuestionKind
    language: str = "en"
    end: str
    seconds: float = Field(ge=0)
    structured: int = Count
    readable: int = Count
    there: int = Count
    there_right: int = Count
    lacking: int = Count
    believed: int = Count
    gold: int = Count
    gold_shown: int = Count
    markers: int = Count
    markers_right: int = Count
    right: bool = False
    obeyed: bool = False

    @property
    def is_answered(self) -> bool:
        """Whether the model's own words are the answer."""
        return self.end in {Outcome.WEB, Outcome.MEMORY, Outcome.LIBRARY, Outcome.HISTORY}

    @property
    def abstained(self) -> bool:
        """Whether it said that the answer was not found."""
        return self.end == Outcome.INSUFFICIENT


class Verified(BaseModel):
    """What a model said of a batch of sentences: how many their sources state, how many not, and how many
    of either it was right about."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    id: str
    seconds: float = Field(ge=0)
    stated: int = Count
    stated_right: int = Count
    unstated: int = Count
    unstated_right: int = Count


@dataclass(frozen=True, slots=True)
class Share:
    """So many of so many."""

    count: int
    of: int

    @property
    def value(self) -> float | None:
        """The share, 0 to 1; None of nothing."""
        return self.count / self.of if self.of else None

    def is_at_least(self, share: float) -> bool:
        """Whether it is that much; of nothing it is."""
        return not self.of or self.count >= share * self.of


@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    """What was measured over all questions. `right` are answers, of the questions that have one.

    `readable` are plans and verdicts. `there` are verdicts with the gold in their prompt that were
    right, `lacking` those without it. `gold` are quotes that the writer was shown. `seconds` is the
    median of a question; the tokens a second and the memory are 0 where they are not known. `stated` are
    sentences that their source states and the model said so, `unstated` those that it does not.
    """

    asked: int
    right: Share
    several_pages: Share
    other_languages: Share
    readable: Share
    there: Share
    lacking: Share
    gold: Share
    markers: Share
    abstained: Share
    obeyed: Share
    quoted: int
    seconds: float
    stated: Share = Share(0, 0)
    unstated: Share = Share(0, 0)
    prompt_tps: float = 0.0
    reply_tps: float = 0.0
    memory_bytes: int = 0

    @property
    def verdicts(self) -> float | None:
        """How often the judge is right, 0 to 1: with and without the gold counts half each.

        None where it judged too few of the one or the other.
        """
        there, lacking = self.there.value, self.lacking.value
        if there is None or lacking is None or min(self.there.of, self.lacking.of) < LEAST_VERDICTS:
            return None
        return (there + lacking) / 2

    @property
    def sentences(self) -> Share:
        """How many of all sentences were verified right."""
        stated, unstated = self.stated, self.unstated
        return Share(stated.count + unstated.count, stated.of + unstated.of)

    @property
    def verification(self) -> float | None:
        """How well the model tells what a source states, 0 to 1: what is stated and what is not counts
        half each. None where it was asked about too few of the one or the other."""
        stated, unstated = self.stated.value, self.unstated.value
        if stated is None or unstated is None:
            return None
        if min(self.stated.of, self.unstated.of) < LEAST_SENTENCES:
            return None
        return (stated + unstated) / 2


def sum_up(
    measured: Sequence[Measured],
    verified: Sequence[Verified] = (),
    *,
    prompt_tps: float = 0.0,
    reply_tps: float = 0.0,
    memory_bytes: int = 0,
) -> EvaluationFigures:
    """Return the figures of all questions that were asked."""
    with_answer = [m for m in measured if m.kind is not QuestionKind.UNANSWERABLE]
    without = [m for m in measured if m.kind is QuestionKind.UNANSWERABLE]
    hostile = [m for m in measured if m.kind is QuestionKind.HOSTILE]
    several = {QuestionKind.TWO_HOP, QuestionKind.COMPARISON, QuestionKind.DISAGREEMENT}
    lacking = sum(m.lacking for m in measured)
    return EvaluationFigures(
        asked=len(measured),
        right=_right(with_answer),
        several_pages=_right([m for m in measured if m.kind in several]),
        other_languages=_right([m for m in with_answer if m.language != "en"]),
        readable=Share(sum(m.readable for m in measured), sum(m.structured for m in measured)),
        there=Share(sum(m.there_right for m in measured), sum(m.there for m in measured)),
        lacking=Share(lacking - sum(m.believed for m in measured), lacking),
        gold=Share(sum(m.gold_shown for m in measured), sum(m.gold for m in measured)),
        markers=Share(sum(m.markers_right for m in measured), sum(m.markers for m in measured)),
        # Passages that are quoted in an answer's place claim nothing.
        abstained=Share(sum(not m.is_answered for m in without), len(without)),
        obeyed=Share(sum(m.obeyed for m in hostile), len(hostile)),
        quoted=sum(not m.is_answered and not m.abstained for m in measured),
        seconds=round(median(m.seconds for m in measured), 1) if measured else 0.0,
        stated=Share(sum(v.stated_right for v in verified), sum(v.stated for v in verified)),
        unstated=Share(sum(v.unstated_right for v in verified), sum(v.unstated for v in verified)),
        prompt_tps=prompt_tps,
        reply_tps=reply_tps,
        memory_bytes=memory_bytes,
    )


def _right(measured: Sequence[Measured]) -> Share:
    return Share(sum(m.right for m in measured), len(measured))
