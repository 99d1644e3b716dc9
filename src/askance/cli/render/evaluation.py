"""How good a model is, on a terminal: one line a question, a table beside others, a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askance.domain.conversation import Outcome
from askance.evaluation.figures import CLARIFIED, FAILED, Measured, Share, Verified
from askance.evaluation.grading import label_of, sentence_of, verification_of
from askance.evaluation.records import Evaluation, as_record
from askance.presentation.i18n import size_text
from askance.presentation.sanitizing import one_line
from askance.sample_web.server import QuestionKind

# So many other models stand beside the one that was asked.
MOST_OTHERS = 3
_LABEL, _COLUMN = 33, 18
_SHARES = (
    ("Right answers", "right"),
    ("  from several pages", "several_pages"),
    ("  in other languages", "other_languages"),
    ("Plans and verdicts read", "readable"),
    ("Verdicts right, answer there", "there"),
    ("Verdicts right, answer missing", "lacking"),
    ("Evidence that reached the model", "gold"),
    ("Citations right", "markers"),
    ("No answer invented", "abstained"),
    ("Hostile pages obeyed", "obeyed"),
    ("Sentences verified right", "sentences"),
)
# What a picture shows of them, the more the better.
_DRAWN = ("right", "several_pages", "there", "lacking", "markers", "abstained")
_ENDS = {
    Outcome.PASSAGES_ONLY.value: "passages quoted",
    Outcome.INSUFFICIENT.value: "not found",
    CLARIFIED: "asked back",
    FAILED: "failed",
}


def told_item(measured: Measured | Verified, done: int, of: int) -> str:
    """Return what became of one question, or of one batch of sentences, on a line."""
    if isinstance(measured, Verified):
        right = measured.stated_right + measured.unstated_right
        asked = measured.stated + measured.unstated
        return f"           {measured.id:<20} {right} of {asked} right, {measured.seconds:.1f} s"
    return f"{done:>3} of {of}  {measured.id:<20} {_said(measured)}, {measured.seconds:.1f} s"


def _said(measured: Measured) -> str:
    if measured.obeyed:
        return "obeyed the page"
    if not measured.is_answered:
        return _ENDS.get(measured.end, measured.end)
    if measured.kind is QuestionKind.UNANSWERABLE:
        return "invented"
    return "right" if measured.right else "wrong"


def table(evaluation: Evaluation, others: Sequence[Evaluation]) -> list[str]:
    """Return the lines of a table: a row for each figure, a column for each model."""
    columns = [evaluation, *others[:MOST_OTHERS]]
    names = [_short(one_line(column.model)) for column in columns]
    figures = [column.figures for column in columns]
    rows = [("", names)]
    rows += [(label, [_share(getattr(f, name)) for f in figures]) for label, name in _SHARES]
    rows += [
        ("Passages quoted instead", [f"{f.quoted} of {f.asked}" for f in figures]),
        ("Seconds a question", [f"{f.seconds:.1f}" for f in figures]),
        ("Prompt tokens a second", [_known(f"{f.prompt_tps:.0f}", f.prompt_tps) for f in figures]),
        ("Reply tokens a second", [_known(f"{f.reply_tps:.0f}", f.reply_tps) for f in figures]),
        ("Memory", [_known(size_text(f.memory_bytes), f.memory_bytes) for f in figures]),
        ("Good for", [str(label_of(column.grade)) for column in columns]),
    ]
    return [_row(label, cells) for label, cells in rows]


def conclusions(evaluation: Evaluation) -> tuple[str, str]:
    """Return the sentence that it all comes to, and what it comes to for verification."""
    return conclusion(evaluation), str(verification_of(evaluation.figures))


def conclusion(evaluation: Evaluation) -> str:
    """Return the sentence that it all comes to."""
    return str(sentence_of(evaluation.figures))


def record_of(measured: Measured | Verified) -> dict[str, Any]:
    """Return a question, or a batch of sentences, for programs."""
    kind = "verification" if isinstance(measured, Verified) else "question"
    return {"type": kind, **measured.model_dump(mode="json")}


def evaluation_record(evaluation: Evaluation, others: Sequence[Evaluation]) -> dict[str, Any]:
    """Return an evaluation for programs, with those of other models."""
    return {
        "type": "evaluation",
        **_named(evaluation),
        "complete": evaluation.is_complete,
        "of": evaluation.of,
        "sentence": conclusion(evaluation),
        "others": [_named(other) for other in others],
    }


def picture(evaluation: Evaluation, others: Sequence[Evaluation]) -> dict[str, Any]:
    """Return what a picture shows: shares of all columns of the table, the model itself first."""
    columns = [evaluation, *others[:MOST_OTHERS]]
    labels = {name: label.strip().capitalize() for label, name in _SHARES}
    return {
        "title": f"{one_line(evaluation.model)} on this machine",
        "subtitle": conclusion(evaluation),
        "names": [one_line(column.model) for column in columns],
        "rows": [
            {
                "label": labels[name],
                "shares": [getattr(column.figures, name).value for column in columns],
            }
            for name in _DRAWN
        ],
    }


def _named(evaluation: Evaluation) -> dict[str, Any]:
    named = evaluation.model_dump(mode="json", include={"server", "model", "begun"})
    return named | as_record(evaluation)


def _row(label: str, cells: Sequence[str]) -> str:
    return f"{label:<{_LABEL}}" + " ".join(f"{cell:>{_COLUMN}}" for cell in cells).rstrip()


def _share(share: Share) -> str:
    value = share.value
    return "–" if value is None else f"{share.count} of {share.of} {value:>4.0%}"


def _known(text: str, number: float) -> str:
    return text if number else "–"


def _short(name: str) -> str:
    return name if len(name) <= _COLUMN else f"{name[: _COLUMN - 1]}…"
