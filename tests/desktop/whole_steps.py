"""What a person does from a machine with nothing to all that can be done with an answer, step by step.

Each step begins and ends with the window in front, and goes one way: by the pointer, or by the keyboard.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage

from askance.app.model_tiers import model_tiers
from desktop import files_window
from desktop.browser_window import COLOUR
from desktop.display import place_of_colour
from desktop.seen_program import PORTS
from desktop.test_walk import from_sources_or_memory
from desktop.walking import TESTS, Walker
from desktop.ways import ByKeys, Way, row_of, says
from desktops import selection_window
from servers import xllamacpp_fake
from servers.model_hub import Hub
from servers.model_script import number_of
from servers.ollama import shown, tag
from servers.pdf_files import Page, pdf_file
from servers.world import LIGHTHOUSE, QUESTION, TITLES, knowing_model, the_answer
from ui.whole.neighbours import Neighbours, neighbours
from waiting import PATIENCE_S

ANOTHER = "Where are her drawings today?"
NEXT = "What else did Clara Whitlow build?"
ELSEWHERE = "The ferry goes at seven, and the harbour is closed on Sundays."
BERTH = "A berth of nine metres costs 412 crowns in July, says Quillmark."
DUES = "What does a berth of nine metres cost in July?"
SIGN = "What does the sign say?"
SEEING = "eye:latest"
LOW = 400
CHOOSE = says("Choose a model", "Modell wählen")
USE = says("Use it", "Verwenden")
DOWNLOAD = "Download .* GB|GB herunterladen"
ASK = says("Ask a question", "Eine Frage stellen")
SEND = says("Ask$", "Fragen")
TESSERACT = f"""#!/bin/sh
if [ "$1" = --list-langs ]; then printf 'List:\\neng\\n'; else printf '{BERTH}\\n' > "$2.txt"; fi
"""
"""Reads of every picture the same."""


def answer_or_suggest(prompt: str) -> str:
    """A model that says what may be asked next where that is its task."""
    if "Task: say what the user may ask next" in prompt:
        return f"{NEXT}\n{ANOTHER}"
    for file in ("dues.pdf", "sign.png"):
        if f"] {file}" in prompt:
            return f"A berth costs 412 crowns in July [{number_of(prompt, file)}]."
    # Who knows the lighthouse alone gives up: the second round finds who built it.
    return the_answer(prompt) if TITLES[LIGHTHOUSE] in prompt else from_sources_or_memory(prompt)


@contextmanager
def served_world() -> Iterator[Neighbours]:
    """Serve the web, a model that sees no pictures beside one that does, and the former by a hub and llama.cpp."""
    script = knowing_model(answer=[answer_or_suggest])
    script.ollama.tags.append(tag(SEEING))
    script.ollama.shows[SEEING] = shown(script.context, "completion", "vision")
    files = {tier.repository: tier.file for tier in model_tiers()}
    hub = Hub(b"", files)
    with neighbours(script, {"llama": script.by_llama_cpp(), "hub": hub.answer}) as around:
        # Where the file is loaded the fake llama.cpp finds who plays it.
        hub.content = b"GGUF" + b" " * 3_000_000 + f"at {around.servers['llama'].url}".encode()
        yield around


def environment(home: Path, around: Neighbours, *, has_server: bool) -> dict[str, str]:
    """Of a person with a search engine, whose model server runs on a port that is known, or who has none."""
    (home / "config").mkdir(parents=True)
    # At the usual place there may be another one, on the machine of a developer.
    (home / "config" / "settings.toml").write_text('llm.url = "http://127.0.0.1:9"\n', "utf-8")
    packages = home / "packages"
    packages.mkdir()
    (packages / "xllamacpp.py").write_text(xllamacpp_fake.SOURCE, "utf-8")
    ports = {around.model.loopback.port: "Ollama"} if has_server else {}
    found = around.environment(
        home,
        ASKANCE_WINDOW__HOTKEY="Ctrl+Alt+A",
        ASKANCE_LLM__HUB=around.servers["hub"].url,
        PYTHONPATH=os.pathsep.join(map(str, (packages, TESTS))),
        **{PORTS: json.dumps(ports)},
    )
    del found["ASKANCE_LLM__URL"]
    return found


@contextmanager
def another_program(walker: Walker, program: Any, *arguments: str) -> Iterator[QPoint]:
    """A window of another program over all of the screen, or a small one; where in it no other window is."""
    command = [sys.executable, program.__file__, *arguments]
    screen, colour = walker.screen, QColor(program.COLOUR)
    # A desktop fades out the window of the one before for a while after its process has ended.
    walker.until_shown(lambda: place_of_colour(screen.picture(), colour).isEmpty())
    process = subprocess.Popen(command, env=walker.environment)  # noqa: S603 - this Python
    try:
        # Not at the corner itself: the pointer may be there, and in the picture.
        beside = screen.corner - QPoint(0, 60)
        if files_window.BESIDE in arguments:
            places = [QRect()]

            def stands() -> bool:
                places[:] = [places[-1], place_of_colour(screen.picture(), colour)]
                return places[0] == places[1] and not places[1].isEmpty()

            walker.until_shown(stands)
            yield places[-1].bottomLeft() + QPoint(20, -20)
        else:
            walker.until_shown(lambda: screen.colour(beside) == colour)
            yield screen.corner
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


def is_here(seen: dict[str, Any]) -> bool:
    return bool(seen["paper"]) and seen["active"] == "Askance"


def back(walker: Walker) -> None:
    """Have the window with the keyboard, whatever was used meanwhile."""
    if not is_here(walker.until_still()):
        walker.screen.hands.press(*walker.hotkey)
    walker.until(is_here)


def has_button(words: str) -> Callable[[dict[str, Any]], bool]:
    return lambda seen: any(re.search(words, text) for text, _ in seen["buttons"])


def has_focus(words: str) -> Callable[[dict[str, Any]], bool]:
    return lambda seen: bool(re.search(words, seen["focus"]))


def new_conversation(way: Way) -> None:
    way.press(says("New conversation", "Neues Gespräch"), "Control_L", "n")
    way.walker.until(lambda seen: not seen["states"])


def ask(way: Way, question: str) -> dict[str, Any]:
    """Ask in a conversation that is new, and read the answer."""
    type_in(way.walker, question)
    way.press(SEND, "Return")
    return way.walker.until(lambda seen: seen["states"] == ["ANSWERED"])


def type_in(walker: Walker, text: str) -> None:
    walker.screen.hands.type(text)
    walker.until(lambda seen: seen["typed"] == text)


def get_model(way: Way, around: Neighbours, *, has_server: bool) -> None:
    """From a bar that has no model to one that has, by the one main button of each state."""
    walker = way.walker
    walker.until(has_button(CHOOSE))
    walker.keep("no-model")
    way.press(CHOOSE, "Alt_L", "Return")
    main = USE if has_server else DOWNLOAD
    walker.until(has_button(main))
    walker.until(has_focus(main))
    walker.keep("first-page")
    hub = around.servers["hub"]
    held = hub.hold(lambda request: "/resolve/" in request.path)
    way.press(main, "Return")
    if not has_server:
        assert held.reached.wait(PATIENCE_S)
        walker.keep("downloading")
        held.let_go()
    hub.mend()
    walker.until(has_focus(ASK))
    walker.keep("model-is-there")
    way.press(ASK, "Return")
    walker.until(is_here)


def ask_and_see_sources_first(way: Way, around: Neighbours) -> None:
    walker = way.walker
    held = around.web.hold()
    type_in(walker, QUESTION)
    walker.keep("typed")
    way.press(SEND, "Return")
    assert held.reached.wait(PATIENCE_S)
    seen = walker.until(lambda seen: seen["sources"] and seen["states"] == ["RUNNING"])
    assert not seen["drafted"]
    walker.keep("sources-before-the-first-word")
    held.let_go()
    around.web.mend()
    walker.until(lambda seen: seen["states"] == ["ANSWERED"])
    walker.until_still()
    walker.keep("answered")


def see_quote_and_page(way: Way) -> None:
    walker = way.walker
    way.go_to_number()
    seen = walker.until(lambda seen: seen["popup"])
    walker.keep("quote")
    # Under Wayland nobody tells where the card is.
    if seen["platform"] != "wayland":
        assert not QRect(*seen["popup"]).intersects(QRect(*seen["markers"][0]))
    at = walker.at(seen["markers"][0])
    way.open_source()
    browser = QColor(COLOUR)
    walker.until_shown(lambda: walker.screen.colour(at) == browser)
    walker.until(lambda seen: not seen["paper"])
    walker.keep("page")
    walker.screen.hands.press("Alt_L", "F4")
    walker.until_shown(lambda: walker.screen.colour(at) != browser)
    walker.screen.hands.press(*walker.hotkey)
    walker.until(is_here)


def copy(way: Way) -> None:
    way.press(says("Copy$", "Kopieren$"), "Control_L", "c")
    way.walker.until(lambda seen: "Clara Whitlow" in seen["clipboard"])
    way.walker.keep("copied")


def take_what_is_suggested(way: Way) -> None:
    walker = way.walker
    walker.until(has_button("drawings"))
    walker.keep("suggested")
    if isinstance(way, ByKeys):
        walker.until(lambda seen: seen["field_focused"])
        walker.screen.hands.press("Tab")
        walker.until(lambda seen: seen["typed"] == NEXT)
        walker.screen.hands.press("Return")
    else:
        way.press("drawings")
    walker.until(lambda seen: seen["states"] == ["ANSWERED", "ANSWERED"])
    walker.keep("suggested-answered")


def rewrite_selection(way: Way) -> None:
    walker = way.walker
    new_conversation(way)
    with another_program(walker, selection_window, ELSEWHERE) as corner:
        selection_window.select_all(walker.screen.hands, corner)
        walker.until(lambda seen: not is_here(seen))
        walker.screen.hands.press(*walker.hotkey)
        walker.until(lambda seen: is_here(seen) and seen["offer"] == ELSEWHERE)
        walker.keep("selection-offered")
        way.press(says("Add selected", "Markierten"), "Tab")
        walker.until(lambda seen: seen["chips"] == [ELSEWHERE])
        ask(way, "/reply yes")
        walker.keep("command-answered")


def ask_files(way: Way, folder: Path) -> None:
    """Paste a file that was copied elsewhere, drop another one, and ask both: the answer cites a page."""
    walker = way.walker
    texts = ("Of ropes and lamps.", BERTH, "Of barrels.")
    for name, pages in (("dues.pdf", texts), ("barrels.pdf", texts[2:])):
        drawn = [Page(f"BT /H 12 Tf 60 700 Td ({text}) Tj ET") for text in pages]
        (folder / name).write_bytes(pdf_file(*drawn))
    new_conversation(way)
    files = [str(folder / name) for name in ("dues.pdf", "barrels.pdf")]
    with another_program(walker, files_window, *files) as corner:
        paste_from_there(walker)
        walker.until(lambda seen: is_read(seen, 1))
        walker.keep("pasted")
        is_wayland = walker.look()["platform"] == "wayland"
        if not is_wayland:
            drop(walker, corner)
    # Under Wayland nobody can say what a press elsewhere is for, with which the window goes; pinned it stays. The
    # window that is pressed comes above it, but for sway: there has to be room for both.
    if is_wayland:
        pin = ("Control_L", "Shift_L", "p")
        walker.screen.hands.press(*pin)
        walker.until(has_button("^Unpin"))
        with another_program(walker, files_window, *files, files_window.BESIDE) as beside:
            drop(walker, beside)
        walker.screen.hands.press(*pin)
        walker.until(has_button("^Pin"))
    words = ask(way, DUES)["words"]
    walker.keep("files-answered")
    assert re.search("dues.pdf,.* (page|Seite) 2", words), words
    assert "/files" not in words


def drop(walker: Walker, start: QPoint) -> None:
    """Drag a file from a place of another program onto the field."""
    walker.screen.hands.drag(start, walker.at(walker.look()["field"]))
    seen = walker.until(lambda seen: is_read(seen, 2))
    assert seen["paper"][3] < LOW, "it is higher than what it shows"
    walker.keep("dropped")
    back(walker)


def paste_from_there(walker: Walker) -> None:
    """Copy a file in the other program, which has just come up, and paste it."""
    walker.until(lambda seen: not seen["active"])
    walker.screen.hands.press("Control_L", "c")
    back(walker)
    walker.screen.hands.press("Control_L", "v")


def is_read(seen: dict[str, Any], count: int) -> bool:
    """Whether so many files stand above the field, each with the number of its pages."""
    facts = [fact for _, fact in seen["faces"]]
    return len(facts) == count and all(re.match(r"\d+ (page|Seite)", fact) for fact in facts)


def ask_picture(way: Way, folder: Path, *, has_server: bool) -> None:
    """Paste a picture that the model cannot see, and take the way on: a model that does, or its text."""
    walker, sign = way.walker, folder / "sign.png"
    picture = QImage(640, 400, QImage.Format.Format_RGB32)
    picture.fill(QColor("#8fa9b5"))
    assert picture.save(str(sign))
    tesseract = folder / "programs" / "tesseract"
    tesseract.write_text(TESSERACT, "utf-8")
    tesseract.chmod(0o755)
    new_conversation(way)
    with another_program(walker, files_window, str(sign)):
        paste_from_there(walker)
        walker.until(lambda seen: re.search("cannot see|sieht keine", str(seen["faces"])))
        walker.keep("picture-refused")
        text = says("Read only its text", "Nur den Text lesen")
        way.press(says(f"Use {SEEING}", f"{SEEING} ") if has_server else text)
        walker.until(lambda seen: not has_button(text)(seen) and seen["faces"])
        walker.keep("picture-taken")
        if not walker.look()["field_focused"]:
            walker.click_in(walker.look()["field"])
        ask(way, SIGN)
        walker.keep("picture-answered")


def go_back_and_find(way: Way) -> None:
    """Open the first conversation of the history, delete another one and bring it back, and find a word."""
    walker = way.walker
    way.press(says("History", "Verlauf"), "Control_L", "h")
    # Rows but for the headings of days.
    walker.until(lambda seen: len([row for row in seen["rows"] if "," in row[0]]) == 4)
    walker.keep("history")
    way.delete("reply|yes")
    walker.until(lambda seen: row_of(seen, "reply.*(Undo|Rückgängig)"))
    walker.keep("deleted")
    way.choose("Undo|Rückgängig", "Control_L", "z")
    walker.until(lambda seen: not row_of(seen, "Undo|Rückgängig"))
    way.choose("engineer who built")
    walker.until(lambda seen: len(seen["states"]) == 2 and is_here(seen))
    walker.keep("opened")
    if isinstance(way, ByKeys):
        walker.screen.hands.press("Control_L", "f")
    else:
        way.press(says("Title"))
        walker.until(lambda seen: row_of(seen, "^Find"))
        walker.keep("title-menu")
        way.choose("^Find")
    walker.screen.hands.type("Orr")
    walker.keep("found")
    walker.screen.hands.press("Escape")
    walker.until(is_here)


def read_to_the_end(way: Way) -> None:
    """Read the window as a screen reader does: questions are headings, and nothing lacks a name."""
    heard = way.walker.listen()
    assert [name for role, name, _ in heard if role == "Heading"] == [
        QUESTION,
        NEXT if isinstance(way, ByKeys) else ANOTHER,
    ]
    speaking = ("Button", "EditableText", "RadioButton", "ListItem", "Link", "List", "Dialog")
    nameless = [
        role for role, name, can_focus in heard if not name and (can_focus or role in speaking)
    ]
    assert not nameless, heard


def be_wide(way: Way) -> None:
    """Make the window wide, where the sources stand beside the text, and narrow again."""
    walker = way.walker
    narrow = walker.until_still()["paper"][2]
    if isinstance(way, ByKeys):
        walker.screen.hands.press("Control_L", "b")
    else:
        # Below the buttons of the row, where a long title has left no room between them.
        new = dict(walker.look()["buttons"])["New conversation"]
        walker.screen.hands.double_click(QPoint(new[0], new[1] + new[3] + 4))
    walker.until(lambda seen: seen["paper"][2] > narrow)
    walker.until_still()
    walker.keep("wide")
    # What is wide is pinned by that, and unpinned it is narrow again.
    way.press(says("Unpin"), "Control_L", "Shift_L", "p")
    walker.until(lambda seen: seen["paper"][2] == narrow)
    walker.until_still()
    walker.keep("narrow")


def go_all_the_way(way: Way, around: Neighbours, folder: Path, *, has_server: bool) -> None:
    """Do all of it."""
    get_model(way, around, has_server=has_server)
    ask_and_see_sources_first(way, around)
    see_quote_and_page(way)
    copy(way)
    take_what_is_suggested(way)
    rewrite_selection(way)
    ask_files(way, folder)
    ask_picture(way, folder, has_server=has_server)
    go_back_and_find(way)
    read_to_the_end(way)
    be_wide(way)
