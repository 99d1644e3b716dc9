"""No character of what is no citation is changed: code, mathematics, data, in any script, on the whole way."""

from __future__ import annotations

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from askance.citations.check.checking import check_citations
from askance.citations.markdown.grammar import markers
from askance.domain.evidence import Extract, ExtractKind, Source
from askance.engine.model_replies import ReplyMarkup
from askance.server.openai_text import LinkedStream
from sampled import each_row, examples

TEXTS = [
    line.replace("\\n", "\n")
    if line.startswith(("|", "-", "Out", "The output", "The first"))
    else line
    for line in Path(__file__).with_name("bracket_texts.txt").read_text("utf-8").splitlines()
]
EXTRACTS = [Extract(n, ExtractKind.SNIPPET, "nothing to see") for n in range(1, 4)]
SOURCES = [Source(n, f"https://a.example/{n}", "A", "a.example") for n in range(1, 4)]

small = st.integers(1, 3).map(str)
numbers = st.lists(small, min_size=2, max_size=4).map(", ".join)
names = st.sampled_from(
    ["numbers", "a", "x", "my_list", "myList", "args", "self.rows", "grid", "data", "f(x)", "df[0]"]
)
places = st.builds("{}[{}]".format, names, small)
lists = st.builds("[{}]".format, numbers)
code = st.one_of(
    places,
    st.builds("{} = {}".format, places, small),
    st.builds("v = {}".format, lists),
    st.builds("print({})".format, st.one_of(lists, places)),
    st.builds("$y = {} + {}$".format, lists, places),
    st.builds("\\({}\\)".format, lists),
    st.builds("\\sqrt[{}]{{x}}".format, small),
    st.builds('{{"ids": {}, "one": [{}]}}'.format, lists, small),
    st.builds("[{}, {}]".format, lists, lists),
    st.builds("the regex [{}-9]+".format, small),
    st.builds("`{}`".format, st.one_of(lists, places)),
    st.builds("the interval [0, {}]".format, small),
    st.builds("[{}, -1.5]".format, small),
)
before = st.sampled_from([
    "Here is", "One writes", "Man schreibt", "On écrit", "Se escribe", "Пишут", "书写", "書く", "쓴다", "يكتب", "लिखें", "เขียน",
])  # fmt: skip
behind = st.sampled_from(
    [".", " and more.", ", then more.", " и так далее.", "。", " .", "!", " य", "\nNext line."]
)
sentences = st.builds("{} {}{}".format, before, code, behind)
answers = st.lists(sentences, min_size=1, max_size=4).map("\n\n".join)


@each_row("text", TEXTS)
@each_row("around", ["{}", "It was so.\n\n{}\n\nAnd more."])
def test_a_bracket_that_cites_nothing_is_text(text: str, around: str) -> None:
    answer = around.replace("{}", text)
    checked = check_citations(answer, EXTRACTS)
    assert checked.text == answer
    assert checked.citations == ()
    assert checked.removed == 0
    assert markers(answer, range(1, 4)) == []


@examples(300)
@example("Here is x[1](y).")
@given(answers)
def test_an_answer_without_citations_stays_as_it_was_written(answer: str) -> None:
    stream = ReplyMarkup()
    written = "".join(stream.add(char) for char in answer) + stream.close()
    assert written == answer
    checked = check_citations(written, EXTRACTS)
    assert checked.text == answer
    assert markers(checked.text, range(1, 4)) == []


@examples(300)
@example("Here is x[1](y).", 1)
@given(answers, st.integers(1, 9))
def test_a_stream_of_it_leaves_as_it_was_written(answer: str, size: int) -> None:
    stream = LinkedStream(SOURCES)
    parts = [stream.add(answer[start : start + size]) for start in range(0, len(answer), size)]
    streamed = "".join(parts) + stream.close()
    # Where a link would begin, its bracket is escaped: what is shown is the same.
    assert streamed.replace("\\](", "](") == answer
    assert stream.annotations == []
