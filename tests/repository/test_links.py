"""Links of the documents lead to files that are there, and paths and names in them to what has them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\]\(([^)#\s]{1,200})|(?:src|srcset)=\"([^\"]{1,200})\"")
_CODE = re.compile(r"`[^`\n]{0,300}`")
_MANY = 50
_PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)+)/?`")
# What other programs call so: a method of MCP, a file of Open WebUI.
_NOT_OURS = {"tools/list", "src/utils/title.ts"}
# Where a path of the documents may begin.
_ROOTS = (ROOT, ROOT / "src" / "askance")


def documents() -> list[Path]:
    return [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/*.md")]


def leads_to_something(path: str) -> bool:
    """Whether a file or folder is there, or a module with the name behind the last point."""
    module, _, name = path.rpartition(".")
    for root in _ROOTS:
        if (root / path).exists() or (root / f"{path}.py").exists():
            return True
        if (file := root / f"{module}.py").exists():
            return (
                re.search(
                    rf"^ *(?:def|class) {name}\b|^ *{name}\b.* = ",
                    file.read_text("utf-8"),
                    re.MULTILINE,
                )
                is not None
            )
    return False


def test_every_path_and_name_of_ours_is_there() -> None:
    tops = {folder.name for root in _ROOTS for folder in root.iterdir() if folder.is_dir()}
    paths = {
        (document.relative_to(ROOT).as_posix(), path)
        for document in documents()
        for path in _PATH.findall(document.read_text(encoding="utf-8"))
        # NAME stands for any.
        if path.split("/")[0] in tops and path not in _NOT_OURS and "NAME" not in path
    }
    assert len(paths) > _MANY
    assert {(name, path) for name, path in paths if not leads_to_something(path)} == set()


def test_every_link_to_a_file_leads_to_one() -> None:
    links = {
        (document.relative_to(ROOT).as_posix(), target)
        for document in documents()
        for found in _LINK.finditer(_CODE.sub("", document.read_text(encoding="utf-8")))
        if "://" not in (target := found[1] or found[2]) and not target.startswith("mailto:")
    }
    assert len(links) > _MANY
    broken = {
        (name, target) for name, target in links if not ((ROOT / name).parent / target).exists()
    }
    assert broken == set()
