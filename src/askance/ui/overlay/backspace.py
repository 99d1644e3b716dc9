"""How much one Backspace deletes: a user-perceived character, or its last code point."""

from __future__ import annotations

import unicodedata

# Of letters without case, those of these scripts go whole; so do all letters with case, and all symbols.
_WHOLE = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")


def is_deleted_whole(cluster: str) -> bool:
    """Return whether Backspace deletes a whole grapheme cluster.

    Flags, families and accented letters go whole. Where a cluster is typed as several letters and
    signs, as in Arabic, Hebrew, Thai and the scripts of India, only its last code point goes, as in
    Pango (`backspace_deletes_character`), on Windows and on macOS.
    """
    first = cluster[:1]
    if not first or unicodedata.category(first) not in {"Lo", "Mn", "Mc"}:
        return True
    return unicodedata.name(first, "").startswith(_WHOLE)
