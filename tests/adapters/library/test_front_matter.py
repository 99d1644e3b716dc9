"""The heads of notes, as Obsidian and others write them."""

from __future__ import annotations

import time

import pytest

from askance.adapters.library.files.parsing import Note, read_note


@pytest.mark.parametrize(
    ("head", "title", "tags"),
    [
        ("title: The ferry\ntags: [boats, 'old ones']", "The ferry", ("boats", "old ones")),
        ('title: "The: ferry"\ntags:\n- boats\n  - "#trips"', "The: ferry", ("boats", "trips")),
        ("tags: boats, trips\ncreated: 2024-05-14", "", ("boats", "trips")),
        ("cssclass:\n- x\ntag: boats", "", ("boats",)),
        ("created: 2024", "", ()),
    ],
)
def test_a_head_says_title_and_tags(head: str, title: str, tags: tuple[str, ...]) -> None:
    note = read_note(f"---\n{head}\n---\n\nText.\n---\n")
    assert (note.text, note.title, note.tags) == ("Text.\n---\n", title, tags)


@pytest.mark.parametrize(
    ("text", "tags", "properties"),
    [
        ("---\ndate created: 2024-03-01\ntags: [a/b]\n---\nT", ("a/b",), ("date created: 2024-03-01",)),
        ("---\nGröße: 12\nStatus 2: offen\ntags: [x]\n---\nT", ("x",), ("Größe: 12", "Status 2: offen")),
        ("---\n# from a template\ntags: [x] # mine\nurl: https://a.example/#top\n---\nT", ("x",), ("url: https://a.example/#top",)),
        ("---\nabout: >\n  A long\n  - text\ntags: x\n---\nT", ("x",), ("about: A long - text",)),
        ("---\nabout: >-\nA long\ntext: of lines\ntags: x\n---\nT", ("x",), ("about: A long", "text: of lines")),
        ("---\nauthor:\n  name: Ann\n  at: sea\ntags:\n- x\n---\nT", ("x",), ("author: name: Ann, at: sea",)),
        ("---\n'quoted key': \"a: b # c\"\nempty:\ntags: '#x'\n---\nT", ("x",), ("quoted key: a: b # c",)),
        ("---\na: 'it''s'\nb: \"He \\\"said\\\" \\u00e9 C:\\\\x\\y \\ud83d\"\ntags: x\n---\nT", ("x",), ("a: it's", 'b: He "said" é C:\\x\\y \\ud83d')),
        ('+++\ntitle = "Post"\ntags = ["x",\n "y"]\n[extra]\nmood = "calm"\nyear = 2024\n+++\nT', ("x", "y"), ("mood: calm", "year: 2024")),
    ],
)  # fmt: skip
def test_a_head_is_read_as_people_write_it(
    text: str, tags: tuple[str, ...], properties: tuple[str, ...]
) -> None:
    note = read_note(text)
    assert (note.text, note.tags, note.properties) == ("T", tags, properties)


@pytest.mark.parametrize(
    ("head", "aliases", "tags", "properties"),
    [
        ('aliases: ["Mill, Upper", Weir]\ntags: ["art, folk", x]', ("Mill, Upper", "Weir"), ("art, folk", "x"), ()),
        ("aliases:\n  - 'Mill, Upper'\n  - Weir, Lower", ("Mill, Upper", "Weir, Lower"), (), ()),
        ("tags: [a,\n  b c]\nsize: {w: 2, h: [3, 4]}", (), ("a", "b c"), ("size: w: 2, 3, 4",)),
        ("tags:\n\t- a\n\t- b\nwhen: yes\nat: 2024-05-14\nno: ~", (), ("a", "b"), ("when: yes", "at: 2024-05-14", "no: ~")),
        ("tags: [@work, home]\naliases: [one, two", ("one", "two"), ("@work", "home"), ()),
        ("note: one: two: three\nby: @ann\nplain: a\n  b", (), (), ("note: one: two: three", "by: @ann", "plain: a b")),
        ("a: &x [1, 2]\nb: *x\nc: [*x, *x]\nd: !!python/name:os.system x", (), (), ("a: 1, 2", "b: *x", "c: [*x, *x]", "d: x")),
    ],
)  # fmt: skip
def test_a_head_is_read_as_yaml_and_what_is_none_as_it_is_written(
    head: str, aliases: tuple[str, ...], tags: tuple[str, ...], properties: tuple[str, ...]
) -> None:
    note = read_note(f"---\n{head}\n---\nT")
    assert (note.text, note.aliases, note.properties) == ("T", aliases, properties)
    assert sorted(note.tags) == sorted(tags)


def test_a_note_has_other_names_and_tags_in_its_text() -> None:
    text = "Of #boats, (#sea/ferries) and #1899, #fff0a1, a#b, `#code`, #.\n\n```\n#include x\n```"
    note = read_note(f"---\naliases: [The boat, 'Ship']\ntags: trips\n---\n{text}")
    assert note.aliases == ("The boat", "Ship")
    assert note.tags == ("trips", "boats", "sea/ferries")
    assert note.text == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Text.",
        "---",
        "---\n\nA rule, then text.\n\n---\nMore.",
        "---\ntitle: never closed\n",
        "+++\nno toml\n+++\nT",
    ],
)
def test_a_text_without_a_head_stays_as_it_is(text: str) -> None:
    assert read_note(text) == Note(text)


def test_a_head_of_any_length_is_read_at_once() -> None:
    begun = time.thread_time()
    for piece in ("---\n", "a:\n", "- \n", " ", "-"):
        read_note("---\n" + piece * 100_000)
    for piece in ("[", "{a: ", "a:\n", "- ", "? ", "&a ", "a: [\n", "a: *b\n", "a: b: c\n"):
        read_note("---\na: " + piece * (15_000 // len(piece)) + "\n---\n")
    assert time.thread_time() - begun < 3
