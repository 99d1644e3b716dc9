"""How the parts of an Office Open XML file (DOCX, XLSX, PPTX) name each other."""

from __future__ import annotations

import posixpath
from collections.abc import Container, Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from askance.extract.archives import Archive, Element


@dataclass(frozen=True, slots=True)
class Relation:
    """What a part says of another: the last word of its type, and the other part's name."""

    kind: str
    target: str


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace, of which there are two for each format."""
    tag = element.tag
    return tag[tag.rfind("}") + 1 :]


def attribute(element: Element, name: str, default: str = "") -> str:
    """Return an attribute by its name without its namespace."""
    end = f"}}{name}"
    for key, value in element.items():
        if key == name or key.endswith(end):
            return value
    return default


def child_of(element: Element, *names: str) -> Element | None:
    """Return the first descendant on a path of names without namespaces."""
    found: Element | None = element
    for name in names:
        if found is None:
            return None
        found = next((child for child in found if local_name(child) == name), None)
    return found


def is_on(element: Element | None) -> bool:
    """Whether a property that may be switched off by its value is there, and on."""
    return element is not None and attribute(element, "val", "1") not in {"0", "false", "off"}


def relations_of(archive: Archive, part: str) -> Mapping[str, Relation]:
    """Return the relations of a part by their numbers; those of the whole file for an empty name.

    What stands outside of the file is none of its parts.
    """
    folder, name = posixpath.split(part)
    found: dict[str, Relation] = {}
    for relation in archive.part(posixpath.join(folder, "_rels", f"{name}.rels")):
        if attribute(relation, "TargetMode") == "External":
            continue
        target = unquote(attribute(relation, "Target"))
        place = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
        kind = attribute(relation, "Type").rpartition("/")[2]
        found[attribute(relation, "Id")] = Relation(kind, place)
    return found


def target_of(relations: Mapping[str, Relation], kind: str, default: str = "") -> str:
    """Return the name of the first part of a kind."""
    return next((r.target for r in relations.values() if r.kind == kind), default)


def unrelated_parts(
    archive: Archive, part: str, relations: Mapping[str, Relation], kinds: Container[str]
) -> dict[str, Relation]:
    """Return the parts beside one that no relation names, where what they are usually called is one of `kinds`."""
    folder = posixpath.dirname(part)
    known = {relation.target for relation in relations.values()}
    found: dict[str, Relation] = {}
    for name in archive.names:
        kind = posixpath.splitext(posixpath.basename(name))[0].rstrip("0123456789")
        if posixpath.dirname(name) == folder and kind in kinds and name not in known:
            found[name] = Relation(kind, name)
    return found
