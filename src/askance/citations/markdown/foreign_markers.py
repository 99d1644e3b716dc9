"""What of a page may stand in a prompt or a result: what is seen, between fences that it cannot know, and
without its markers, which name its own notes and would name our sources in an answer."""

from __future__ import annotations

import re
import secrets
import string
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from askance.citations.markdown.marker_context import MarkerContext, marker_runs
from askance.citations.markdown.marker_forms import LABEL_LETTERS, FormKind, MarkerForm, Span, forms
from askance.domain.patterns import lazy_re
from askance.extract.text.characters import break_control_tokens, strip_invisible
from askance.extract.text.markdown_text import FENCES, code_apart

_DIGITS = (
    "[0-9\u00b2\u00b3\u00b9\u0660-\u0669\u2070-\u2079\u2080-\u2089\u2460-\u2473\uff10-\uff19"
    "\U0001d7ce-\U0001d7ff]{1,3}+"
)
# A line's end, or any of the wide spaces, becomes a space where a writer tidies up.
_BLANK = r"\s{0,2}"
# Emphasis, code and tags go then, too.
_AROUND = r"(?:[*_`~\\]{1,3}|</?(?:b|i|u|em|strong|a|span)>)?"
_MARK = rf"(?:[^\W\d_]{{1,12}}+\.?{_BLANK}[:#\u2116\uff1a]?{_BLANK}|[\^#*\u2116]{{1,2}}+{_BLANK})?"
_NOTE_LIST = rf"{_MARK}{_DIGITS}(?:{_BLANK}(?:[,;/\uff0c\u3001&–—-]|and\b|und\b){_BLANK}{_MARK}{_DIGITS}){{0,20}}"
_OPEN = (
    r"(?:\\?[\[\uff3b\u3014\u3010\u27e6\u301a]{1,2}|&(?:#0{0,5}91|#[xX]0{0,5}5[bB]|lbrack|lsqb);?)"
)
_SHUT = (
    r"(?:\\?[\]\uff3d\u3015\u3011\u27e7\u301b]|&(?:#0{0,5}93|#[xX]0{0,5}5[dD]|rbrack|rsqb);?){1,2}"
)
_BRACKET = lazy_re(
    rf"{_OPEN}{_BLANK}{_AROUND}(?P<list>{_NOTE_LIST})[*^]{{0,2}}{_AROUND}(?:(?::\d{{1,3}})?†[^\]】\n]{{0,60}})?{_BLANK}{_SHUT}",
    re.IGNORECASE,
)
_RAISED = lazy_re(rf"<sup>{_BLANK}(?P<list>{_NOTE_LIST}){_BLANK}</sup>", re.IGNORECASE)
_LABELLED = lazy_re(
    r"(?:(?<!\w)(?:sources?|srcs?|refs?|references?|citations?|cite|quellen?|文献|来源)[ \t]{0,2}[:#]?[ \t]{0,2}|\^)(?=\d)",
    re.IGNORECASE,
)
_ONLY_NUMBERS = lazy_re(r"[\d ,;–—-]{1,120}")
_DIGIT_RUN = lazy_re(r"\d{1,3}+")
_WORD = lazy_re(r"[^\W\d_]{1,40}+")
_NOTE_LETTERS = frozenset("np")
_LINE_BEGIN = lazy_re(r"^(?P<bracket>\[(?P<n>\d{1,3})\])(?=[ \t]{1,3}(?P<behind>\S))", re.MULTILINE)
_MOST_READINGS = 8
PAGE_NUMBERS = range(1, 100)
"""What a page's marker may name. No source has a higher number."""
NONCE_PAIRS = 4
_BLANK_LINES = lazy_re(r"\n\s*\n+")
_SPACES = lazy_re(r"[ \t\u00a0]+")
_FENCE = lazy_re(r"^[ \t>]{0,8}(?:```|~~~)", re.MULTILINE)


def new_nonce() -> str:
    """Return what no page can know, and what has as many tokens each time: letters between digits
    are one each in nearly every vocabulary."""
    pairs = range(NONCE_PAIRS)
    return "".join(
        secrets.choice(string.ascii_lowercase) + secrets.choice(string.digits) for _ in pairs
    )


