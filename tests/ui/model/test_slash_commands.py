"""The slash commands: completing them, and reading what was typed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askance.app.commands import (
    COMMANDS,
    CommandError,
    Wants,
    completions,
    is_plain,
    mode_of,
    parse,
)
from askance.app.own_files import OwnFiles
from askance.config.choices import AskMode
from askance.domain.conversation import (
    CHAT,
    SEARCH,
    SEARCH_THINKING,
    THINK,
    ParsedCommand,
    from_memory,
    searches,
    thinks,
)
from askance.domain.web_pages import SearchScope
from sampled import each_row

NAMES = [command.name for command in COMMANDS]
SHIPPED = [*OwnFiles().commands()]


def names(text: str) -> list[str]:
    return [completion.command.name for completion in completions(text)]


def test_every_command_says_in_one_line_what_it_does():
    assert len(set(NAMES)) == len(NAMES)
    for command in COMMANDS:
        assert command.about
        assert not command.about.endswith(".")
        assert len(command.about) < 50


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("/", [*NAMES, *SHIPPED]),
        ("\uff0f", [*NAMES, *SHIPPED]),
        ("/se", ["search", "settings"]),
        ("/SE", ["search", "settings"]),
        ("/re", ["rewrite", "refine", "reply"]),
        ("/lat", ["translate"]),
        ("/web", ["search"]),
        ("/privacy", ["settings"]),
        ("//se", ["search", "settings"]),
        ("/search ", []),
        ("search", []),
        ("/etc/", []),
        ("", []),
        ("/zzz", []),
    ],
)
def test_the_commands_that_go_on_from_what_was_typed(typed: str, found: list[str]):
    assert names(typed) == found


def test_a_completion_leaves_room_for_a_text_only_where_one_is_wanted():
    typed = {c.command.name: c.text for c in completions("/")}
    assert typed["search"] == "/search "
    assert typed["new"] == "/new"


@each_row(
    ("typed", "asked"),
    [
        ("when was the lamp lit?", ParsedCommand(SEARCH, "when was the lamp lit?")),
        ("  two\nlines ", ParsedCommand(SEARCH, "two\nlines")),
        ("/search when?", ParsedCommand("search", "when?")),
        ("/SEARCH\nwhen\nwas it?", ParsedCommand("search", "when\nwas it?")),
        ("\uff0fsearch 何時", ParsedCommand("search", "何時")),
        ("/new", ParsedCommand("new", "")),
        ("/history lamp", ParsedCommand("history", "lamp")),
        ("/tldr a long text", ParsedCommand("tldr", "a long text")),
        ("/chat when?", ParsedCommand(CHAT, "when?")),
        ("/etc/hosts what is it?", ParsedCommand(SEARCH, "/etc/hosts what is it?")),
        ("/ search", ParsedCommand(SEARCH, "/ search")),
        ("//new", ParsedCommand("new", "")),
        ("//export notes.md", ParsedCommand("export", "notes.md")),
        ("/\uff0f/search when?", ParsedCommand("search", "when?")),
        ("//server/share does not open", ParsedCommand(SEARCH, "//server/share does not open")),
        ("// is a comment?", ParsedCommand(SEARCH, "// is a comment?")),
        ("/usr is full, what now?", ParsedCommand(SEARCH, "/usr is full, what now?")),
        ("/etc, what is it?", ParsedCommand(SEARCH, "/etc, what is it?")),
        ("/Users or /home?", ParsedCommand(SEARCH, "/Users or /home?")),
        ("/24 subnet has how many hosts?", ParsedCommand(SEARCH, "/24 subnet has how many hosts?")),
        ("/r what does the letter mean?", ParsedCommand(SEARCH, "/r what does the letter mean?")),
        ("/new zealand capital", ParsedCommand(SEARCH, "/new zealand capital")),
        ("/settings of a loom explained", ParsedCommand(SEARCH, "/settings of a loom explained")),
    ],
)
def test_what_was_typed_is_read(typed: str, asked: ParsedCommand):
    assert parse(typed) == asked


@pytest.mark.parametrize(
    ("typed", "problem", "nearest"),
    [
        ("/", "Type a question first.", ""),
        ("//", "Type a question first.", ""),
        ("//search", "Type the question after /search.", ""),
        ("/search", "Type the question after /search.", ""),
        ("/tldr", "Select or paste a text, or type it after /tldr.", ""),
        ("/new x", "/new takes no text.", "/new"),
        ("", "Type a question first.", ""),
    ],
)
def test_what_cannot_be_done_is_said_with_the_nearest_thing(typed: str, problem: str, nearest: str):
    assert parse(typed) == CommandError(problem, nearest)


@pytest.mark.parametrize(
    ("typed", "nearest", "as_question"),
    [
        ("/serach x", "/search x", "/search /serach x"),
        ("//serach x", "/search x", "/search //serach x"),
        ("/sea", "/search", "/search /sea"),
        ("/Bulets", "/bullets", "/search /Bulets"),
        ("/qqq x", "", "/search /qqq x"),
        ("/usr", "", "/search /usr"),
        ("/think /serach x", "/think /search x", "/think /search /serach x"),
        ("/think /qqq x", "", "/think /search /qqq x"),
    ],
)
def test_an_unknown_command_is_not_searched_before_it_is_said(
    typed: str, nearest: str, as_question: str
):
    understood = parse(typed)
    assert isinstance(understood, CommandError)
    assert understood.nearest == nearest
    assert understood.as_question == as_question
    assert parse(as_question) == ParsedCommand(
        SEARCH_THINKING if "think" in typed else SEARCH, typed.removeprefix("/think ")
    )


@pytest.mark.parametrize(
    "typed", ["/var is full, what can I delete?", "/24 subnet, how many hosts?"]
)
@pytest.mark.parametrize("mode", AskMode)
def test_what_begins_like_a_path_is_a_question_in_every_mode(typed: str, mode: AskMode):
    assert parse(typed, mode=mode) == ParsedCommand(SEARCH if mode is AskMode.WEB else CHAT, typed)
    assert parse(f"/chat {typed}", mode=mode) == ParsedCommand(CHAT, typed)
    assert is_plain(typed)


def test_an_unknown_command_can_be_asked_of_what_is_in_front():
    understood = parse("/qqq x", mode=AskMode.CHAT)
    assert isinstance(understood, CommandError)
    assert parse(understood.as_question) == ParsedCommand(CHAT, "/qqq x")


@given(
    st.text("/\uff0f", min_size=1, max_size=3), st.from_regex(r"[^\s/\uff0f]{1,8}", fullmatch=True)
)
def test_no_word_behind_slashes_is_searched_as_a_question(slashes: str, word: str):
    match parse(slashes + word):
        case ParsedCommand(command=command):
            assert command == word.casefold()
        case CommandError(problem=problem):
            assert problem


def test_passages_of_the_library_are_asked_whatever_is_in_front_and_however_long_they_are():
    for typed, command in (
        ("Why?", SEARCH),
        ("/usr is full", SEARCH),
        ("/think Why?", SEARCH_THINKING),
    ):
        asked = parse(typed, quote=400 * "word ", mode=AskMode.CHAT, documents=("a",))
        assert isinstance(asked, ParsedCommand)
        assert (asked.command, asked.documents) == (command, ("a",))
    assert isinstance(parse("", quote="A passage.", documents=("a",)), CommandError)
    assert parse("/chat Why?", quote="A passage.", documents=("a",)) == ParsedCommand(CHAT, "Why?")


def test_a_quoted_text_is_what_a_text_command_works_on():
    assert parse("/translate", quote="Guten OriginTag") == ParsedCommand("translate", "")
    assert parse("/translate German", quote="Good day") == ParsedCommand("translate", "German")
    assert isinstance(parse("/search", quote="Good day"), CommandError)
    assert parse("", quote="Good day") == ParsedCommand(CHAT, "")


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("why?", ParsedCommand(CHAT, "why?")),
        ("/search why?", ParsedCommand(SEARCH, "why?")),
        ("/think why?", ParsedCommand(THINK, "why?")),
        ("/think /search why?", ParsedCommand(SEARCH_THINKING, "why?")),
        ("/tldr a text", ParsedCommand("tldr", "a text")),
    ],
)
def test_with_the_model_in_front_only_plain_text_is_asked_of_it(typed: str, asked: ParsedCommand):
    assert parse(typed, mode=AskMode.CHAT) == asked


LETTER = "Dear Ada, the doctor says that it is diabetes, and I have told nobody."


@pytest.mark.parametrize(
    ("question", "quote", "command"),
    [
        ("What is this?", LETTER, CHAT),
        ("What should she eat with diabetes?", LETTER, SEARCH),
        ("What is this?", "kenosis", SEARCH),
        ("", "kenosis", CHAT),
        ("What does the seventh clause of the treaty say?", 100 * "A clause. ", SEARCH),
        ("What does the seventh clause of the treaty say?", 200 * "A clause. ", CHAT),
    ],
)
def test_a_longer_quoted_text_is_not_searched_for_want_of_a_question(
    question: str, quote: str, command: str
):
    assert parse(question, quote=quote) == ParsedCommand(command, question)


@given(st.text(max_size=30))
def test_whatever_is_typed_is_a_command_of_the_table_plain_text_or_a_sentence(text: str):
    match parse(text):
        case ParsedCommand(command=command):
            assert command in {*NAMES, CHAT, SEARCH_THINKING}
        case CommandError(problem=problem):
            assert problem.endswith((".", "?"))


@given(st.sampled_from(COMMANDS))
def test_a_completed_command_is_understood(command):
    (first, *_) = completions(f"/{command.name}")
    assert first.command is command
    text = "" if command.wants is Wants.NOTHING else "x"
    asked = SEARCH_THINKING if command.name == THINK else command.name
    assert parse(first.text + text) == ParsedCommand(asked, text)


def test_what_may_be_asked_next_goes_on_from_what_was_asked():
    asked = ParsedCommand(SEARCH, "Who won the cup?", "A quote.", fresh=True, allowed=("Ada",))
    clarified = replace(asked, text="Who won the cup? in 1931", fresh=False)
    assert asked.clarified(" in 1931 ") == clarified
    assert clarified.allowing(["Lund"]) == replace(clarified, fresh=True, allowed=("Ada", "Lund"))
    alone = replace(asked, scope=SearchScope(documents=("d",))).without_web()
    # Documents are searched; of a quote the model alone may be asked.
    assert alone == ParsedCommand(CHAT, "Who won the cup?", "A quote.")
    assert alone.with_web() == replace(alone, command=SEARCH)
    assert ParsedCommand(THINK, "Why?").with_web().without_web() == ParsedCommand(THINK, "Why?")


@pytest.mark.parametrize(
    ("typed", "asked"),
    [
        ("/think why?", ParsedCommand(SEARCH_THINKING, "why?")),
        ("/think /chat why?", ParsedCommand(THINK, "why?")),
        ("/chat /think why?", ParsedCommand(THINK, "why?")),
        ("/think /search why?", ParsedCommand(SEARCH_THINKING, "why?")),
        ("/search /think why?", ParsedCommand(SEARCH_THINKING, "why?")),
        ("/SEARCH\n\uff0fTHINK why?", ParsedCommand(SEARCH_THINKING, "why?")),
        ("/think /think why?", ParsedCommand(SEARCH_THINKING, "why?")),
        (
            "/think /etc/hosts, what is it?",
            ParsedCommand(SEARCH_THINKING, "/etc/hosts, what is it?"),
        ),
        ("/search /thinking why?", ParsedCommand(SEARCH, "/thinking why?")),
        ("/search what /think does", ParsedCommand(SEARCH, "what /think does")),
    ],
)
def test_think_stands_alone_or_with_search_in_either_order(typed: str, asked: ParsedCommand):
    assert parse(typed) == asked


@pytest.mark.parametrize(
    ("typed", "problem", "nearest"),
    [
        ("/think", "Type the question after /think.", ""),
        ("/search /think", "Type the question after /search.", ""),
        ("/think /search", "Type the question after /search.", ""),
        ("/think /tldr x", "/think needs a question, alone or with /search or /chat.", "/tldr x"),
    ],
)
def test_what_think_does_not_go_with_is_said(typed: str, problem: str, nearest: str):
    assert parse(typed) == CommandError(problem, nearest)


def test_think_may_be_about_a_quoted_text_alone():
    assert parse("/think", quote="Good day") == ParsedCommand(THINK, "")
    assert isinstance(parse("/think /search", quote="Good day"), CommandError)


def test_a_table_without_think_takes_it_for_what_stands_there():
    table = tuple(command for command in COMMANDS if command.name != THINK)
    assert parse("/search /think x", table) == ParsedCommand(SEARCH, "/think x")
    assert isinstance(parse("/think x", table), CommandError)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("/search /", ["/search /think "]),
        ("/chat /", ["/chat /think "]),
        ("/think /", ["/think /search ", "/think /chat "]),
        ("/search /TH", ["/search /think "]),
        ("/Think /s", ["/Think /search "]),
        ("/think /think", []),
        ("/search x /th", []),
        ("/tldr /th", []),
        ("/search /t/", []),
    ],
)
def test_each_of_the_two_that_go_together_is_offered_behind_the_other(
    typed: str, offered: list[str]
):
    assert [completion.text for completion in completions(typed)] == offered


def test_what_a_command_does_is_known_by_its_name():
    assert [searches(name) for name in (CHAT, THINK, SEARCH, SEARCH_THINKING)] == [0, 0, 1, 1]
    assert [from_memory(name) for name in (CHAT, THINK, SEARCH, SEARCH_THINKING)] == [1, 1, 0, 0]
    assert [mode_of(name) for name in ("tldr", THINK, SEARCH)] == [None, AskMode.CHAT, AskMode.WEB]
    assert [thinks(name) for name in (CHAT, THINK, SEARCH, SEARCH_THINKING)] == [0, 1, 0, 1]


@pytest.mark.parametrize("typed", ["/help", "/help export", "/help me export it", "/HELP me"])
def test_help_is_shown_whatever_it_is_wanted_with(typed: str) -> None:
    assert parse(typed) == ParsedCommand("help", "")
