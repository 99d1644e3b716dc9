"""Formulas of Word on one line."""

from __future__ import annotations

from askance.extract.archives import Element
from askance.extract.document_text import DEEPEST, flat_text
from askance.extract.open_packaging import local_name

_BEFORE = {"den": "/", "sup": "^", "sub": "_", "mr": " ", "lim": "_"}
_GROUPED = frozenset({"num", "den", "deg", "lim", "sup", "sub"})
_UNSEEN = frozenset({"del", "moveFrom", "delText"})


def formula_text(formula: Element, depth: int = 0) -> str:
    """Return a formula with its fractions, powers and indices as they are typed."""
    if depth > DEEPEST:
        return f" {flat_text(formula)} "
    parts: list[str] = []
    for child in formula:
        name = local_name(child)
        if name in _UNSEEN or name.endswith("Pr"):
            continue
        if name == "t":
            parts.append(child.text or "")
            continue
        child_text = formula_text(child, depth + 1)
        if name in _GROUPED and len(child_text) > 1 and not child_text.isalnum():
            child_text = f"({child_text})"
        if name == "rad":
            child_text = f"√({child_text})"
        elif name == "d":
            child_text = f"({child_text})"
        elif name == "e" and parts and local_name(formula) in {"mr", "eqArr"}:
            child_text = f" {child_text}"
        parts.append(f"{_BEFORE.get(name, '')}{child_text}" if child_text.strip() else "")
    return "".join(parts)
