"""Whether Qt has the fonts that an answer needs."""

from __future__ import annotations

from PySide6.QtGui import QFontDatabase

from askance.domain.messages import Message
from askance.system.fonts import fix_of, problem_of, scripts_in, without_font

_MOST_CHARACTERS = 20_000
_Writing = QFontDatabase.WritingSystem
_WRITINGS = {
    "zh-cn": _Writing.SimplifiedChinese,
    "zh-tw": _Writing.TraditionalChinese,
    "ja": _Writing.Japanese,
    "ko": _Writing.Korean,
    "ar": _Writing.Arabic,
    "he": _Writing.Hebrew,
    "hi": _Writing.Devanagari,
    "th": _Writing.Thai,
}


def missing_fonts(*texts: str) -> Message | None:
    """Return what to say where these texts are shown with boxes; None where all of them can be read."""
    needed = scripts_in("\n".join(text[:_MOST_CHARACTERS] for text in texts))
    lacking = without_font(needed, lambda code: bool(QFontDatabase.families(_WRITINGS[code])))
    return Message.joined(problem_of(lacking), fix_of(lacking)) if lacking else None
