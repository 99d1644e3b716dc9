"""LaTeX as it is read on paper, as far as that can be told without running it."""

from __future__ import annotations

import re
import unicodedata

_COMMENT = re.compile(r"(?<!\\)%.*\n?[ \t]*")
_PREAMBLE = re.compile(r"\\begin\{document\}")
_TITLE_COMMAND = re.compile(
    r"\\(title|author|date)\s{0,3}\{([^{}]{0,1000}(?:\{[^{}]{0,300}\}[^{}]{0,300}){0,9})\}"
)
_END = re.compile(r"\\end\{document\}")
_ENVIRONMENT = re.compile(
    r"\\(?:begin|end)\{[A-Za-z]{1,40}\*?\}(?:\[[^\[\]\n]{0,200}\])?(?:\{[|lcrp@ .\d]{0,60}\})?"
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
_LINK = re.compile(r"\\href\{([^{}]{0,1000})\}\{([^{}]{0,1000})\}")
_CITATION = re.compile(
    r"~?\\(?:cite|citep|citet|parencite|textcite|autocite)\*?(?:\[[^\[\]\n]{0,200}\]){0,2}\{([^{}]{0,300})\}"
)
_FOOTNOTE = re.compile(r"\\(?:footnote|thanks)\{")
_ACCENT = re.compile(r"\\([\"'`^~=.])\s{0,2}\{?\\?([A-Za-z])\}?|\\([cvuHrk])\{\\?([A-Za-z])\}")
_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "r": "\u030a", "k": "\u0328",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "AA": "Å", "l": "ł",
    "L": "Ł", "i": "\u0131", "j": "\u0237", "ldots": "…", "dots": "…", "textbackslash": "\\", "LaTeX": "LaTeX", "TeX": "TeX",
    "textendash": "–", "textemdash": "—", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€",
    "texteuro": "€", "textasciitilde": "~", "textbar": "|", "quad": " ", "qquad": " ", "newline": "\n", "par": "\n\n",
    "linebreak": "\n", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»",
}  # fmt: skip
_LETTER = re.compile(
    rf"\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|[ \t]{{1,9}})?"
)
_SIGN = re.compile(r"\\([%&_$#{}])")
_ESCAPED = {c: chr(0xE000 + i) for i, c in enumerate("%&_$#{}")}
_FORMULA = re.compile(
    r"\$\$[^$]{1,3000}\$\$|\$[^$\n]{1,1000}\$|\\\[(?:(?!\\\[).){1,3000}?\\\]|\\\((?:(?!\\\().){1,1000}?\\\)",
    re.DOTALL,
)
_COMMAND = re.compile(r"\\(?:[A-Za-z@]{1,40}\*?(?:\[[^\[\]\n]{0,200}\]){0,2}[ \t]{0,9}|[,;:!/@ -])")


def read_latex(text: str) -> str:
    """Return a LaTeX file with its headings as Markdown's, and without its commands; formulas as they are."""
    text = _COMMENT.sub("", text.replace("\r\n", "\n"))
    title_lines = ""
    if begin := _PREAMBLE.search(text):
        title_lines = "\n\n".join(
            found[2] for found in _TITLE_COMMAND.finditer(text, 0, begin.start())
        )
        end = _END.search(text, begin.end())
        text = text[begin.end() : end.start() if end else len(text)]
    parts: list[str] = [_prose(title_lines)]
    done = 0
    for formula in _FORMULA.finditer(text):
        parts += [_prose(text[done : formula.start()]), formula.group()]
        done = formula.end()
    return "".join([f"{parts[0]}\n\n", *parts[1:], _prose(text[done:])])


def _prose(text: str) -> str:
    text = _SIGN.sub(lambda found: _ESCAPED[found[1]], text)
    text = _ACCENT.sub(_accented, text)
    text = _SECTION.sub(lambda found: f"\n\n{'#' * _SECTIONS[found[1]]} {found[2]}\n\n", text)
    text = _UNSHOWN.sub("", text)
    text = _LINK.sub(r"\2 (\1)", text)
    text = _CITATION.sub(r" (\1)", text)
    text = _FOOTNOTE.sub(" {", text)
    text = _ENVIRONMENT.sub("\n", text)
    text = _ITEM.sub(lambda found: f"\n- {found[1] or ''} ", text)
    text = _LETTER.sub(lambda found: _LETTERS[found[1]], text.replace("\\\\", "\n"))
    text = _COMMAND.sub("", text)
    text = (
        text.replace("~", " ")
        .replace("{", "")
        .replace("}", "")
        .replace("``", "“")
        .replace("''", "”")
    )
    return "".join(_SIGNS.get(c, c) for c in text)


_SIGNS = {stored: sign for sign, stored in _ESCAPED.items()}


def _accented(match: re.Match[str]) -> str:
    accent, letter = (match[1], match[2]) if match[1] else (match[3], match[4])
    return unicodedata.normalize("NFC", f"{letter}{_ACCENTS[accent]}")
