"""Links of the documents lead to files that are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\]\(([^)#\s]{1,200})|(?:src|srcset)=\"([^\"]{1,200})\"")
_CODE = re.compile(r"`[^`\n]{0,300}`")
_MANY = 50


def test_every_link_to_a_file_leads_to_one() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packaging/*.md")]
    links = {
        (document.relative_to(ROOT).as_posix(), target)
        for document in documents
        for found in _LINK.finditer(_CODE.sub("", document.read_text(encoding="utf-8")))
        if "://" not in (target := found[1] or found[2]) and not target.startswith("mailto:")
    }
    assert len(links) > _MANY
    broken = {
        (name, target) for name, target in links if not ((ROOT / name).parent / target).exists()
    }
    assert broken == set()
