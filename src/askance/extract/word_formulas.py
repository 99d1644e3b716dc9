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
        said = formula_text(child, depth + 1)
        if name in _GROUPED and len(said) > 1 and not said.isalnum():
            said = f"({said})"
        if name == "rad":
            said = f"√({said})"
        elif name == "d":
            said = f"({said})"
        elif name == "e" and parts and local_name(formula) in {"mr", "eqArr"}:
            said = f" {said}"
        parts.append(f"{_BEFORE.get(name, '')}{said}" if said.strip() else "")
    return "".join(parts)
