"""`askance check`: a text, and what the web says to each of its sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from askance.app.container import without_model
from askance.app.text_checks import check_text, claim_record, claims_of, leaving, summary
from askance.cli.exits import Exit, run_async, write_line
from askance.cli.shell import Shell, confirmed, is_interactive, settled
from askance.config.settings import Settings
from askance.domain.characters import clean, one_line
from askance.domain.checked_text import (
    CheckedClaim,
    CheckedText,
    CitedState,
    ClaimVerdict,
    TextClaim,
)
from askance.domain.errors import InputError

_SIGNS = {
    ClaimVerdict.SUPPORTED: "✓",
    ClaimVerdict.CONTRADICTED: "✗",
    ClaimVerdict.NOT_FOUND: "?",
    ClaimVerdict.NOT_CHECKABLE: "–",
}
_CITED = {
    CitedState.DOES_NOT_STATE_IT: "it does not say so",
    CitedState.CONTRADICTS_IT: "it says otherwise",
    CitedState.UNREADABLE: "it cannot be read",
}


def check(
    shell: Shell,
    place: str,
    overrides: Mapping[str, Any],
    *,
    yes: bool = False,
    as_json: bool = False,
) -> Exit:
    """Check a file, or what comes on standard input for `-`. No model is asked.

    Raises:
        InputError: there is no such text, or what is searched was not confirmed.
        ServiceError: no search was answered.
    """
    text = _text(shell, place)
    claims = claims_of(text)
    settings = shell.settings(overrides)
    if not as_json:
        settings = settled(shell, settings)
    if not yes and not _is_confirmed(shell, claims):
        return Exit.DONE
    found = run_async(_checked(shell, settings, text, claims, is_quiet=as_json))
    if as_json:
        counts = found.counts()
        records = [claim_record(claim) for claim in found.claims]
        warnings = [str(warning) for warning in found.warnings]
        shell.stdout.line(json.dumps({"counts": counts, "claims": records, "warnings": warnings}))
        return Exit.DONE
    for warning in found.warnings:
        write_line(shell.stderr, f"askance: {warning}")
    for line in lines_of(found):
        shell.stdout.line(clean(line))
    return Exit.DONE


def _text(shell: Shell, place: str) -> str:
    if place == "-":
        return shell.question(["-"])
    try:
        return clean(Path(place).read_text(encoding="utf-8"))
    except UnicodeDecodeError as exc:
        raise InputError(f"{place} is not UTF-8 text.") from exc
    except OSError as exc:
        raise InputError(f"{place} cannot be read: {exc.strerror}.") from exc


def _is_confirmed(shell: Shell, claims: Sequence[TextClaim]) -> bool:
    """Show what would leave this machine, and ask."""
    sent = [*leaving(claims)]
    if not sent:
        return True
    if not is_interactive(shell):
        raise InputError(
            "What is searched for a text is confirmed first, and nobody can be asked here.",
            fix="Add --yes to search for each of its claims.",
        )
    shell.stdout.line("This would be searched, and opened where the text cites it:")
    for each in sent:
        shell.stdout.line(f"  {one_line(each)}")
    try:
        return confirmed(shell, "Search for it? [y/N] ")
    except EOFError:
        shell.stdout.line()
        return False


async def _checked(
    shell: Shell, settings: Settings, text: str, claims: Sequence[TextClaim], *, is_quiet: bool
) -> CheckedText:
    def report(claim: CheckedClaim) -> None:
        if not is_quiet:
            write_line(shell.stderr, f"{_SIGNS[claim.verdict]} {one_line(claim.claim.text)}")

    async with shell.open_app(without_model(settings), shell.folders) as app:
        return await check_text(app, text, claims, settled=report)


def lines_of(found: CheckedText) -> Iterator[str]:
    """Yield the sums, the text with a mark behind each sentence, and what was found about each."""
    yield str(summary(found))
    yield ""
    numbers: dict[str, int] = {}
    for claim in found.claims:
        for evidence in claim.evidence:
            numbers.setdefault(evidence.url, len(numbers) + 1)
    yield from _marked(found, numbers).splitlines()
    yield ""
    for claim in found.claims:
        if claim.verdict is ClaimVerdict.NOT_CHECKABLE:
            continue
        yield f"{_SIGNS[claim.verdict]} {one_line(claim.claim.text)}{_origins(claim)}"
        for evidence in claim.evidence:
            against = "against it: " if evidence.contradicts else ""
            nearest = "nearest: " if claim.verdict is ClaimVerdict.NOT_FOUND else ""
            date = f", {evidence.published}" if evidence.published else ""
            yield f"    {numbers[evidence.url]}: {nearest or against}“{one_line(evidence.quote)}”"
            yield f"        {one_line(evidence.title)}{date} {evidence.url}"
        for page in claim.cited:
            if page.state in _CITED:
                why = f" ({page.problem.clause()})" if page.problem else ""
                yield f"    cites {page.url}: {_CITED[page.state]}{why}"


def _marked(found: CheckedText, numbers: Mapping[str, int]) -> str:
    pieces: list[str] = []
    done = 0
    for claim in found.claims:
        pieces.append(found.text[done : claim.claim.end])
        done = claim.claim.end
        # The text may have numbers in brackets of its own.
        sources = dict.fromkeys(f"[✓{numbers[each.url]}]" for each in claim.evidence)
        match claim.verdict:
            case ClaimVerdict.SUPPORTED:
                pieces.append(" " + "".join(sources))
            case ClaimVerdict.CONTRADICTED | ClaimVerdict.NOT_FOUND:
                pieces.append(f" [{_SIGNS[claim.verdict]}]")
            case ClaimVerdict.NOT_CHECKABLE:
                pass
    return "".join([*pieces, found.text[done:]])


def _origins(claim: CheckedClaim) -> str:
    shown = len(
        [
            each
            for each in claim.evidence
            if each.contradicts is (claim.verdict is ClaimVerdict.CONTRADICTED)
        ]
    )
    if claim.origins == 1 and shown > 1:
        return f" (one origin, {shown} copies)"
    return f" ({claim.origins} independent sources)" if claim.origins > 1 else ""
