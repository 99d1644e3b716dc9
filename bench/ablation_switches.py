"""The rules of the page reader that `bench.ablation` switches off, each with what stands in its place then."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from askance.extract.html.css.values import UNKNOWN, Length
from askance.extract.html.dates import DateKind
from askance.extract.html.tag_soup import MarkedSource


class Touch(Enum):
    """On which pages a rule does something: where its result is another one, where it is called, or on all."""

    RESULT = "result"
    CALL = "call"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Switch:
    """A rule: what is put in the place of its functions (`module:name`), and which others go with it."""

    name: str
    off: Mapping[str, Any]
    touch: Touch = Touch.RESULT
    gone: tuple[str, ...] = ()
    """Other functions that go with it, and modules that do as a whole."""

    def places(self) -> dict[str, list[str]]:
        """Return the names that go, by module; none where the whole module does."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for place in (*self.off, *self.gone):
            module, _, name = place.partition(":")
            found[module] += [name] if name else []
        return {m: [] if m in self.gone else names for m, names in found.items()}


def _always(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def _at(number: int) -> Callable[..., Any]:
    return lambda *args, **__: args[number]


_NOTHING, _NO, _EMPTY = _always(None), _always(False), _always(())
_FIRST, _SECOND = _at(0), _at(1)


def _rule(name: str, place: str, new: Any, touch: Touch = Touch.RESULT, *gone: str) -> Switch:
    return Switch(name, {place: new}, touch, gone)


_ASSEMBLY = (
    Switch(
        "late parts",
        {"html.assembly:mark_edges": _FIRST, "html.assembly:place_late_parts": _NOTHING},
    ),
    _rule("shadow trees", "html.assembly:shadow_trees", _always([]), Touch.RESULT,
          "html.assembly:show_shadow_trees", "html.css.sheets:scopes_of"),
    _rule("texts for want of scripts", "html.assembly:show_fallbacks", _NO),
    _rule("browsers' tree of a tag soup", "html.tag_soup:mark_wrappers",
          lambda text: MarkedSource(text, "", frozenset(), has_braces="{" in text), Touch.RESULT, "html.tag_soup"),
    _rule("what is left open in a cell", "html.tag_soup:_Source._end_in_cell", _NOTHING, Touch.CALL),
    _rule("boxes left open in an item", "html.tag_soup:_Source._end_boxes", _always(-1)),
    _rule("formatting opened again", "html.tag_soup:_Source._repeat", _NOTHING, Touch.CALL),
    _rule("ends beyond the deepest level", "html.tag_soup:_Source._flatten", _NOTHING, Touch.CALL,
          "html.tag_soup:_Source._end_beyond", "html.tag_soup:_Source._forget_beyond"),
    _rule("headings that others end", "html.tag_soup:_HEADINGS", frozenset(), Touch.ALL),
)  # fmt: skip
_TREE = (
    _rule("formulas", "html.formulas:write_formulas", _NOTHING, Touch.RESULT, "html.formulas"),
    _rule("formulas: pictures", "html.formulas:_of_image", _NOTHING),
    _rule("formulas: drawn by a library", "html.formulas:_of_whole", _NOTHING),
    _rule("formulas: scripts", "html.formulas:_of_script", _NOTHING),
    _rule("struck, raised or lowered by a style", "html.html_page:_mark_styled", _NOTHING),
    _rule("signs of sections", "html.html_page:_drop_section_signs", _NOTHING),
    _rule("struck by an element", "html.text_blocks:STRUCK", frozenset(), Touch.ALL),
    _rule("boxes in headings", "html.html_page:_open_headings", _NOTHING),
)  # fmt: skip
_WALLS = (
    _rule("consent banners", "html.walls:drop_banners", _NO),
    _rule("bot checks", "html.walls:is_bot_check", _NO),
    _rule("sign-in forms", "html.walls:is_sign_in", _NO),
    _rule("walls by their words", "html.walls:is_wall", _NO),
    _rule("remnants of walls", "html.walls:is_remnant", _NO),
    _rule("pages that await scripts", "html.walls:awaits_script", _NO),
    _rule("all where little was chosen", "html.html_page:LEAST_WORDS", 0, Touch.ALL),
)
_HIDDEN = (
    _rule("folds", "html.hidden_elements:Panels.folds", _always([]), Touch.RESULT),
    _rule("folds: named panels", "html.hidden_elements:Panels._named", _EMPTY),
    _rule("folds: tabs", "html.hidden_elements:Panels._tabs", _EMPTY),
    _rule("folds: behind a control", "html.hidden_elements:Panels._neighbours", _EMPTY),
    _rule("folds: slides", "html.hidden_elements:Panels._slides", _EMPTY),
    _rule("fade-ins and cloaks", "html.hidden_elements:_Page._uncovered", _always(set()), Touch.RESULT,
          "html.hidden_elements:_Styles._is_veil",
          "html.hidden_elements:_Page._has_script"),
    _rule("pages hidden as a whole", "html.hidden_elements:_wrappers", _always(frozenset())),
    _rule("aria-hidden", "html.hidden_elements:_is_unspoken", _NO),
    _rule("aria-hidden prose", "html.hidden_elements:_Styles._is_prose", _NO),
    _rule("classes for screen readers", "html.hidden_elements:_is_unseen_class", _NO),
    _rule("hidden, popover, dialog", "html.hidden_elements:_is_marked", _NO),
    _rule("style sheets", "html.css.sheets:sheets_in", _always({})),
    _rule("CSS: colours", "html.css.values:parse_ink", _always(UNKNOWN), Touch.RESULT, "html.css.values:is_picture"),
    _rule("CSS: same ink and paper", "html.css.computed:_is_inkless", _NO),
    _rule("CSS: off the screen", "html.css.computed:_is_away", _NO),
    _rule("CSS: boxes of no size", "html.css.computed:_is_thin", _NO),
    _rule("CSS: clip", "html.css.computed:_cuts_all", _NO),
    _rule("CSS: transform", "html.css.computed:Sizes.moved", _always((0.0, 0.0))),
    _rule("CSS: flat", "html.css.computed:_is_flat", _NO),
    _rule("CSS: sizes of letters", "html.css.computed:_font_size", _always(Length(px=16))),
    _rule("CSS: indent", "html.css.computed:_indent", _NOTHING),
    _rule("CSS: media queries", "html.css.sheets:holds_on_screen", _always(True)),
    _rule("CSS: places among siblings", "html.css.selectors:SiblingPosition.holds", _NO),
    _rule("CSS: lists in selectors", "html.css.selectors:_LISTS", frozenset(), Touch.ALL,
          "html.css.selectors:_Parser._add_list"),
    _rule("CSS: attributes in selectors", "html.css.selectors:_compare", _NO),
    _rule("CSS: browsers' own sheet", "html.css.sheets:attribute_values", _always({})),
    _rule("CSS: rules for lacking elements", "html.css.sheets:_Reader._may_apply", _always(True), Touch.CALL),
)  # fmt: skip
_BLOCKS = (
    _rule("tables in rows", "html.text_blocks:data_tables", _always(set()), Touch.RESULT,
          "html.text_blocks:TableRows", "html.text_blocks:_is_data"),
    _rule("tables: spans", "html.text_blocks:_span", _always(1)),
    _rule("code", "html.code_blocks:code_in", _always({}), Touch.RESULT, "html.code_blocks"),
    _rule("code: gutters", "html.code_blocks:_is_gutter", _NO),
    _rule("code: numbered tables", "html.code_blocks:_is_numbered", _NO),
    _rule("code: declared language", "html.code_blocks:declared_syntax", _always("")),
    _rule("raised text", "text.markdown_text:raised", _SECOND),
    _rule("lowered text", "text.markdown_text:lowered", _SECOND),
    _rule("numbers of items", "html.text_blocks:_Writer._number", _NOTHING, Touch.CALL),
)  # fmt: skip
_SELECTION = (
    _rule("selection", "html.selection:choose_blocks", _FIRST, Touch.ALL,
          "html.selection", "html.selection_features", "html.selection_weights"),
    _rule("Trafilatura's vote", "html.selection:voted_for", _always(set()), Touch.ALL),
    _rule("gaps", "html.selection:_between", _SECOND, Touch.ALL),
    _rule("boxes alike", "html.selection:_with_alike", _SECOND),
    _rule("heading above", "html.selection:_heading_above", _always([])),
    _rule("features: text", "html.selection_features:_text_names", _EMPTY, Touch.CALL),
    _rule("features: page", "html.selection_features:_page_names", _EMPTY, Touch.ALL),
    _rule("features: votes around", "html.selection_features:_vote_names", _EMPTY, Touch.ALL),
    _rule("features: container", "html.selection_features:_container_names", _EMPTY, Touch.ALL),
    _rule("features: names of elements", "html.selection_features:names_in", _always(frozenset()), Touch.ALL),
    _rule("features: boxes", "html.selection_features:_box_names", _EMPTY, Touch.ALL),
)  # fmt: skip
_METADATA = (
    _rule("title: headings", "html.metadata:MetadataReader._title", lambda self, _: (self._tab, None)),
    _rule("title: without the site", "html.metadata:MetadataReader._without_site", _SECOND),
    _rule("byline", "html.metadata:MetadataReader._byline", _always("")),
    _rule("byline: elements", "html.metadata:_name_elements", _always(([], []))),
    _rule("byline: lines", "html.metadata:_BY_WORD", re.compile(r"(?!)"), Touch.ALL),
    _rule("days", "html.metadata:_publication_days", _always(("", "")), Touch.RESULT, "html.dates"),
    _rule("days: lines", "html.metadata:_sort_days", _NOTHING, Touch.CALL),
    _rule("days: the only one", "html.metadata:_lone_day", _always("")),
    _rule("days: address", "html.metadata:_day_in_url", _always("")),
    _rule("days: rows of facts", "html.metadata:_kind_in_row", _always(DateKind.UNSAID)),
    _rule("JSON-LD", "html.metadata_sources:_json_items", _EMPTY),
    _rule("facts of the topic", "html.metadata_sources:is_of_topic", _NO),
)  # fmt: skip
SWITCHES = (*_ASSEMBLY, *_TREE, *_WALLS, *_HIDDEN, *_BLOCKS, *_SELECTION, *_METADATA)
