"""Evidence cut to a length, so that it is tried once more where a server finds the prompt too long."""

from __future__ import annotations

import re

from askance.domain.errors import AskanceError, PromptTooLong, ServiceRefused

# A fence of the ledger: see `engine.ledger.Ledger`.
_FENCE = re.compile(r"<<<(web \w+)\n")
# Where a page or a passage ends, and failing that a line, a sentence, a word.
_ENDS = (re.compile(r"\n(?=\[\d+\] |\.\.\.\n)"), re.compile(r"\n"), re.compile(r"(?<=[.!?。]) "),
         re.compile(r" "))  # fmt: skip
# Statuses by which a server refuses what has nothing to do with a prompt's length.
_OTHER_REFUSALS = frozenset({401, 402, 403, 404, 405, 407, 408, 429})
# What is tried again, as a share of the evidence.
USUAL_SHARE = 0.5
LEAST_SHARE = 0.1
# Estimates of tokens err by so much.
_SAFETY = 1.15


def is_too_long(error: AskanceError) -> bool:
    """Say whether a server may have refused a prompt for its length, in whatever words."""
    if isinstance(error, PromptTooLong):
        return True
    if not isinstance(error, ServiceRefused):
        return False
    return 400 <= error.status < 500 and error.status not in _OTHER_REFUSALS


def fitting_share(error: AskanceError, evidence_share: float, reply_tokens: int) -> float:
    """Return how much of the evidence to try: half, or less where the server's numbers ask for it.

    `evidence_share` is that of the evidence in the prompt; `reply_tokens` must fit behind it.
    """
    if not isinstance(error, PromptTooLong) or not error.needed > error.available > 0:
        return USUAL_SHARE
    excess = error.needed - error.available + min(reply_tokens, error.available // 4)
    share = 1 - _SAFETY * excess / max(1.0, evidence_share * error.needed)
    return min(USUAL_SHARE, max(LEAST_SHARE, share))


def shorten(evidence: str, most: float) -> str:
    """Return the beginning of the ledger's text, at most so many characters and its fence closed.

    It ends behind a whole passage, or a sentence, where one ends in its second half. Empty where nothing
    but a fence would be left.
    """
    if len(evidence) <= most:
        return evidence
    shortened = evidence[: int(most)]
    ends = (max((m.start() for m in end.finditer(shortened)), default=0) for end in _ENDS)
    shortened = shortened[
        : next((end for end in ends if end > len(shortened) / 2), len(shortened))
    ].rstrip()
    fence = _FENCE.match(evidence)
    if fence is None:
        return shortened
    opening, closing = fence[0].rstrip(), f"{fence[1]}>>>"
    shortened = shortened.removesuffix(opening).rstrip()
    # A closing line that was cut in two is no text.
    last = shortened.rpartition("\n")[2]
    if closing.startswith(last) and last:
        shortened = shortened.removesuffix(last).rstrip()
    if shortened.count(opening) > shortened.count(closing):
        shortened += f"\n{closing}"
    return shortened if len(shortened) > len(opening) + len(closing) + 1 else ""
