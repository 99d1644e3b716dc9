"""Formulas in an answer: drawn where they can be, and their source wherever words are asked for."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from PySide6.QtGui import QAccessible, QTextCursor, QTextLayout
from pytestqt.qtbot import QtBot

from askance.ui.design.focus import install_roles
from askance.ui.design.theme import DARK, Look
from askance.ui.overlay.answer import tex_formulas
from askance.ui.overlay.answer.answer_document import plain_text
from askance.ui.overlay.answer.answer_page import LineGeometry
from askance.ui.overlay.answer.answer_view import AnswerView, SpokenPart
from askance.ui.overlay.answer.tex_formulas import SET_FORMULAS, set_formula
from ui.widgets.lighthouse import has_colour, picture_of, rendered
from waiting import PATIENCE_MS, PATIENCE_S

TEXT = r"""The height is $h = \frac{v^2}{2g}$ for $5 or $6, unlike $\nosuch{x}$.

\[ \sum_{i=1}^{n} i = \frac{n(n+1)}{2} \]
"""
SHOWN = r"""The height is $h = \frac{v^2}{2g}$ for $5 or $6, unlike $\nosuch{x}$.

\[ \sum_{i=1}^{n} i = \frac{n(n+1)}{2} \]"""


@pytest.fixture
def formulas(view: AnswerView, qtbot: QtBot) -> AnswerView:
    view.show_pieces(rendered(TEXT).pieces)
    qtbot.waitUntil(
        lambda: view.is_settled and len(list(view.answer.formulas)) == 2, timeout=PATIENCE_MS
    )
    return view


def ink_below(view: AnswerView, top: float) -> bool:
    picture = picture_of(view)
    area = picture.rect().adjusted(0, round(top * picture.devicePixelRatio()), 0, 0)
    return has_colour(picture.copy(area), view.look.colours.ink)


def test_what_can_be_set_is_drawn_in_the_ink_of_the_words(formulas: AnswerView) -> None:
    (first, _), (second, source) = formulas.answer.formulas
    assert source.startswith("\\[")
    assert "$5 or $6, unlike $\\nosuch{x}$" in formulas.document().toPlainText()
    # The one that is on a line of its own is higher than a line of words.
    (there,) = LineGeometry(formulas.document()).stretches(second, 1)
    (words,) = LineGeometry(formulas.document()).stretches(first, 1)
    assert there.baseline - words.baseline > formulas.look.px(40)
    assert there.left == 0
    assert ink_below(formulas, words.baseline + 12)
    formulas.set_look(Look(DARK, scale=1.5, moves=False))
    formulas.finish()
    (larger,) = LineGeometry(formulas.document()).stretches(second, 1)
    assert larger.right > there.right
    assert ink_below(formulas, larger.baseline - 50)


def test_a_number_stands_behind_its_formula() -> None:
    # As a public report of a chat program has it: CherryHQ/cherry-studio#20797.
    plain, numbered = "$$x=1$$", r"$$\tag{12} x=1$$"
    for source in (plain, numbered):
        set_formula(source)
    without, behind = SET_FORMULAS[plain], SET_FORMULAS[numbered]
    assert without is not None
    assert behind is not None
    assert behind.width > without.width + 2


def test_a_copy_has_the_source(formulas: AnswerView) -> None:
    formulas.selectAll()
    assert plain_text(formulas.answer, formulas.textCursor()) == SHOWN
    cursor = QTextCursor(formulas.document())
    cursor.setPosition(4)
    cursor.setPosition(18, QTextCursor.MoveMode.KeepAnchor)
    assert plain_text(formulas.answer, cursor) == r"height is $h = \frac{v^2}{2g}$ fo"


def test_a_screen_reader_gets_the_source_as_an_equation(
    formulas: AnswerView, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_roles()
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    formulas.settled.emit()
    spoken = formulas.findChildren(SpokenPart)
    assert [part.accessibleName() for part in spoken] == [
        source for _, source in formulas.answer.formulas
    ]
    interface = QAccessible.queryAccessibleInterface(spoken[0])
    assert interface.role() is QAccessible.Role.Equation
    assert formulas.rect().contains(spoken[0].geometry())
    assert spoken[0].width() > formulas.look.px(30)


def test_a_formula_that_is_too_wide_is_made_smaller(view: AnswerView, qtbot: QtBot) -> None:
    view.show_pieces(rendered(r"\[ " + " + ".join(["a_{ij}"] * 25) + r" \]").pieces)
    qtbot.waitUntil(lambda: bool(list(view.answer.formulas)), timeout=PATIENCE_MS)
    (line,) = LineGeometry(view.document()).stretches(next(view.answer.formulas)[0], 1)
    assert line.right <= view.document().textWidth() + 0.5


HOSTILE = (
    r"\frac{1}{" * 30 + "x" + "}" * 30,
    "x^{" * 60 + "x" + "}" * 60,
    r"\sqrt" * 50 + "x",
    "{" * 300 + "x" + "}" * 300,
    r"\left(" * 30 + "x" + r"\right)" * 30,
    r"\def\a{\a\a}\a",
    r"\begin{matrix}" + r"a & b \\ " * 90 + r"\end{matrix}",
    r"a\hspace{99999999em}b",
    r"\frac{1}",
    "a & b",
    "<script>&amp;",
    "\u4e2d",
)


def test_a_hostile_formula_ends_and_stays_as_it_was_written() -> None:
    for tex in HOSTILE:
        set_formula(f"$${tex}$$")
        assert SET_FORMULAS.get(f"$${tex}$$") is None, tex
        assert sys.getprofile() is None
    set_formula("$$x$$")
    assert SET_FORMULAS.get("$$x$$") is not None


def test_one_that_takes_too_many_calls_stays_as_it_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Not for its width, and on a slow machine as on a quick one.
    monkeypatch.setattr(tex_formulas, "_WIDEST", math.inf)
    for terms, is_set in ((40, True), (400, False)):
        source = "$$" + " + ".join(["b_{ij}"] * terms) + "$$"
        set_formula(source)
        assert (SET_FORMULAS[source] is not None) is is_set


def test_setting_one_reads_no_file_but_those_of_its_packages() -> None:
    program = """
import sys
from askance.ui.overlay.answer.tex_formulas import SET_FORMULAS, set_formula
assert "ziamath" not in sys.modules
set_formula("$x$")
opened = []
sys.addaudithook(lambda name, values: opened.append(values[0]) if name in ("open", "socket.connect") else None)
for tex in (r"\\text{a} /etc/passwd", r"\\input{/etc/passwd}", r"\\mathbf{x}", r"\\includegraphics{/etc/passwd}"):
    set_formula(f"${tex}$")
print([name for name in opened if "site-packages" not in str(name)])
assert SET_FORMULAS.get(r"$\\mathbf{x}$")
"""
    child = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program.replace("\\\\", "\\")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert child.stdout.strip() == "[]", child.stderr


def test_code_has_no_ligatures(view: AnswerView) -> None:
    def glyphs(code: str) -> list[int]:
        layout = QTextLayout(code, view.look.code_font())
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        return [index for run in layout.glyphRuns() for index in run.glyphIndexes()]

    for signs in ("->", "!=", "=>", "www"):
        assert glyphs(signs) == [glyphs(sign)[0] for sign in signs]
