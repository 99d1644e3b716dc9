"""What the class names, ids, roles and item properties of elements say: the families of names that they belong to."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

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
_NONE: frozenset[str] = frozenset()


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
