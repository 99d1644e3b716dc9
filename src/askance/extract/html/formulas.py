"""Formulas of a page as text: the TeX that they were written in between dollar signs, or MathML on one line.

Libraries for formulas show each of them as drawn letters or as a picture, beside MathML or TeX that is not
seen. One of these stands in for the formula, and the others go. TeX that says more words than a formula has
could be a text that is hidden there, and is not believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from askance.extract.html.tree import Node, drop_tree, text_of

# The outermost element of one formula.
_WHOLE_CLASSES = frozenset({
    "katex", "katex-display", "mwe-math-element", "mathjax", "mathjax_display", "mathjax_svg",
    "mathjax_svg_display", "mathjax_chtml", "mjx-chtml", "mathjax_mathml", "ltx_math", "ztext-math", "tex2jax_process",
})  # fmt: skip
_LIBRARIES = _WHOLE_CLASSES - {"ltx_math", "tex2jax_process"}
_PREVIEW = frozenset(
    {"mathjax_preview", *(name for name in _LIBRARIES if name.startswith(("mathjax", "mjx")))}
)
_IMAGES = re.compile(
    r"(?:^|[\s_-])(?:tex|latex|math|mathjax|mimetex|formula|equation|eqn|ee_img|wp-latex)(?:$|[\s_-])|mwe-math",
    re.IGNORECASE,
)
_IMAGE_SOURCES = re.compile(
    r"latex|mimetex|mathtex|codecogs|cht=tx|/math/|equation\?tex=", re.IGNORECASE
)
_TEX_ATTRIBUTES = (
    "alttext",
    "data-tex",
    "data-latex",
    "data-formula",
    "data-eeimg-tex",
    "data-expr",
)
_TEX_SIGNS = re.compile(r"[\\^_={}+*/<>|()\d\u2200-\u22ff-]|^\S{1,3}$")
_COMMANDS = re.compile(r"\\(?:begin|end)\s{0,3}\{[^{}]{0,40}\}|\\[A-Za-z]{1,40}\*?|\\.")
_PROSE = re.compile(r"[^\W\d_]{4,}")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# MediaWiki puts `{\displaystyle …}` around the TeX of its pictures and its MathML.
_DISPLAY = re.compile(
    r"^\{\s{0,9}\\(?:displaystyle|textstyle|scriptstyle)\s{0,9}(?P<tex>.*)\}$", re.DOTALL
)
_FORMULA = "[formula]"
MOST_PROSE = 5  # words of a formula that nobody sees beside it
MOST_CJK = 8
LONGEST_TEX = 2000
_DEEPEST = 60
_NUMBER = re.compile(r"[0-9]{1,40}(?:[.,][0-9]{1,40}){0,9}")
# Function application, invisible times, separator and plus.
_INVISIBLE = dict.fromkeys(map(ord, "\u2061\u2062\u2063\u2064"))

# Formulas within formulas are looked at once for each level.
MOST_LOOKED_AT = 1_000_000

_FORMULA_TAGS = frozenset({"math", "script", "mjx-container", "img"})


def write_formulas(tree: Node) -> None:
    """Put a text in the place of each formula, once for all the ways in which it stands there."""
    done: set[Node] = set()
    candidates = [
        element
        for element in tree.iter()
        if element.tag in _FORMULA_TAGS
        or ((classes := element.get("class")) and _is_whole(classes))
    ]
    left = MOST_LOOKED_AT
    for element in candidates:
        if element in done or not isinstance(element.tag, str):
            continue
        if len(element):
            left -= sum(1 for _ in element.iter())
            if left < 0:
                return
        formula = _formula_of(element, element.tag)
        if formula is None:
            continue
        # The MathML within a drawing is a candidate as well, and is written with it.
        done.update(element.iter())
        if element.tag == "script":
            _drop_previews(element)
        _replace(element, formula)


def _formula_of(element: Node, tag: str) -> str | None:
    """Return what stands for an element; None for one that is no formula."""
    if tag == "math":
        return _of_mathml(element, "")
    if tag == "script":
        return _of_script(element)
    if tag == "mjx-container":
        return _of_whole(element)
    if tag == "img":
        return _of_image(element, element.get("class", ""))
    return _of_whole(element) if _is_whole(element.get("class", "")) else None


@lru_cache(maxsize=4096)
def _is_whole(classes: str) -> bool:
    return not _WHOLE_CLASSES.isdisjoint(classes.lower().split())


def _of_whole(element: Node) -> str | None:
    seen = "".join(_seen(element))
    maths = next(iter(element.iter("math")), None)
    if maths is not None:
        return _of_mathml(maths, seen)
    if tex := _of_sources(element, seen):
        return tex
    names = element.get("class", "").lower().split()
    if _is_followed_by_script(element):
        return None
    if element.tag != "mjx-container" and seen.strip():
        for node in element.iter():
            # KaTeX hides its drawing from screen readers; without MathML beside it that is all.
            node.attrib.pop("aria-hidden", None)
        return None
    is_drawn = element.tag == "mjx-container" or not _LIBRARIES.isdisjoint(names)
    return _FORMULA if is_drawn else None


def _of_sources(element: Node, seen: str) -> str:
    """Return the TeX that an attribute, a script or a picture in a formula holds."""
    for node in element.iter():
        for name in _TEX_ATTRIBUTES:
            if name in node.attrib and (tex := _tex(node.attrib[name], seen)):
                return tex
    for script in element.iter("script"):
        if formula := _of_script(script):
            return formula
    for image in element.iter("img"):
        if tex := _tex(image.get("alt", ""), seen):
            return tex
    return ""


def _of_mathml(maths: Node, seen: str) -> str:
    drawn = mathml_line(maths)
    for note in maths.iter("annotation"):
        if "tex" in note.get("encoding", "").lower() and (
            tex := _tex(text_of(note), f"{seen} {drawn}")
        ):
            return tex
    if tex := _tex(maths.get("alttext", ""), f"{seen} {drawn}"):
        return tex
    return " ".join(drawn.split()) or _FORMULA


def _of_script(script: Node) -> str | None:
    kind = script.get("type", "").lower()
    if not kind.startswith("math/"):
        return None
    text = script.text or ""
    if kind.startswith("math/mml"):
        return " ".join(re.sub(r"<[^<>]*>", " ", text).split()) or _FORMULA
    return _tex(text, "") or _FORMULA


def _of_image(image: Node, classes: str) -> str | None:
    source = image.get("src", "")
    if not (_IMAGES.search(classes) or _IMAGE_SOURCES.search(source[:500])):
        return None
    for name in (*_TEX_ATTRIBUTES, "alt"):
        if (alternative := image.get(name, "").strip()) and _TEX_SIGNS.search(alternative):
            return _tex(alternative, "") or _FORMULA
    return None


def _tex(text: str, seen: str) -> str:
    """Return TeX between dollar signs; nothing where it says what is no formula and is not seen, either."""
    tex = " ".join(text.split())
    while match := _DISPLAY.match(tex):
        tex = match["tex"].strip()
    # Alternative texts of pictures have the signs of their formula with them.
    for begin, end in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        if tex.startswith(begin) and tex.endswith(end) and len(tex) > len(begin + end):
            tex = tex[len(begin) : -len(end)].strip()
    # A dollar sign within would end the formula for whoever reads the Markdown.
    if not tex or len(tex) > LONGEST_TEX or "$" in tex.replace(r"\$", ""):
        return ""
    plain = _COMMANDS.sub(" ", tex)
    drawn = "".join(seen.split()).casefold()
    unseen = [word for word in _PROSE.findall(plain) if word.casefold() not in drawn]
    if len(unseen) > MOST_PROSE or sum(c not in drawn for c in _CJK.findall(plain)) > MOST_CJK:
        return ""
    return f"${tex}$"


def _seen(element: Node) -> Iterator[str]:
    """Yield the texts of a drawn formula, without those of its MathML."""
    pile = [element]
    while pile:
        node = pile.pop()
        if node is not element and node.tail:
            yield node.tail
        if node.tag in {"math", "annotation", "script"} or not isinstance(node.tag, str):
            continue
        yield node.text or ""
        pile.extend(node)


def mathml_line(node: Node, depth: int = 0) -> str:
    """Return MathML as text on one line, of pages and of other files."""
    if not isinstance(node.tag, str):
        return ""
    if depth > _DEEPEST:
        return "".join(node.itertext())
    tag = _name(node)
    if tag in {"annotation", "annotation-xml", "mphantom", "maligngroup", "malignmark", "none"}:
        return ""
    if tag == "mspace":
        return " "
    if not len(node):
        text = (node.text or "").translate(_INVISIBLE)
        return text if tag == "mtext" else text.strip()
    parts = [mathml_line(child, depth + 1) for child in node]
    if tag == "semantics":
        return parts[0]
    if tag in _SHAPES and len(parts) >= _SHAPES[tag][0]:
        low = 1 if tag in _INDEXED else -1
        grouped = (_grouped(part, is_index=at == low) for at, part in enumerate(parts))
        return _SHAPES[tag][1].format(*grouped)
    if tag in {"mtable", "mtr", "mlabeledtr", "mfenced"}:
        return _boxed(tag, parts, node)
    line = (node.text or "").strip()
    before = ""
    for child, part in zip(node, parts, strict=True):
        line = _joined(line, part, is_shape=before in _SHAPES or before == "msqrt")
        before = _name(child)
    return f"\u221a{_grouped(line)}" if tag == "msqrt" else line


def _name(node: Node) -> str:
    return str(node.tag).rpartition("}")[2].rpartition(":")[2]


_SHAPES = {
    "msup": (2, "{0}^{1}"),
    "msub": (2, "{0}_{1}"),
    "msubsup": (3, "{0}_{1}^{2}"),
    "munder": (2, "{0}_{1}"),
    "mover": (2, "{0}^{1}"),
    "munderover": (3, "{0}_{1}^{2}"),
    "mfrac": (2, "{0}/{1}"),
    # MathML has the degree of a root behind what stands under it.
    "mroot": (2, "{1}\u221a{0}"),
}


_INDEXED = frozenset({"msub", "msubsup", "munder", "munderover"})


def _boxed(tag: str, parts: list[str], node: Node) -> str:
    match tag:
        case "mtable":
            return "; ".join(parts)
        case "mfenced":
            begin, end = node.get("open", "(")[:2], node.get("close", ")")[:2]
            return f"{begin}{', '.join(parts)}{end}"
        case _:
            return ", ".join(parts)


def _grouped(text: str, *, is_index: bool = False) -> str:
    """Return a part of a formula in brackets, unless it is one thing without: 1/(2x) is not 1/2x, nor (a)/(b) one."""
    stripped = text.strip()
    is_single = (
        len(stripped) <= 1
        or (
            stripped.isalnum()
            if is_index
            else stripped.isalpha() or bool(_NUMBER.fullmatch(stripped))
        )
        or _is_bracketed(stripped)
    )
    return stripped if is_single else f"({stripped})"


def _is_bracketed(text: str) -> bool:
    """Whether the bracket that a text begins with ends with it."""
    if text[0] not in "([" or text[-1] not in ")]":
        return False
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([") - (character in ")]")
        if depth == 0:
            return at == len(text) - 1
    return False


def _joined(line: str, part: str, *, is_shape: bool) -> str:
    """Return a row with one more part; names and numbers stay apart, and what follows a power or a fraction: x^2 y."""
    is_word = line[-1:].isalnum() and part[:1].isalnum()
    is_longer = len(part) > 1 or line[-2:].isalpha() or (line[-1:].isdigit() and part[:1].isdigit())
    is_factor = line[-1:].isdigit() and part[:1].isalpha()
    return (
        f"{line} {part}"
        if is_word and (is_shape or (is_longer and not is_factor))
        else f"{line}{part}"
    )


def _is_followed_by_script(element: Node) -> bool:
    # MathJax 2 draws before the script with the TeX, which is read, and drops the drawing.
    behind: Node | None = element
    for _ in range(3):
        behind = (
            behind.getnext() if behind is not None and not (behind.tail or "").strip() else None
        )
        if behind is not None and behind.tag == "script":
            return behind.get("type", "").lower().startswith("math/")
    return False


def _drop_previews(script: Node) -> None:
    """Drop what was drawn from a script before it, and what stood there while that was awaited."""
    before = script.getprevious()
    while before is not None and not (before.tail or "").strip():
        names = before.get("class", "").lower().split()
        if before.tag != "mjx-container" and _PREVIEW.isdisjoint(names):
            return
        outer, before = before, before.getprevious()
        drop_tree(outer)


def _replace(element: Node, text: str) -> None:
    for child in list(element):
        child.tail = ""
        drop_tree(child)
    element.attrib.clear()
    element.tag = "span"
    element.text = text
