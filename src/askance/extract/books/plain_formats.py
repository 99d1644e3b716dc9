"""Texts that people write as plain text: Markdown; Org, subtitles, LaTeX and Jupyter's notebooks as they are shown."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import unescape
from posixpath import splitext
from typing import Any, cast

from askance.domain.messages import Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.extracted import TITLE_CHARACTERS, Extracted, empty, outcome
from askance.extract.html.html_page import extract_html
from askance.extract.text.characters import count_words, strip_invisible
from askance.extract.text.decoding import decode_text
from askance.extract.text.markdown_text import code_apart, fenced, tidy_text

_LINK = re.compile(
    r"(?<!!)\[([^\[\]\n]+)\]\([ \t]{0,9}<?([A-Za-z][A-Za-z0-9+.-]{1,30}:[^()\s<>]*)?[^()\n]*\)"
)
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]\n|\s][^\[\]\n|]*)(?:\|([^\[\]\n|]+))?\]\]")
_WIDTH = re.compile(r"\d{1,5}(?:x\d{1,5})?")
# In text, and not within spans of code or formulas.
_ENTITY = re.compile(
    r"(`+[^`\n]*`+)|&(?:#\d{1,7}|#[Xx][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"
)
_ESCAPED_SIGN = re.compile(r"(`+[^`\n]*`+)|(?<=\w)\\(?=['’_.&@-]\w)")
_FIRST_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)
# A head stays as it is: whoever reads it needs its indentation.
_HEAD = re.compile(
    r"(?:---[ \t]*\n.*?\n(?:---|\.\.\.)|\+\+\+[ \t]*\n.*?\n\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL
)
_LONGEST_HEAD_CHARACTERS = 16_000
_COMMENT, _COMMENT_END = "<!--", "-->"
# `[//]: # (so)`: a definition of a link that nothing names.
_LINK_COMMENT = re.compile(
    r"(?m)^ {0,3}\[[^\[\]\n^][^\[\]\n]{0,99}\]:[ \t]{0,9}(?:#|<#?>)\s[ \t]{0,9}(?P<quote>[\"'(])"
    r"(?>(?:[^\"'()\n]|(?!(?P=quote))[\"'(]|\n(?![ \t]*\n)){0,4000})[)\"'][ \t]*$"
    r"|^ {0,3}\[//\]:[ \t]{1,9}[^\n]{0,4000}$"
)
# Comments of Obsidian, outside of code: `%%` around lines, and within one. "100 %% sure" is text.
_NOTE_COMMENT = re.compile(
    r"(?m)(^[ \t>]{0,8}(?P<fence>`{3,}+|~{3,}+)[^\n]*+(?>(?:\n(?![ \t>]{0,8}(?P=fence))[^\n]*+)*)(?:\n[^\n]*+)?"
    r"|(?<=\n\n)(?: {4}|\t)[^\n]*+(?>(?:\n(?: {4}|\t)[^\n]*+)*)|`+[^`\n]*`+)"
    r"|^ {0,3}%%(?!%)(?:[ \t]*\n(?>(?:[^%]|%(?!%))*)%%|(?>(?:[^%]|%(?!%))*)%%(?=[ \t]*$))"
    r"|(?<![\w%\\{])(?<!\d )%%(?![%}])(?>(?:[^%\n]|%(?![%\n]))*)%%(?![\w%}])"
)
# Elements whose attributes may hide what is in them, so not those that hold nothing.
_HIDING_TAG = re.compile(
    r"(?i)(`+[^`\n]*`+)|(?<!\\)<(?!(?:img|br|hr|input)\b)([a-z][\w-]{0,20}+)(?=[^<]{0,1000}?(?:hidden|style))"
    r"(\s(?>(?:[^<>\"']|\"[^\"]{0,1000}\"|'[^']{0,1000}')*))>"
)
_ANY_TAG = re.compile(r"<(/?)([A-Za-z][\w-]*+)[^<>]*>")
# Beside which what fades in or hides is not the page.
_BESIDE = f"<p>{'seen ' * 50}</p>"
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_DEEPEST_MARGIN = 3  # spaces before what still stands at the margin

# `![…](data:image/png;base64,…)`, of which the words are shown, and "[image1]: <data:image/png;base64,…>".
_DRAWINGS = (
    ("data:", re.compile(r"^ {0,3}\[[^\]\n]{1,100}\]: {0,9}<?data:[^\n]*\n?", re.MULTILINE)),
    ("data:", re.compile(r"\bdata:[a-z]{1,20}/[\w.+-]{1,60}+[;,][^\s\"'<>()]*+", re.IGNORECASE)),
    ("```compressed-json", re.compile(r"^```compressed-json\n[^`]*+(?:```|\Z)", re.MULTILINE)),
)
_UTF8_PAGE = "text/html; charset=utf-8"
_TABLES = frozenset({".csv", ".tsv"})
# Control sequences, and what is told the operating system (ECMA-48, 8.3.89).
# A letter below another, as manuals print bold ones.
_OVERPRINTED = re.compile(r"[^\n]?\x08")
_TERMINAL = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)|[()][0-9A-Za-z]|[=>78cDEHMZ])"
)

# A stroke that stands for itself, a letter of two numbers, and one of one.
_JSON_LETTER = re.compile(
    r"\\\\|\\u[Dd][89ABab][\dA-Fa-f]{2}\\u[Dd][C-Fc-f][\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4}"
)

_CUE_TIMES = re.compile(
    r"(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}[ \t]+-->[ \t]+(?:\d{1,3}:)?\d{1,2}:\d{2}[.,]\d{1,3}.*"
)
_CUE_TAG = re.compile(
    r"</?(?:[bciu]|ruby|rt|lang|font)(?:[.\s][^<>\n]{0,100})?>|<[\d:.]{1,15}>|</v>|\{\\an?\d\}",
    re.IGNORECASE,
)
_WORD_TIME = re.compile(r"<\d{2}:[\d:.]{1,12}><c>")
_VOICE = re.compile(r"<v(?:\.[^<>\s]{0,50})?[ \t]+([^<>\n]{1,100})>")
_CUE_BLOCKS = ("NOTE", "STYLE", "REGION", "WEBVTT")

_ORG_DRAWER = re.compile(r"[ \t]*:[\w-]{1,40}:[ \t]*")
_ORG_DRAWER_END = re.compile(r"[ \t]*:end:[ \t]*", re.IGNORECASE)
_ORG_KEYWORD = re.compile(r"[ \t]*#\+([\w-]{1,40}):[ \t]*(.*)", re.IGNORECASE)
_ORG_SHOWN = frozenset(
    {"title", "subtitle", "author", "date", "caption", "email", "description", "keywords"}
)
_ORG_BLOCK = re.compile(r"[ \t]*#\+(?:begin|end)_\w{1,40}.*", re.IGNORECASE)
_ORG_CODE = re.compile(r"[ \t]*#\+(?:begin|end)_(?:src|example|verse|export)\b.*", re.IGNORECASE)
_ORG_COMMENT = re.compile(r"[ \t]*#(?:[ \t].*)?")
_ORG_HEADING = re.compile(r"(\*{1,20})[ \t]+(.*)")
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{1,2000})\])?\]")
_DEEPEST_HEADING = 6


def extract_markdown(data: bytes, content_type: str, url: str) -> Extracted:
    """Return a Markdown text without its images and comments; its head and its code as they are.

    In a file of one's own there stands behind a link where it leads, if that is an address.
    """
    is_own = url.startswith("file:")
    text = strip_invisible(decode_text(data, content_type)).replace("\r\n", "\n")
    text = without_drawings(text)
    parts: list[str] = []
    title = ""
    if head := _HEAD.match(text, 0, _LONGEST_HEAD_CHARACTERS):
        parts.append(head.group().rstrip())
        text = text[head.end() :]
    if is_own and "%%" in text:
        text = _NOTE_COMMENT.sub(r"\1", text)
    for is_code, part in code_apart(text):
        parts.append(part if is_code else _prose(part, _link_shown if is_own else r"\1"))
        heading = None if is_code or title else _FIRST_HEADING.search(parts[-1])
        title = heading[1][:TITLE_CHARACTERS] if heading else title
    return text_outcome("\n\n".join(part for part in parts if part.strip()), title)


def without_drawings(text: str) -> str:
    """Return a text without pictures in letters and digits, and without drawings of Excalidraw, which are compressed."""
    for begin, drawing in _DRAWINGS:
        text = drawing.sub("", text) if begin in text else text
    return text


def extract_plain(data: bytes, content_type: str, url: str) -> Extracted:
    """Return a plain text as it is, and subtitles, org files and LaTeX as their readers show them.

    Blank lines part its paragraphs. What it is the end of its name says.
    """
    text = without_colours(decode_text(data, content_type))
    suffix = splitext(url)[1].lower() if url.startswith("file:") else ""
    if suffix in _TABLES:  # whose white space parts cells
        return text_outcome(strip_invisible(text).rstrip())
    read = _NOTATIONS.get(suffix)
    return text_outcome(tidy_text(read(text) if read else text))


def extract_source(data: bytes, content_type: str, url: str) -> Extracted:
    """Return code as it is, its line ends apart: its spaces and blank lines mean something."""
    text = strip_invisible(decode_text(data, content_type)).rstrip()
    if url.startswith("file:") and url.lower().endswith(".json") and "\\u" in text:
        # Many programs write all letters beyond ASCII as numbers, by which nobody looks for a word.
        text = _JSON_LETTER.sub(_json_letter, text)
    return text_outcome(text)


def _json_letter(found: re.Match[str]) -> str:
    letter = found[0] if found[0] == "\\\\" else json.loads(f'"{found[0]}"')
    return letter if letter.isprintable() and not letter.isascii() else found[0]


def without_colours(text: str) -> str:
    """Return a text without what tells a terminal of colours and titles: "\\x1b[32mINFO" is one word else."""
    text = _TERMINAL.sub("", text) if "\x1b" in text else text
    return _OVERPRINTED.sub("", text) if "\b" in text else text


def text_outcome(text: str, title: str = "") -> Extracted:
    """Return a text that is read as it is, or that there is none."""
    words = count_words(text)
    if not words:
        return empty(PageReason.NO_TEXT, Message("The page has no text."), title=title)
    return Extracted(PageStatus.OK, title=title, markdown=text, words=words)


def _prose(text: str, link: Callable[[re.Match[str]], str] | str) -> str:
    """Return Markdown outside of code; links to other notes of a vault as people read them."""
    named = _WIKI_LINK.sub(_note_named, _without_unseen(text))
    if "&" in named:
        named = _ENTITY.sub(lambda found: found[1] or unescape(found[0]), named)
    if "\\" in named:
        named = _ESCAPED_SIGN.sub(r"\1", named)
    return _LINK.sub(link, tidy_text(named))


def _note_named(link: re.Match[str]) -> str:
    note, _, part = link[1].partition("#")
    # `![[map.png|300]]` says how wide a picture is shown.
    label = "" if link[0].startswith("!") and _WIDTH.fullmatch(link[2] or "") else link[2]
    return label or " > ".join(name.strip() for name in (note, part) if name.strip())


def _link_shown(link: re.Match[str]) -> str:
    text, address = link[1], link[2]
    return f"{text} ({address})" if address and address not in text else text


def _without_unseen(text: str) -> str:
    """Take out of Markdown outside of code its comments, and elements of HTML that nobody sees."""
    text = _without_comments(_LINK_COMMENT.sub("", text))
    parts, done = list[str](), 0
    missing: set[str] = set()  # what nothing ends is looked for once
    for tag in _HIDING_TAG.finditer(text):
        if tag.start() < done or not tag[2] or not _hides(tag[3]):
            continue
        parts.append(text[done : tag.start()])
        done = _end_of_element(text, tag.end(), tag[2].lower(), missing)
    return "".join([*parts, text[done:]])


@lru_cache(maxsize=1024)
def _hides(attributes: str) -> bool:
    page = f"{_BESIDE}<div{attributes.rstrip('/')}>canary</div>".encode("utf-8", "replace")
    return "canary" not in extract_html(page, "file:///tag", _UTF8_PAGE).markdown


def _end_of_element(text: str, start: int, name: str, missing: set[str]) -> int:
    """Return where an element ends that begins before `start`; the end of its paragraph if nothing ends it."""
    depth = 1
    if name not in missing:
        for tag in _ANY_TAG.finditer(text, start):
            depth += (-1 if tag[1] else 1) * (tag[2].lower() == name)
            if not depth:
                return tag.end()
        missing.add(name)
    blank = _BLANK_LINE.search(text, start)
    return blank.start() if blank else len(text)


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
        if not begins and 0 <= blank < start:
            found = _BLANK_LINE.search(text, start)
            blank = found.start() if found else -1
        if before.count("`") % 2 or (not begins and (end < 0 or 0 <= blank < end)):
            # What it begins with is text.
            parts.append(text[done : start + len(_COMMENT)])
            done = start + len(_COMMENT)
            continue
        parts.append(text[done:start])
        done = end + len(_COMMENT_END) if end >= 0 else len(text)
    return "".join([*parts, text[done:]])


def _subtitles(text: str) -> str:
    """Return what is said in subtitles, without its times and numbers."""
    shown: list[str] = []
    # Captions that were made by a machine tell when each word is said.
    is_web, is_rolling = text.lstrip("\ufeff").startswith("WEBVTT"), bool(_WORD_TIME.search(text))
    for block in re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n")):
        lines = block.strip("\n").split("\n")
        # A cue begins with its times, or with a number or a name before them.
        timed = next(
            (i for i, line in enumerate(lines[:3]) if _CUE_TIMES.fullmatch(line.strip())), -1
        )
        if timed < 0 and lines[0].lstrip("\ufeff").startswith(_CUE_BLOCKS):
            continue
        text_lines: list[str] = []
        for line in lines[timed + 1 :]:
            # Without a blank line before them, the times of the next cue.
            if _CUE_TIMES.fullmatch(line.strip()):
                text_lines[-1:] = (
                    [] if text_lines and text_lines[-1].strip().isdecimal() else text_lines[-1:]
                )
            else:
                text_lines.append(line)
        spoken = _CUE_TAG.sub("", _VOICE.sub(r"\1: ", "\n".join(text_lines)))
        # A line that goes up as the next one appears is in both cues.
        last = shown[-1].split("\n")[-1].strip() if is_rolling and shown else None
        if spoken.split("\n")[0].strip() == last:
            spoken = spoken.partition("\n")[2]
        shown += [unescape(spoken) if is_web else spoken] if spoken.strip() else []
    return "\n".join(shown)


def _org(text: str) -> str:
    """Return an org file without drawers, comments and settings, its headings as Markdown's."""
    shown: list[str] = []
    lines = text.replace("\r\n", "\n").split("\n")
    ends = {i for i, line in enumerate(lines) if _ORG_DRAWER_END.fullmatch(line)}
    # A drawer that nothing ends is none: it would hide all that follows.
    last, skipped = max(ends, default=-1), False
    is_code = False
    for i, line in enumerate(lines):
        if skipped:
            skipped = i not in ends
        elif _ORG_CODE.fullmatch(line):
            is_code = not is_code
        elif is_code:  # a line with `#` is a comment for the reader, too
            shown.append(line)
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


