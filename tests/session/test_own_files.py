"""Commands and lenses in files: what is typed finds them, and a broken one says what is wrong, and where."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from askance.app.commands import (
    COMMANDS,
    CommandError,
    as_stored,
    asked_by_own,
    completions,
    is_plain,
    lens_rows,
    parse,
    with_own,
)
from askance.app.own_files import (
    LARGEST_BYTES,
    MOST_SITES,
    OwnFiles,
    own_files,
    render,
    use_own_files,
)
from askance.config.choices import AskMode
from askance.domain.conversation import (
    CHAT,
    SEARCH,
    SEARCH_THINKING,
    THINK,
    CommandMode,
    OwnCommand,
    ParsedCommand,
)
from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.domain.web_pages import WHOLE_WEB, Recency, SearchScope

BROKEN = {
    "commands/mode.md": ("---\ndescription: x\nmode: loud\n---\nDo.", 3),
    "commands/yaml.md": ("---\ndescription: x\nmode: [\n---\nDo.", 4),
    "commands/open.md": ("---\ndescription: x\n", 1),
    "commands/empty.md": ("---\ndescription: x\n---\n\n", 4),
    "commands/slip.md": ("---\ndescription: x\n---\nSum up\n{selecton}", 5),
    "commands/key.md": ("---\nmodle: x\n---\nDo.", 2),
    "commands/nested.md": ("---\nmode:\n  web: yes\n---\nDo.", 3),
    "commands/list.md": ("---\n- a\n---\nDo.", 2),
    "commands/deep.md": ("---\nmode: " + "[" * 20_000 + "\n---\nDo.", 2),
    "commands/long.md": ("x" * (LARGEST_BYTES + 1), 1),
    "lenses/none.md": ("Notes alone.", 1),
    "lenses/path.md": ("---\ndescription: x\nonly:\n  - https://x.org/y\n---\n", 4),
    "lenses/many.md": (
        f"---\nnever: [{', '.join(f's{i}.org' for i in range(MOST_SITES + 1))}]\n---",
        2,
    ),
    "lenses/only.md": (f"---\nonly: [{', '.join(f's{i}.org' for i in range(11))}]\n---", 2),
}


def write(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    use_own_files(tmp_path)
    yield tmp_path
    use_own_files(Path("no-such-folder"))


def understood(text: str, quote: str = "", mode: AskMode = AskMode.WEB) -> ParsedCommand:
    parsed = parse(text, quote=quote, mode=mode)
    assert isinstance(parsed, ParsedCommand), parsed
    return parsed


def test_a_file_is_a_command_as_soon_as_it_is_there_and_as_long(folder: Path) -> None:
    assert isinstance(parse("/minutes of today"), CommandError)
    file = write(
        folder, "commands/minutes.md", "---\nmode: web\nmodel: big\n---\nWhat of {argument}?"
    )
    asked = understood("/minutes of today")
    own = OwnCommand("minutes", "What of {argument}?", CommandMode.WEB, "big")
    assert (asked.command, asked.own, asked.question) == (SEARCH, own, "of today")
    file.write_text("Other {argument}")
    os.utime(file, ns=(1, 1))
    assert understood("/minutes x").own == OwnCommand("minutes", "Other {argument}")
    assert [c.text for c in completions("/minu")] == ["/minutes "]
    assert not is_plain("/minutes x")
    file.unlink()
    assert isinstance(parse("/minutes x"), CommandError)


def test_no_file_takes_the_name_of_a_command_of_the_program(folder: Path) -> None:
    for command in COMMANDS:
        write(folder, f"commands/{command.name}.md", "Mine.")
    rows = [row.name for row in with_own(COMMANDS)]
    assert sorted(rows) == sorted({*rows})
    found = {c.text: c.command.about for c in completions("/searc")}
    assert found["/search.md "].startswith("/search is a command of the program")
    assert understood("/search x").own is None
    found = asked_by_own("/search x", own_files())
    assert isinstance(found, ParsedCommand)
    assert found.own is None
    assert asked_by_own("/etc/hosts x", own_files()) is None
    assert asked_by_own("Why?", own_files()) is None


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_says_what_is_wrong_in_which_line(folder: Path, name: str) -> None:
    text, line = BROKEN[name]
    write(folder, name, text)
    kind, _, file = name.partition("/")
    sign = "/" if kind == "commands" else "@"
    problem = parse(f"{sign}{Path(file).stem} words")
    assert isinstance(problem, CommandError)
    assert re.match(rf"{re.escape(file)}, line {line}: ", problem.problem), problem.problem
    assert problem.problem.count(". ") == 0
    rows = {row.label: row.about for row in (*with_own(()), *lens_rows())}
    assert rows[f"{sign}{Path(file).stem}"] == problem.problem
    assert understood("/reply", quote="The others still work.").own


def test_what_is_no_text_is_a_broken_file_or_none(folder: Path) -> None:
    write(folder, "commands/bytes.md", b"---\ndescription: x\n---\n\xff")
    assert isinstance(found := own_files().commands()["bytes"].holds, Message)
    assert found.values["n"] == 4
    (folder / "commands" / "folder.md").mkdir()
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "commands" / "pipe.md")
    (folder / "commands" / "gone.md").symlink_to(folder / "nowhere")
    for name in ("7.md", "a.md", "two words.md", "image.png"):
        write(folder, f"commands/{name}", "x")
    shipped = OwnFiles().commands()
    assert {*own_files().commands()} == {"bytes", *shipped}


@pytest.mark.parametrize(
    "text", ["\ufeffDo.\r\nThen this.", "\ufeff---\r\nmode: chat\r\n---\r\nDo.\r\nThen this."]
)
def test_files_of_other_editors_and_places_are_read(folder: Path, text: str) -> None:
    """With a byte order mark, with CRLF, behind a link out of the folder, under a name as macOS writes it."""
    outside = write(folder, "dotfiles/mine.md", text)
    (folder / "commands").mkdir()
    (folder / "commands" / "re\u0301sume\u0301.md").symlink_to(outside)
    own = understood("/r\u00e9sum\u00e9 x").own
    assert own
    assert own.prompt == "Do.\nThen this."


def test_a_lens_narrows_the_question_that_stands_behind_it(folder: Path) -> None:
    head = "---\nonly: [www.A.org, b.org]\nprefer: c.org\nnever:\n  - d.org\n---\n"
    write(folder, "lenses/mine.md", head)
    scope = SearchScope(("a.org", "b.org"), preferred=("c.org",), excluded=("d.org",))
    for typed, command in {
        "@mine why?": SEARCH,
        "\uff20MINE why?": SEARCH,
        "@mine /think why?": SEARCH_THINKING,
        "/think @mine why?": SEARCH_THINKING,
        "/search @mine why?": SEARCH,
    }.items():
        asked = understood(typed, mode=AskMode.CHAT if typed[0] == "@" else AskMode.WEB)
        assert (asked.command, asked.scope, asked.lens) == (command, scope, "mine"), typed
        assert (asked.text, asked.question) == ("@mine why?", "why?")
    assert understood("@mine why?").without_web().with_web().scope == scope
    assert [c.text for c in completions("@mi")] == ["@mine "]
    assert not is_plain("@mine why?")


def test_what_is_nearly_a_lens_is_not_searched_everywhere(folder: Path) -> None:
    problem = parse("@papres bees")
    assert isinstance(problem, CommandError)
    assert problem.nearest == "@papers bees"
    assert understood(problem.as_question).text == "@papres bees"
    assert understood("@rosalind who is that?").scope == WHOLE_WEB


def test_a_lens_that_was_deleted_is_said_and_nothing_is_searched_in_its_place(folder: Path) -> None:
    file = write(folder, "lenses/calm.md", "---\nnever: loud.org\n---")
    assert understood("@calm why?").lens == "calm"
    file.unlink()
    for typed in ("@calm why?", "\uff20Calm why?", "/search @calm why?", "/think @calm why?"):
        problem = parse(typed)
        assert isinstance(problem, CommandError), typed
        assert problem.problem == "There is no lens @calm any more."
        assert understood(problem.as_question).question == "why?"
    assert isinstance(parse("/news @calm bees"), CommandError)
    # After a restart the history knows of it, where its queries did not have the word.
    use_own_files(folder)
    assert understood("@calm why?").scope == WHOLE_WEB
    assert as_stored(SEARCH, "@calm why?", "", ("@calm why?",)).own_names == ()
    assert as_stored(SEARCH, "/news @calm why?", "", ("why",)).own_names == ("/news", "@calm")
    assert as_stored(SEARCH, "/24 subnet", "", ()).own_names == ()
    assert isinstance(parse("@calm why?"), CommandError)


@pytest.mark.parametrize("typed", ["@papers", "@papers /chat x", "@papers /tldr x", "@papers /new"])
def test_a_lens_goes_with_a_question_to_the_web(folder: Path, typed: str) -> None:
    assert isinstance(parse(typed), CommandError)


def test_a_lens_goes_with_an_own_command(folder: Path) -> None:
    for typed in ("@papers /news bees", "/news @papers bees"):
        asked = understood(typed)
        assert asked.own
        assert (asked.lens, asked.text, asked.question) == ("papers", "/news @papers bees", "bees")
    thought = understood("/think /reply yes")
    assert (thought.command, thought.own and thought.own.name) == (THINK, "reply")


def test_what_is_filled_in_is_not_read_for_variables_again() -> None:
    own = OwnCommand("x", 'For {argument}: {selection} on {date}, as {"a": {b}}')
    texts = {"selection": "{clipboard} {argument}", "clipboard": "secret", "date": "2026-01-02"}
    filled = render(own, "{selection}", texts, lambda text: f"<{text}>")
    assert filled == 'For {selection}: <{clipboard} {argument}> on 2026-01-02, as {"a": {b}}'
    assert render(OwnCommand("x", "Do."), "this", {}) == "Do.\n\nthis"


def test_the_options_of_a_lens_and_of_sites_go_together_where_they_can(folder: Path) -> None:
    write(folder, "lenses/calm.md", "---\nnever: loud.org\n---")
    own = own_files()
    assert own.scope(["a.org"], "week", "@calm") == SearchScope(
        ("a.org",), Recency.WEEK, excluded=("loud.org",)
    )
    for lens, sites in (("nosuch", None), ("papers", ["a.org"])):
        with pytest.raises(InputError):
            own.scope(sites, None, lens)


def test_the_shipped_ones_are_sound_and_say_what_they_are_for() -> None:
    for file in (*OwnFiles().commands().values(), *OwnFiles().lenses().values()):
        assert not isinstance(file.holds, Message), file
        assert file.about
    chat = OwnFiles().commands()["reply"].holds
    assert isinstance(chat, OwnCommand)
    assert understood("/reply", quote="A letter.").command == CHAT
