"""Texts that people write as plain text: Markdown, and other notations as their readers show them."""

from __future__ import annotations

import re
from collections.abc import Callable
from posixpath import splitext

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.decoding import decode_text
from askance.extract.extracted import Extracted, empty
from askance.extract.latex import read_latex
from askance.extract.lines import TITLE_CHARACTERS
from askance.extract.markdown import code_apart, tidy_text
from askance.extract.text import count_words, strip_invisible

_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]+)\]\([ \t]{0,9}<?((?:https?|ftp|mailto|doi):[^()\s<>]*)?[^()\n]*\)"
)
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]\n|\s][^\[\]\n|]*)(?:\|([^\[\]\n|]+))?\]\]")
_FIRST_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)
# A head stays as it is: whoever reads it needs its indentation.
_HEAD = re.compile(
    r"(?:---[ \t]*\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LONGEST_HEAD_CHARACTERS = 16_000
_COMMENT, _COMMENT_END = "<!--", "-->"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_DEEPEST_MARGIN = 3  # spaces before what still stands at the margin

_CUE_TIMES = re.compile(
    r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]+-->[ \t]+(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}.*"
)
_CUE_TAG = re.compile(
    r"</?(?:[bciu]|ruby|rt|lang|font)(?:[.\s][^<>\n]{0,100})?>|<[\d:.]{1,15}>|</v>|\{\\an?\d\}",
    re.IGNORECASE,
)
_VOICE = re.compile(r"<v(?:\.[^<>\s]{0,50})?[ \t]+([^<>\n]{1,100})>")
_CUE_BLOCKS = ("NOTE", "STYLE", "REGION", "WEBVTT")

_ORG_DRAWER = re.compile(r"[ \t]*:[\w-]{1,40}:[ \t]*")
_ORG_DRAWER_END = re.compile(r"[ \t]*:end:[ \t]*", re.IGNORECASE)
_ORG_KEYWORD = re.compile(r"[ \t]*#\+([\w-]{1,40}):[ \t]*(.*)", re.IGNORECASE)
_ORG_SHOWN = frozenset(
    {"title", "subtitle", "author", "date", "caption", "email", "description", "keywords"}
)
_ORG_BLOCK = re.compile(r"[ \t]*#\+(?:begin|end)_\w{1,40}.*", re.IGNORECASE)
_ORG_COMMENT = re.compile(r"[ \t]*#(?:[ \t].*)?")
_ORG_HEADING = re.compile(r"(\*{1,20})[ \t]+(.*)")
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{1,2000})\])?\]")
_DEEPEST_HEADING = 6


def extract_markdown(data: bytes, content_type: str, url: str = "") -> Extracted:
    """Return a Markdown text without its images and comments; its head and its code as they are.

    In a file of one's own there stands behind a link where it leads, if that is an address.
    """
    is_own = url.startswith("file:")
    text = strip_invisible(decode_text(data, content_type)).replace("\r\n", "\n")
    parts: list[str] = []
    title = ""
    if head := _HEAD.match(text, 0, _LONGEST_HEAD_CHARACTERS):
        parts.append(head.group().rstrip())
        text = text[head.end() :]
    for is_code, part in code_apart(text):
        parts.append(part if is_code else _prose(part, _link_shown if is_own else r"\1"))
        heading = None if is_code or title else _FIRST_HEADING.search(parts[-1])
        title = heading[1][:TITLE_CHARACTERS] if heading else title
    return _outcome("\n\n".join(part for part in parts if part.strip()), title)


def extract_plain(data: bytes, content_type: str, url: str = "") -> Extracted:
    """Return a plain text as it is, and subtitles, org files and LaTeX as their readers show them.

    Blank lines part its paragraphs. What it is the end of its name says.
    """
    text = decode_text(data, content_type)
    read = _NOTATIONS.get(splitext(url)[1].lower()) if url.startswith("file:") else None
    return _outcome(tidy_text(read(text) if read else text), "")


