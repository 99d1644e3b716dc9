"""The features of blocks by which the main text of a page is chosen: what each says, and what stands around it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress
from typing import Any, cast

from askance.extract.html.text_blocks import Block, BlockKind
from askance.extract.html.tree import Node

# What short texts say that stand around an article: how they begin, or words anywhere in them.
_BEGINNINGS = {
    "share": r"(?:share|tweet|follow|like|print|email|save|teilen|partager|drucken|facebook|twitter|whatsapp)\b",
    "by": r"(?:by|von|par|por|posted|published|updated|last modified|written|author|geschrieben|veröffentlicht|autor)\b",
    "photo": r"(?:photo|image|foto|bild|credit|source|quelle|picture)\b",
    "tags": r"(?:tags?|categor(?:y|ies)|filed under|schlagw|topics?|kategorien?)\b",
    "digits": r"[\d\W]{1,40}$",
}
_BEGINNING = re.compile(
    "|".join(f"(?P<{name}>{its})" for name, its in _BEGINNINGS.items()), re.DOTALL
)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_TEXT_WORDS = {
    "comments": ("comment", "kommentar", "reply", "replies"),
    "more": (
        "read more", "more from", "more on", "more stories", "related", "recommended", "see also", "also read",
        "mehr zum", "weiterlesen", "lesen sie", "auch interessant", "lire aussi", "you may", "next:", "previous",
        "most read", "most popular",
    ),
    "subscribe": ("subscribe", "newsletter", "sign up", "log in", "login", "register", "anmelden", "abonn"),
    "rights": ("©", "copyright", "all rights reserved", "alle rechte", "(c)"),
    "photo": ("(photo", "(foto", "(ap", "getty", "afp", "reuters"),
    "advert": ("advert", "anzeige", "werbung", "publicité", "sponsored"),
    "privacy": ("cookie", "privacy", "datenschutz", "terms of"),
}  # fmt: skip
TEXT_CHARACTERS = 200
NAME_CHARACTERS = 300
_AREAS = frozenset({
    "nav", "aside", "footer", "header", "form", "figure", "table", "li", "article", "main", "blockquote", "section",
    "dl", "details", "address",
})  # fmt: skip
_ROLES = {
    "navigation": "nav", "complementary": "aside", "contentinfo": "footer", "main": "main", "article": "article",
}  # fmt: skip
_BAD = frozenset({"comment", "related", "ad", "side", "foot", "nav", "news", "cookie", "share"})
_GOOD = frozenset({"body", "content"})
_HOLDERS = frozenset({"div", "section", "article", "body", "main", "td"})
_ENDS = frozenset(".!?:;…。！？»”\"')")
_COMMAS = (",", "，", "、")  # noqa: RUF001
LONG_CHARACTERS = 80
SCORED_CHARACTERS = 25
CLASS_WEIGHT = 25
_NONE: frozenset[str] = frozenset()
Group = tuple[Any, ...]
"""What returns the names of some features, and the values that those depend on."""
# Limits between which a value makes no difference.
_LENGTHS = (15, 30, 60, 100, 200, 400)
_LINKS = (0.01, 0.2, 0.5, 0.9)
_PLACES = (0.02, 0.1, 0.5, 0.9, 0.98)
_SCORES = (0.05, 0.2, 0.5, 0.99)
_STEPS = (2, 4, 8, 20)
_BELOW_HEADING = (-8, -2, 0, 1, *_STEPS)
_LINK_SHARES = (0.05, 0.2, 0.4, 0.7)
_LONG_SHARES = (0.02, 0.1, 0.3, 0.7)
_NEAR_SHAPES, _NEAR_ALIKE = 4, 6
# What stands in rows, or beside others like it, in any text.
_PARTS = frozenset({"p", "tr", "td", "th", "h2", "h3", "h4", "tbody", "pre"})


@dataclass(slots=True, eq=False)
class _Box:
    """An element around blocks, and what it comes to."""

    tag: str
    outer: _Box | None
    names: frozenset[str]
    around: frozenset[str]  # the names of all that it stands in, too
    areas: frozenset[str]
    siblings: tuple[object, ...]
    characters: int = 0
    linked: int = 0
    long_characters: int = 0
    score: float = 0.0
    top: float = 0.0
    is_best: bool = False
    # Of the box and those around it, the innermost first: the share of links and of the page's long texts, and how
    # many boxes beside it are like it.
    shapes: tuple[tuple[int, int], ...] = ()
    alike: tuple[int, ...] = ()


def _phrases_in(text: str) -> list[str]:
    """Return what a short text says, in order."""
    folded = text.lower()
    found = {name for name, words in _TEXT_WORDS.items() if any(word in folded for word in words)}
    begin = _BEGINNING.match(folded)
    found.update(filter(None, [begin and begin.lastgroup, _YEAR.search(folded) and "year"]))
    return sorted(found)


def _own_names(
    kind: BlockKind, level: int, length: int, link: int, ends: bool, vote: bool
) -> Iterator[str]:
    yield f"length {length}"
    yield f"kind {kind.value}"
    yield f"vote {vote} kind {kind.value}"
    yield f"vote {vote} links {link}"
    yield f"ends {ends} length {length // 2}"
    if kind is BlockKind.HEADING:
        yield f"level {level} vote {vote}"


def _text_names(length: int, *phrases: str) -> Iterator[str]:
    return (f"text {name} {length}" for name in phrases)


def _page_names(long: int, votes: int, passed: int, vote: bool) -> Iterator[str]:
    yield f"page {long} vote {vote}"
    yield f"votes {votes} vote {vote}"
    yield f"place {passed}"


def _vote_names(
    vote: bool, ahead: int, hole: tuple[int, int] | None, is_beside: bool, far: int, length: int
) -> Iterator[str]:
    yield f"ahead {ahead} vote {vote}"
    if hole is not None:
        yield f"hole {hole[0]} {hole[1]}"
    if is_beside:
        yield "hole beside"
    if far >= 0:
        yield f"behind votes {far} length {length}"


def _container_names(
    score: int, is_best: bool, vote: bool, side: str, far: int, top: int | None
) -> Iterator[str]:
    yield f"score {score}"
    yield f"best {is_best} vote {vote}"
    yield f"best {is_best} {side}" if side == "within" else f"best {is_best} {side} {far}"
    if top is not None:
        yield f"top {top}"


def _names_with(relation: str, names: frozenset[str]) -> Iterator[str]:
    return (f"{relation} {name}" for name in names)


def _box_names(alike: int, *shapes: tuple[int, int]) -> Iterator[str]:
    yield f"alike {alike}"
    for step, (links, text) in enumerate(shapes):
        yield f"box {step} links {links}"
        yield f"box {step} long {text}"


class Features:
    """The features of all blocks of a page."""

    def __init__(self, blocks: Sequence[Block], voted: set[int]) -> None:
        self._blocks = blocks
        self._voted = voted
        self._votes = (min(voted, default=0), max(voted, default=0))
        self._boxes: dict[Node, _Box] = {}
        self._siblings: Counter[tuple[object, ...]] = Counter()
        self._of = [self._box(block.element) for block in blocks]
        self._sizes = [len(block.text) for block in blocks]
        self._links = [
            min(1.0, block.linked / (size or 1))
            for block, size in zip(blocks, self._sizes, strict=True)
        ]
        self._long = [
            size >= LONG_CHARACTERS and links < 1 / 3
            for size, links in zip(self._sizes, self._links, strict=True)
        ]
        self._known: dict[tuple[_Box, bool], list[Group]] = {}
        self._sum_up()

    def _box(self, element: Node) -> _Box:
        chain: list[Node] = []
        at: Node | None = element
        while at is not None and at not in self._boxes:
            chain.append(at)
            at = at.getparent()
        box = self._boxes[at] if at is not None else None
        for node in reversed(chain):
            # The outer ones first: `_sum_up` relies on the order of this table.
            box = self._boxes[node] = self._new_box(node, box)
        return cast("_Box", box)

    def _new_box(self, node: Node, outer: _Box | None) -> _Box:
        tag = str(node.tag)
        around, areas = (outer.around, outer.areas) if outer else (_NONE, _NONE)
        names = _NONE
        classes, role, item = node.get("class"), node.get("role"), node.get("itemprop")
        if tag not in {"html", "body"}:
            own_names = " ".join(filter(None, (classes, node.get("id"), role, item)))
            names = names_in(own_names[:NAME_CHARACTERS]) if own_names else _NONE
            area = _ROLES.get(role, tag) if role else tag
            if item and "articlebody" in item.lower():
                area = "article"
            if area in _AREAS and area not in areas:
                areas = areas | {area}
        if not names <= around:
            around = names | around
        siblings = (outer, tag, classes or "")
        self._siblings[siblings] += 1
        return _Box(tag, outer, names, around, areas, siblings)

    def _sum_up(self) -> None:
        for box, block, size, is_long in zip(
            self._of, self._blocks, self._sizes, self._long, strict=True
        ):
            box.characters += size
            box.linked += block.linked
            box.long_characters += size if is_long else 0
            # As Readability scores paragraphs, by commas and length: all of it for the box
            # around, half for the next one, a quarter for the one beyond.
            if size >= SCORED_CHARACTERS and block.linked < size / 2:
                self._score(box, 1 + sum(map(block.text.count, _COMMAS)) + min(size / 100, 3))
        for box in reversed(self._boxes.values()):  # the inner ones first
            if (outer := box.outer) is not None:
                outer.characters += box.characters
                outer.linked += box.linked
                outer.long_characters += box.long_characters
        best: _Box | None = None
        for box in self._boxes.values():
            if box.score:
                box.score += CLASS_WEIGHT * bool(box.names & _GOOD)
                box.score -= CLASS_WEIGHT * bool(box.names & _BAD)
                box.score *= 1 - min(1.0, box.linked / (box.characters or 1))
            box.top = max(box.score, box.outer.top if box.outer else 0.0)
            if best is None or box.score > best.score:
                best = box
        for box in self._boxes.values():
            box.is_best = box is best or (box.outer is not None and box.outer.is_best)
        self._best_score = best.score if best and best.score > 0 else float("inf")
        self._shape_boxes()
        within = [i for i, box in enumerate(self._of) if box.is_best and self._long[i]]
        self._first, self._last = (within[0], within[-1]) if within else (0, len(self._blocks) - 1)
        self._heading = next(
            (i for i, b in enumerate(self._blocks) if b.kind is BlockKind.HEADING and b.level == 1),
            None,
        )

    def _shape_boxes(self) -> None:
        whole_long = sum(compress(self._sizes, self._long)) or 1
        for box in self._boxes.values():  # the outer ones first
            links = bisect_right(_LINK_SHARES, box.linked / (box.characters or 1))
            shape = links, bisect_right(_LONG_SHARES, box.long_characters / whole_long)
            alike = 0 if box.tag in _PARTS else self._siblings[box.siblings]
            outer = box.outer
            box.shapes = (shape, *outer.shapes[: _NEAR_SHAPES - 1]) if outer else (shape,)
            box.alike = (alike, *outer.alike[: _NEAR_ALIKE - 1]) if outer else (alike,)

    def _score(self, box: _Box, score: float) -> None:
        at = box if box.tag in _HOLDERS else box.outer
        for share in (1, 2, 4):
            if at is None:
                break
            at.score += score / share
            at = at.outer

    def each(self) -> Iterator[tuple[list[Group], list[Group]]]:
        """Yield the groups of features of each block: its own, and those of what is around it.

        The latter are the same list for blocks in the same place.
        """
        count = len(self._blocks)
        votes = [place in self._voted for place in range(count)]
        whole = sum(self._sizes) or 1
        page = (
            bisect_right((0.15, 0.35, 0.6, 0.8), sum(compress(self._sizes, self._long)) / whole),
            bisect_right((0.1, 0.3, 0.6, 0.9), sum(compress(self._sizes, votes)) / whole),
        )
        passed = 0
        for place, (block, box, size) in enumerate(
            zip(self._blocks, self._of, self._sizes, strict=True)
        ):
            vote = votes[place]
            length = bisect_right(_LENGTHS, size)
            link = bisect_right(_LINKS, self._links[place])
            ends = block.text.rstrip("*_`")[-1:] in _ENDS
            groups: list[Group] = [
                (_own_names, block.kind, block.level, length, link, ends, vote),
                (_page_names, *page, bisect_right(_PLACES, passed / whole), vote),
                self._among_votes(place, votes, length),
                self._in_container(place, box, vote=vote),
            ]
            if size <= TEXT_CHARACTERS and (its := _phrases_in(block.text)):
                groups.append((_text_names, min(length // 2, 2), *its))
            passed += size
            yield groups, self._around(place)

    def _among_votes(self, place: int, votes: Sequence[bool], length: int) -> tuple[Any, ...]:
        back, ahead = sum(votes[max(0, place - 4) : place]), sum(votes[place + 1 : place + 5])
        hole: tuple[int, int] | None = None
        is_beside, far = False, -1
        if not votes[place] and self._voted:
            if self._votes[0] < place < self._votes[1]:
                hole = min(back, 2), min(ahead, 2)
                is_beside = bool(
                    back and ahead and self._of[place].outer is self._of[place - 1].outer
                )
            elif place > self._votes[1]:
                far = bisect_right((2, 4, 8), place - self._votes[1])
        return _vote_names, votes[place], ahead, hole, is_beside, far, length // 2

    def _in_container(self, place: int, box: _Box, *, vote: bool) -> tuple[Any, ...]:
        """Return where a block is beside the container with the most text, and beside the first heading."""
        score = bisect_right(_SCORES, box.top / self._best_score)
        side, far = "within", 0
        if place < self._first:
            side, far = "before", bisect_right(_STEPS, self._first - place)
        elif place > self._last:
            side, far = "behind", bisect_right(_STEPS, place - self._last)
        top = None
        if self._heading is not None:
            top = bisect_right(_BELOW_HEADING, place - self._heading)
        return _container_names, score, box.is_best, vote, side, far, top

    def _around(self, place: int) -> list[Group]:
        """Return the groups of features of all that is around a block: often the same for many."""
        box, vote = self._of[place], place in self._voted
        known = self._known.get((box, vote))
        if known is None:
            near = box.names | box.outer.names if box.outer else box.names
            known = self._known[box, vote] = [
                (_names_with, "in", box.areas),
                (_names_with, "around", box.around),
                (_names_with, "near", near),
                (_names_with, "vote in", box.areas if vote else _NONE),
                (_box_names, bisect_right(_STEPS, max(box.alike)), *box.shapes),
            ]
        return known


# What class names, ids, roles and item properties say of an element: with what such a name begins, and all of it.
_FAMILIES = {
    "comment": (
        "com dis rep res",
        r"comment(?!ary|ed)|disqus|respond|replies|reply",
    ),
    "related": (
        "als fur lat mor pop pro rea rec rel sim sug tea tre",
        r"relat|recommend|also|more-(?:from|on|stor)|read-?(?:next|more)|trending|popular"
        r"|teaser|promo|suggest|further|latest|recent|similar",
    ),
    "share": (
        "add fac fol sha soc twi",
        r"shar(?:e|ing)|social|follow|sociable|addthis|facebook|twitter",
    ),
    "ad": (
        "ad dfp out pai spo tab",
        r"(?:^|[-_ ])(?:ads?|advert|sponsor|outbrain|taboola|dfp)(?:$|[-_ \d])|paid",
    ),
    "nav": (
        "cru ind jum men nav pag ski sub tab toc",
        r"(?:^|[-_ ])(?:sub)?nav|navi|menu|crumb|pagina|pager|toc|tabs?(?:$|[-_ ])|skip|jump|index",
    ),
    "side": (
        "asi col com rai rig sec sid wid",
        r"side-?bar|aside|rail|widget|column-?(?:right|left)|right-?col|complementary|secondary",
    ),
    "foot": (
        "bot col cop dis foo leg lic",
        r"foot(?!note)|copyright|legal|disclaim|license|bottom|colophon",
    ),
    "head": (
        "ban hea log mas sit top",
        r"head(?!ing|line)|mast|banner|top(?!ic)|logo|site",
    ),
    "meta": (
        "aut ava bio byl con cre dat inf met pos pro pub tim vca",
        r"meta|byline|author|date|time|posted|publish|bio|avatar|credit|info|vcard|contributor|profile",
    ),
    "tags": (
        "cat key lab tag top",
        r"(?:^|[-_ ])tags?(?:$|[-_ ])|categor|topics|keyword|label",
    ),
    "news": (
        "cta don log mai new off pay reg sig sub",
        r"newsletter|subscri|sign-?up|mailing|cta|donat|paywall|login|regist|offer",
    ),
    "cookie": (
        "ale con coo dia gdp mod not ove pop pri toa",
        r"cookie|consent|gdpr|privacy|popup|modal|overlay|alert|notice|dialog|toast",
    ),
    "caption": (
        "cap car fig gal ima img med pho pla sli vid",
        r"caption|photo|image|img|gallery|figure|media|video|player|slide|carousel",
    ),
    "body": (
        "art blo bod con cop ent mai mar mw- new pag par pos pro ric rte sto tex wys",
        r"article-?_*(?:body|text|content)"
        r"|(?:entry|post|story|page|main|text|body|blog|news)[-_]*(?:body|content|text|entry)"
        r"|content-?(?:body|main|text)|prose|markdown|rich-?text|mw-parser|rte|copy(?!right)|paragraph|wysiwyg",
    ),
    "content": (
        "art blo bod con ent mai pos sto tex",
        r"content|article|main|post|story|entry|text|body|blog",
    ),
    "title": (
        "hea tit",
        r"title|headline|heading",
    ),
    "lead": (
        "abs dec dek des exc int kic lea sta sub sum",
        r"lead|stand-?first|dek|intro|summary|subtitle|subhead|abstract|excerpt|deck|kicker|description",
    ),
    "code": (
        "cod hig pre syn",
        r"code|highlight|syntax|pre(?:$|[-_ ])",
    ),
    "tool": (
        "act btn but con edi ema fee for ico inp pri rat sea too vot",
        r"tool|button|btn|print|email|action|icon|form|search|input|rating|vote|edit|controls|feedback",
    ),
    "note": (
        "bib cit not ref",
        r"note|reference|citation|refs|biblio",
    ),
    "forum": (
        "ans dis for mes qa que thr top",
        r"thread|topic|message|answer|question|forum|qa|discussion",
    ),
    "product": (
        "car gri ite lis pri pro res sho til",
        r"product|price|shop|cart|item|card|list|grid|result|tile",
    ),
}
_NUMBERS = re.compile(r"\d+")
_FAMILY_PATTERNS = {name: re.compile(pattern) for name, (_, pattern) in _FAMILIES.items()}
# The beginnings by their first two letters: one look at a word tells which few of the patterns may find anything.
_BY_LETTERS: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
for _name, (_beginnings, _) in _FAMILIES.items():
    for _beginning in _beginnings.split():
        _BY_LETTERS[_beginning[:2]].append((_beginning, _name))


@lru_cache(maxsize=16_384)
def _names_of(word: str) -> frozenset[str]:
    # A pattern that does not regard case looks for its first letters more slowly. None tells numbers apart, which
    # ids are made of.
    return _names_of_shape(_NUMBERS.sub("0", word.lower()))


@lru_cache(maxsize=16_384)
def _names_of_shape(word: str) -> frozenset[str]:
    may_be = {
        name
        for at in range(len(word) - 1)
        for beginning, name in _BY_LETTERS.get(word[at : at + 2], ())
        if word.startswith(beginning, at)
    }
    return frozenset(name for name in may_be if _FAMILY_PATTERNS[name].search(word))


@lru_cache(maxsize=4096)
def names_in(text: str) -> frozenset[str]:
    """Return the families of names that the words of a text belong to."""
    words = text.split()
    return _NONE.union(*map(_names_of, words)) if words else _NONE