# LaTeX as it is read on paper, as far as that can be told without running it.

# What is read as it stands, commands and all: code, addresses; what a percent sign hides. A sign behind a stroke is none.
_TEX_LITERAL = re.compile(
    r"\\[\\%]|(?P<comment>%.*\n?[ \t]*)"
    r"|\\begin\{(?P<name>comment|verbatim\*?|Verbatim|lstlisting|minted|alltt)\}(?:\[[^\[\]\n]{0,300}\])?"
    r"|\\(?:verb|Verb|lstinline)\*?(?P<sign>[^\sA-Za-z*\\\[{])(?P<code>[^\n]{0,500}?)(?P=sign)"
    r"|(?P<before>\\(?:url|nolinkurl|path|href|lstinline)\{)(?P<address>[^{}\n]{0,2000})\}"
)
# `\iff` is a sign, and `\ifthenelse` has no end.
_BRANCH = re.compile(
    r"\\(?P<word>(?P<false>iffalse|if[ ]?0(?!0))|if(?!f(?![A-Za-z@])|thenelse)[A-Za-z@]*|else|fi)(?![A-Za-z@])"
)
# With groups within it, and none in those.
_TEX_UNSEEN = re.compile(r"\\(?:phantom|textcolor\{white\})\{(?>(?:[^{}]|\{[^{}]{0,300}\})*)\}")
# What may lie behind white letters.
_PAINTED = re.compile(
    r"ou?r(?:ed)?box|(?:row|cell|column|page)color|beamer|tikz|pst|mdframed|shad|background"
)
_PREAMBLE = re.compile(r"\\begin\{document\}")
_TITLE_COMMAND = re.compile(
    r"\\(title|author|date)\s{0,3}\{([^{}]{0,1000}(?:\{[^{}]{0,300}\}[^{}]{0,300}){0,9})\}"
)
_END = re.compile(r"\\end\{document\}")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\{[A-Za-z]{1,40}\*?\}(?:\[[^\[\]\n]{0,200}\])?(?:\{[|lcrp@ .\d]{0,60}\})?"
)
_OPTIONS = r"(?:\[[^\[\]\n]{0,200}\]){0,2}"
_ARGUMENT = r"[ \t]{0,3}\{(?:[^{}]|\{[^{}]{0,100}\}){0,200}\}"
# One or two arguments before a text say how it looks, and which columns a table has.
_LAYOUT = re.compile(
    r"\\(?:(?:textcolor|colorbox|parbox|raisebox|scalebox|rotatebox|color|cline|cmidrule(?:\([^()\n]{0,9}\))?"
    rf"|begin\{{(?:tabular|longtable|array|minipage|multicols|column|thebibliography)\}})(?![A-Za-z]){_OPTIONS}"
    r"|(?:multicolumn|multirow|resizebox\*?|fcolorbox|fontsize|rule|begin\{(?:tabular[*x]|wrapfigure|adjustwidth)\})"
    rf"(?![A-Za-z]){_OPTIONS}{_ARGUMENT}){_ARGUMENT}"
)
_THEOREM = re.compile(
    r"\\begin\{(?:theorem|lemma|proposition|corollary|definition|proof|example|remark|exercise)\*?\}\[([^\[\]\n]{0,200})\]"
)
_QUANTITY = re.compile(
    r"\\(?:SI|si|qty|unit)(?![A-Za-z])(?:\[[^\[\]\n]{0,200}\])?(\{[^{}\n]{0,100}\})?\{([^{}\n]{0,200})\}"
)
# Their arguments are for the machine.
_UNSHOWN = re.compile(
    r"\\(?:label|usepackage|documentclass|includegraphics|input|include|bibliography|bibliographystyle|vspace|hspace"
    r"|setlength|pagestyle|thispagestyle|setcounter|addtocounter|index|phantomsection|graphicspath|hypersetup)\*?"
    r"(?:\[[^\[\]\n]{0,300}\])?\{[^{}]{0,300}\}(?:\{[^{}]{0,300}\})?"
)
_SECTIONS = {
    "part": 1, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
    "subparagraph": 6,
}  # fmt: skip
_SECTION = re.compile(
    rf"\\({'|'.join(_SECTIONS)})\*?(?:\[[^\[\]\n]{{0,300}}\])?\{{([^\n{{}}]{{0,400}})\}}[ \t]*(?=\n|\\label|\Z)"
)
_ITEM = re.compile(r"\\item(?![A-Za-z])[ \t]*(?:\[([^\[\]\n]{0,300})\])?[ \t]*")
_TEX_LINK = re.compile(r"\\href\{([^{}]{0,1000})\}\{([^{}]{0,1000})\}")
_CITATION = re.compile(
    r"~?\\(?:cite|citep|citet|parencite|textcite|autocite)\*?(?:\[[^\[\]\n]{0,200}\]){0,2}\{([^{}]{0,300})\}"
)
_FOOTNOTE = re.compile(r"\\(?:footnote|thanks)\{")
_ACCENT = re.compile(
    r"\\([\"'`^~=.])\s{0,2}\{?\\?([A-Za-z])\}?|\\([cvuHrkd])(?:\{\\?([A-Za-z])\}|[ \t]{1,3}([A-Za-z]))"
)
_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a", "k": "\u0328",
    "d": "\u0323",
}  # fmt: skip
_ESCAPED = {c: chr(0xE000 + i) for i, c in enumerate("%&_$#{}\\~^`'")}
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł",
    "L": "Ł", "i": "\u0131", "j": "\u0237", "ldots": "…", "dots": "…", "textbackslash": _ESCAPED["\\"], "LaTeX": "LaTeX", "TeX": "TeX",
    "textendash": "–", "textemdash": "—", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€",
    "texteuro": "€", "textasciitilde": _ESCAPED["~"], "textbar": "|", "quad": " ", "qquad": " ", "newline": "\n", "par": "\n\n",
    "dj": "đ", "DJ": "Đ", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "textdegree": "°", "textmu": "\u00b5", "textless": "<",
    "textgreater": ">", "textquoteright": "’", "textquoteleft": "‘", "textquotedblleft": "“", "textquotedblright": "”",
    "guillemotleft": "«", "guillemotright": "»", "og": "«", "fg": "»", "textregistered": "®", "texttrademark": "™",
    "textbullet": "•", "textunderscore": "_", "textquotesingle": "'", "slash": "/", "dag": "†",
    "linebreak": "\n", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
}  # fmt: skip
_LETTER = re.compile(
    rf"\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|[ \t]{{1,9}})?"
)
_SIGN = re.compile(r"\\([%&_$#{}]|[\^~](?=\{\}))")
_FORMULA = re.compile(
    r"\$\$[^$]{1,3000}\$\$|\$[^$\n]{1,1000}\$|\\\[(?:(?!\\\[).){1,3000}?\\\]|\\\((?:(?!\\\().){1,1000}?\\\)",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\(?:[A-Za-z@]{1,40}\*?(?:\[[^\[\]\n]{0,200}\]){0,2}[ \t]{0,9}|[,;:!/@ -])")


def read_latex(text: str) -> str:
    """Return a LaTeX file with its headings as Markdown's, and without its commands; formulas as they are."""
    text = _without_false(_without_tex_comments(text.replace("\r\n", "\n")))
    text = text if _PAINTED.search(text) else _TEX_UNSEEN.sub("", text)
    if begin := _PREAMBLE.search(text):
        titles = (f"{{{t[2]}}}" for t in _TITLE_COMMAND.finditer(text, 0, begin.start()))
        end = _END.search(text, begin.end())
        text = "\n\n".join([*titles, text[begin.end() : end.start() if end else len(text)]])
    parts, done = list[str](), 0
    for formula in _FORMULA.finditer(text):
        # A formula is TeX for its readers, too: commands in it stay.
        parts += [_tex_prose(text[done : formula.start()]), formula.group()]
        done = formula.end()
    return "".join([*parts, _tex_prose(text[done:])]).translate(_SIGNS)


def _without_false(text: str) -> str:
    """Take out what stands in a condition that never holds, up to its `else`."""
    parts: list[str] = []
    done = depth = 0
    for found in _BRANCH.finditer(text):
        if not depth:
            if found["false"]:
                parts.append(text[done : found.start()])
                done, depth = found.start(), 1
            continue
        depth += {"fi": -1, "else": -(depth == 1)}.get(found["word"], 1)
        done = done if depth else found.end()
    return "".join([*parts, text[done:]])


def _without_tex_comments(text: str) -> str:
    """Take out comments; code and addresses become signs that no command begins with."""
    parts: list[str] = []
    done = 0
    missing: set[str] = set()
    while found := _TEX_LITERAL.search(text, done):
        parts.append(text[done : found.start()])
        done = found.end()
        if name := found["name"]:
            # What nothing ends is looked for once.
            end = -1 if name in missing else text.find(f"\\end{{{name}}}", done)
            if end < 0:
                missing.add(name)
                parts.append(found[0])
                continue
            # Of one kind the language stands in braces.
            begin = text.find("}", done, end) + 1 if name == "minted" else 0
            code = "" if name == "comment" else _as_signs(text[begin or done : end])
            parts.append(f"\n{code}\n")
            done = end + len(name) + len("\\end{}")
        elif found["sign"]:
            parts.append(_as_signs(found["code"]))
        elif found["before"]:
            parts.append(f"{found['before']}{_as_signs(found['address'])}}}")
        elif found["comment"] is None:
            parts.append(found[0])
    return "".join([*parts, text[done:]])


def _as_signs(text: str) -> str:
    return "".join(_ESCAPED.get(letter, letter) for letter in text)


def _tex_prose(text: str) -> str:
    # First, as private characters: `\{` is a sign, while braces go with the commands.
    text = _SIGN.sub(lambda found: _ESCAPED[found[1]], text)
    text = _QUANTITY.sub(_quantity, text)
    text = _ACCENT.sub(_accented, text)
    text = _THEOREM.sub(r"\n\1. ", text)
    text = _LAYOUT.sub(lambda found: "\n" if found[0].startswith("\\begin") else "", text)
    text = _SECTION.sub(lambda found: f"\n\n{'#' * _SECTIONS[found[1]]} {found[2]}\n\n", text)
    text = _UNSHOWN.sub("", text)
    text = _TEX_LINK.sub(r"\2 (\1)", text)
    text = _CITATION.sub(r" (\1)", text)
    text = _FOOTNOTE.sub(" {", text)
    text = _ENVIRONMENT.sub("\n", text)
    text = _ITEM.sub(lambda found: f"\n- {found[1] or ''} ", text)
    text = _LETTER.sub(lambda found: _LETTERS[found[1]], text.replace("\\\\", "\n"))
    text = _COMMAND.sub("", text.replace("\\ ", " "))
    return text.translate(_NO_SIGNS).replace("``", "“").replace("''", "”")


_NO_SIGNS = str.maketrans("~", " ", "{}")
_SIGNS = str.maketrans({stored: sign for sign, stored in _ESCAPED.items()})


def _quantity(match: re.Match[str]) -> str:
    unit = match[2].replace("\\per", " per ").replace("\\", "")
    return f"{match[1] or ''} {unit} "


def _accented(match: re.Match[str]) -> str:
    accent, letter = (match[1], match[2]) if match[1] else (match[3], match[4] or match[5])
    return unicodedata.normalize("NFC", f"{letter}{_ACCENTS[accent]}")


# Text out of Jupyter's notebooks: what is written in them, their code, and what that printed.

# A picture that stands in the text itself, megabytes of it.
_EMBEDDED = re.compile(r"!\[([^\[\]\n]*)\]\(data:[^()\s]*\)")
_OBJECT = re.compile(r"\s*<[\w.]+ (?:object|at 0x[\da-f]+)[^<>\n]{0,100}>\s*")


def read_notebook(data: bytes) -> Extracted:
    """Return the text of a notebook.

    Raises:
        ValueError: it is none.
    """
    try:
        book = _object(json.loads(data.decode("utf-8-sig")))
    except RecursionError as exc:
        raise ValueError("it is nested too deep") from exc
    syntax = _object(_object(book.get("metadata")).get("language_info")).get("name", "")
    cells = _objects(book.get("cells"))
    for sheet in _objects(book.get("worksheets")):  # as before 2015
        cells += _objects(sheet.get("cells"))
    blocks = _notebook_blocks(cells, syntax if isinstance(syntax, str) else "")
    text = strip_invisible("\n\n".join(block.strip("\n") for block in blocks if block.strip()))
    return outcome((text,), None, None, is_tidy=True)


def _notebook_blocks(cells: list[dict[str, Any]], syntax: str) -> Iterator[str]:
    for cell in cells:
        # `input` in notebooks of version 3, as before 2015.
        source = _source_text(cell.get("source", cell.get("input")))
        if cell.get("cell_type") != "code":
            yield without_drawings(_EMBEDDED.sub(r"\1", _cell_shown(source)))
            continue
        if source.strip():
            yield fenced(source, syntax)
        for output in _objects(cell.get("outputs")):
            text, is_code = _output_text(output)
            text = without_drawings(text)
            if text.strip():
                yield fenced(text.rstrip()) if is_code else text


def _cell_shown(source: str) -> str:
    """Return Markdown without what nobody sees; to the letter if that is nothing."""
    parts = list(code_apart(source.replace("\r\n", "\n")))
    seen = [text if is_code else _without_unseen(text) for is_code, text in parts]
    return source if seen == [text for _, text in parts] else "\n\n".join(seen)


def _output_text(output: dict[str, Any]) -> tuple[str, bool]:
    """Return what an output of a cell shows, and whether that is text of a fixed width."""
    data = _object(output.get("data"))
    plain = _source_text(output.get("text") or data.get("text/plain"))
    if markdown := _source_text(data.get("text/markdown")):
        return _cell_shown(markdown), False
    if (page := _source_text(data.get("text/html"))) and (not plain or _OBJECT.fullmatch(plain)):
        return extract_html(page.encode(), "file:///output", _UTF8_PAGE).markdown, False
    error = ": ".join(filter(None, map(_source_text, (output.get("ename"), output.get("evalue")))))
    return without_colours(plain or error), True


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [_object(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def _source_text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(one for one in cast("list[Any]", value) if isinstance(one, str))
    return value if isinstance(value, str) else ""


_NOTATIONS: dict[str, Callable[[str], str]] = {
    ".srt": _subtitles,
    ".vtt": _subtitles,
    ".org": _org,
    ".tex": read_latex,
}