def _prose(text: str, link: Callable[[re.Match[str]], str] | str) -> str:
    """Return Markdown outside of code; links to other notes of a vault as people read them."""
    named = _WIKI_LINK.sub(_note_named, _without_comments(text))
    return _LINK.sub(link, tidy_text(named))


def _note_named(link: re.Match[str]) -> str:
    note, _, part = link[1].partition("#")
    return link[2] or " > ".join(name.strip() for name in (note, part) if name.strip())


def _link_shown(link: re.Match[str]) -> str:
    text, address = link[1], link[2]
    return f"{text} ({address})" if address and address not in text else text


def _without_comments(text: str) -> str:
    """Take out comments as CommonMark knows them.

    One that begins a line goes to its end, or to that of the text; one within a line ends in its paragraph, or is
    none.
    """
    parts: list[str] = []
    done = end = blank = 0
    while (start := text.find(_COMMENT, done)) >= 0:
        if 0 <= end < start:
            end = text.find(_COMMENT_END, start)
        line = text.rfind("\n", 0, start) + 1
        before = text[line:start] if start - line <= _LONGEST_HEAD_CHARACTERS else ""
        begins = not before.strip() and len(before) <= _DEEPEST_MARGIN
        stop = end
        if not begins and 0 <= blank < start:
            found = _BLANK_LINE.search(text, start)
            blank = found.start() if found else -1
        if before.count("`") % 2 or (not begins and (end < 0 or 0 <= blank < end)):
            stop = start  # what it begins with is text
            parts.append(text[done : start + len(_COMMENT)])
            done = start + len(_COMMENT)
            continue
        parts.append(text[done:start])
        done = stop + len(_COMMENT_END) if stop >= 0 else len(text)
    return "".join([*parts, text[done:]])


def _subtitles(text: str) -> str:
    """Return what is said in subtitles, without its times and numbers."""
    shown: list[str] = []
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = block.strip("\n").split("\n")
        timed = next(
            (i for i, line in enumerate(lines[:3]) if _CUE_TIMES.fullmatch(line.strip())), -1
        )
        if timed < 0 and lines[0].lstrip("\ufeff").startswith(_CUE_BLOCKS):
            continue
        spoken = _VOICE.sub(r"\1: ", "\n".join(lines[timed + 1 :]))
        shown.append(_CUE_TAG.sub("", spoken))
    return "\n".join(shown)


def _org(text: str) -> str:
    """Return an org file without drawers, comments and settings, its headings as Markdown's."""
    shown: list[str] = []
    lines = text.replace("\r\n", "\n").split("\n")
    ends = {i for i, line in enumerate(lines) if _ORG_DRAWER_END.fullmatch(line)}
    last, skipped = max(ends, default=-1), False
    for i, line in enumerate(lines):
        if skipped:
            skipped = i not in ends
        elif i < last and _ORG_DRAWER.fullmatch(line):
            skipped = True
        elif keyword := _ORG_KEYWORD.fullmatch(line):
            shown += [keyword[2]] if keyword[1].lower() in _ORG_SHOWN else []
        elif heading := _ORG_HEADING.fullmatch(line):
            shown.append(f"{'#' * min(len(heading[1]), _DEEPEST_HEADING)} {_org_links(heading[2])}")
        elif not (_ORG_BLOCK.fullmatch(line) or _ORG_COMMENT.fullmatch(line)):
            shown.append(_org_links(line))
    return "\n".join(shown)


def _org_links(line: str) -> str:
    return _ORG_LINK.sub(lambda link: f"{link[2]} ({link[1]})" if link[2] else link[1], line)


_NOTATIONS: dict[str, Callable[[str], str]] = {
    ".srt": _subtitles,
    ".vtt": _subtitles,
    ".org": _org,
    ".tex": read_latex,
}


def _outcome(text: str, title: str) -> Extracted:
    words = count_words(text)
    if not words:
        return empty(PageReason.NO_TEXT, Message("The page has no text."), title=title)
    return Extracted(PageStatus.OK, title=title, markdown=text, words=words)
