"""Formulas of Word on one line."""

from __future__ import annotations

from askance.extract.archives import Element
from askance.extract.document_text import DEEPEST, flat_text
from askance.extract.open_packaging import local_name

_BEFORE = {"den": "/", "sup": "^", "sub": "_", "mr": " ", "lim": "_"}
_GROUPED = frozenset({"num", "den", "deg", "lim", "sup", "sub"})
_SHAPES = frozenset({"f", "sSup", "sSub", "sSubSup", "rad"})
_UNSEEN = frozenset({"del", "moveFrom", "delText"})


def formula_text(formula: Element, depth: int = 0) -> str:
    """Return a formula with its fractions, powers and indices as they are typed."""
    if depth > DEEPEST:
        return f" {flat_text(formula)} "
    parts: list[str] = []
    before = ""
    for child in formula:
        name = local_name(child)
        if name in _UNSEEN or name.endswith("Pr"):
            continue
        if name == "t":
            parts.append(child.text or "")
            continue
        child_text = formula_text(child, depth + 1)
        # 1/(2x) is not 1/2x; an index is read as one all the same.
        is_single = child_text.isalnum() and (
            name == "sub" or child_text.isalpha() or child_text.isdigit()
        )
        if name in _GROUPED and len(child_text) > 1 and not is_single:
            child_text = f"({child_text})"
        if name == "rad":
            child_text = f"√({child_text})"
        elif name == "d":
            child_text = f"({child_text})"
        elif name == "e" and parts and local_name(formula) in {"mr", "eqArr"}:
            child_text = f" {child_text}"
        # What follows a power or a fraction is not of it: x^2 y.
        is_apart = before in _SHAPES and "".join(parts)[-1:].isalnum() and child_text[:1].isalnum()
        parts.append(
            f"{' ' if is_apart else ''}{_BEFORE.get(name, '')}{child_text}"
            if child_text.strip()
            else ""
        )
        before = name
    return "".join(parts)
