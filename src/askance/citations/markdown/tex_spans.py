"""Which words of a text are a formula in LaTeX for sure: what may be a price, or a variable of a shell, is none."""

from __future__ import annotations

import re

from askance.citations.markdown.marker_context import formulas
from askance.citations.markdown.marker_forms import Span

_ENDS = {"$$": "$$", "$": "$", "\\(": "\\)", "\\[": "\\]"}
_COMMAND = re.compile(r"\\(?:[a-zA-Z]++|[{}|,;:!$%&#\\ ])")
_SIGNS = re.compile(r"[=^_<>+]")
# Without a command: letters by one or two, numbers and what stands between them. Words are those of a sentence, or
# names; `1=CA` are prices.
_PLAIN = re.compile(
    r"(?![,;:.)])(?!\d.*[A-Z]{2})(?:(?<![^\W\d_])[A-Za-z]{1,3}(?![^\W\d_])|[\d\s+\-*/=<>()\[\]{}|^_.,!'])+"
)
_LETTER = re.compile(r"[A-Za-z]")
# Accepts `f(x)`, `2x`, `n!` and `n-1`; not `5k` and `5M`.
_CALL = re.compile(r"(?:\d+(?![kKmMbB]))?[A-Za-z](?:\([a-z\d, ]{1,20}\)|!|[*/-]\d{1,4}|)")
# What hides words or colours them, or numbers them in words of its own.
_REFUSED = re.compile(
    r"\\(?:[a-z]*color|[hv]?phantom|tag(?!\*?\{[\w.,'-]{1,12}\})|href|style|class)"
)
_LONGEST = 1_000


def formula_spans(text: str) -> list[Span]:
    """Return where formulas stand that are one for sure, their marks included."""
    if "$" not in text and "\\" not in text:
        return []
    return [
        (start, end) for start, end in formulas(text, is_sure=True) if _is_sure(text, start, end)
    ]


def _is_sure(text: str, start: int, end: int) -> bool:
    tex, is_display = tex_of(text[start:end])
    if not tex or len(tex) > _LONGEST or _REFUSED.search(tex):
        return False
    if _COMMAND.search(tex) or text[start] == "\\":
        return True
    # Dollars may also be those of prices (`$5-$6`, `$$ to $$$`) and of a shell (`$HOME_DIR:$PATH`).
    is_apart = is_display or not text[end : end + 1].isalnum()
    is_one_letter = not is_display and bool(_LETTER.fullmatch(tex))
    has_signs = bool(_LETTER.search(tex) and _SIGNS.search(tex) and _PLAIN.fullmatch(tex))
    return is_apart and (is_one_letter or has_signs or bool(_CALL.fullmatch(tex)))


def tex_of(source: str) -> tuple[str, bool]:
    """Return a formula without its marks, and whether it stands on a line of its own; empty if it has none."""
    for mark, end in _ENDS.items():
        if source.startswith(mark) and source.endswith(end) and len(source) > 2 * len(mark):
            return source[len(mark) : -len(mark)].strip(), mark in ("$$", "\\[")
    return "", False
