"""Sources that are files: named in what is handed on, and linked nowhere."""

from __future__ import annotations

from rich.text import Text

from askance.cli.live import _source_text
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Source
from askance.presentation.answers import source_rows
from askance.presentation.transcripts import answer_html
from askance.presentation.transcripts import source_rows as handed_on

FILE = Source(1, "file:///srv/private/mill.md", "The mill", "", "2024-05-03", False)
UNNAMED = Source(2, "file:///srv/private/wheel.md", "", "", "", False)
END = Answered("It ran [1].", (FILE, UNNAMED), (), Outcome.LIBRARY, 0, Usage(), (), 5)


def test_what_is_handed_on_names_the_file_and_not_its_folder() -> None:
    first, second = handed_on(END)
    assert (first.title, first.about) == ("The mill", "mill.md, 2024-05-03")
    assert (second.title, second.about) == ("wheel.md", "wheel.md")
    assert "private" not in answer_html(END, "")


def test_a_terminal_shows_a_file_and_makes_no_link_of_it() -> None:
    row, _ = source_rows(END.sources)
    line: Text = _source_text(row, links=True)
    assert "mill.md · /srv/private" in line.plain
    assert not any("link" in str(span.style) for span in line.spans)