def seen_text(text: str) -> str:
    """Return what a reader of a page sees: no invisible characters, no idle white space outside of code.

    Quotes are taken from it, so that they are found again on the page.
    """
    # Composed, so that a quote is found again on a page that writes its accents apart.
    seen = unicodedata.normalize("NFC", strip_invisible(text))
    if not _FENCE.search(seen):
        return _tidy(seen)
    parts = (
        part if is_code and part.startswith(FENCES) else _tidy(part)
        for is_code, part in code_apart(seen)
    )
    return "\n".join(part for part in parts if part.strip()).strip()


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def clean_text(text: str) -> str:
    """Return what a model may read of a page: what is seen, without markers and control tokens."""
    return break_control_tokens(round_foreign_markers(seen_text(text)))


def round_foreign_markers(text: str) -> str:
    """Return a page's text without anything that an answer's reader would take for a marker.

    Its markers name that page's own notes, and in an answer would name our sources. Where a citation
    can stand, every bracket that holds nothing but small numbers, with or without a label, becomes
    round: `(3)` means nothing to the citation check. That is more than the check takes for a marker,
    because a writer may tidy up what it copies. Code, mathematics and data stay as they are, and so
    does `[404]`: no source has such a number.
    """
    # Not above: what only marks a text as a page's needs no parser, which takes a while to load.
    from askance.citations.markdown.grammar import code_spans  # noqa: PLC0415

    # An edit may make a marker of what stands around it. A tangle is left after eight readings.
    for _ in range(_MOST_READINGS):
        code = code_spans(text)
        around = MarkerContext(text, code)
        edits = [
            (form.start, form.end, _rounded(text, form))
            for run in marker_runs(text, PAGE_NUMBERS, code)
            for form in run.forms
        ]
        edits += _untidy(text, around)
        edits += _line_begins(text, code)
        if not edits:
            break
        text = _edited(text, sorted(edits))
    return text


def _rounded(text: str, form: MarkerForm) -> str:
    """Return what a form says, in a way that is none."""
    written = text[form.start : form.end].strip("[] ")
    if form.kind is FormKind.BRACKET and _ONLY_NUMBERS.fullmatch(written):
        return f"({written})"
    named = ", ".join(f"{low}" if low == high else f"{low}-{high}" for low, high in form.ranges)
    return f"^{named}" if form.kind is FormKind.RAISED else f"({named})"


def _untidy(text: str, around: MarkerContext) -> Iterator[tuple[int, int, str]]:
    """Yield what may become a marker once a writer tidies it up."""
    judged = {form.start for form in forms(text)}
    for pattern, written in ((_BRACKET, "({})"), (_RAISED, "^{}")):
        for found in pattern.finditer(text):
            numbers = [int(n) for n in _DIGIT_RUN.findall(found["list"]) if n.isdecimal()]
            words = {word.casefold() for word in _WORD.findall(found["list"])}
            is_foreign = any(
                len(w) == 1 for w in words - LABEL_LETTERS - _NOTE_LETTERS - {"e", "y"}
            )
            if (
                found.start() in judged
                # `[404]` and `[0]` name no source that an answer could have: they stay as the page
                # has them.
                or any(not 0 < n < PAGE_NUMBERS.stop for n in numbers)
                or is_foreign
            ):
                continue
            span = found.span()
            ranges = tuple((n, n) for n in numbers) or ((1, 1),)
            kind = FormKind.RAISED if pattern is _RAISED else FormKind.BRACKET
            form = MarkerForm(*span, kind, ranges, has_label=bool(words))
            if around.can_cite((form,), span, is_known=True):
                label = _LABELLED.sub("", found["list"])
                yield (*span, written.format(label))


def _line_begins(text: str, code: Sequence[Span]) -> Iterator[tuple[int, int, str]]:
    """Yield what begins a line as the line of a source does in a prompt.

    In code, and before numbers, as programs print them, a blank is all that parts it from one.
    """
    for found in _LINE_BEGIN.finditer(text):
        at = found.start()
        # Code must stay as it runs: a blank before a line changes least.
        if _touches(code, found.span()) or not found["behind"].isalpha():
            yield at, at, " "
        else:
            yield at, found.end("bracket"), f"({found['n']})"


def _edited(text: str, edits: Sequence[tuple[int, int, str]]) -> str:
    pieces: list[str] = []
    done = 0
    for start, end, written in edits:
        # Edits of two kinds may meet in one place: the first one has it.
        if start >= done:
            pieces += [text[done:start], written]
            done = end
    return "".join([*pieces, text[done:]])


def _touches(spans: Sequence[Span], span: Span) -> bool:
    # Spans do not overlap: only the two around the place can touch it.
    i = bisect_right(spans, (span[1],))
    return any(start < span[1] and span[0] < end for start, end in spans[max(0, i - 1) : i + 1])
