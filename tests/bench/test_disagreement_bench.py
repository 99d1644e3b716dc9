"""The bench of what sources disagree in, on a file of three made questions."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from bench.disagreement import answers_of, is_answer, main


def question(name: str, *documents: tuple[str, str]) -> dict[str, object]:
    answers = [answer for _, answer in documents]
    rows = [{"text": text, "answer": answer} for text, answer in documents]
    asked = f"When was {name} born?"
    return {
        "question": asked,
        "documents": rows,
        "gold_answers": answers[:1],
        "wrong_answers": answers[1:],
    }


ROWS = [
    question(
        "Ada Holm",
        ("Ada Holm was born on 3 May 1901.", "3 May 1901"),
        ("Ada Holm was born in 1911.", "1911"),
    ),
    # Both stand there, but no sentence says it plainly of her.
    question(
        "Berta Lohn",
        ("Nobody says that Berta Lohn was born in 1902.", "1902"),
        ("Berta Lohn was not born in 1912.", "1912"),
    ),
    question("Carl Munk", ("Carl Munk was born in 1903.", "1903")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "answer", "expected"),
    [
        ("3 May 1901", "1901", True),
        ("1901", "1911", False),
        ("3,559", "3,559 people", True),
        ("ice hockey player", "Ice hockey", True),
        ("boxer", "Boxing", True),
        ("drama film", "opera", False),
    ],
)
def test_a_value_is_an_answer_where_one_is_a_form_of_the_other(
    value: str, answer: str, expected: bool
) -> None:
    assert is_answer(value, answer) is expected


def test_it_counts_what_is_found_and_what_a_model_would_find(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, ROWS)).encode()))
    assert [len(answers_of(row)) for row in ROWS] == [2, 2, 1]
    main([str(path)])
    assert "| all | 2 | 2 | 1 | 0.50 | 1 | 1.00 | 1 | 0 |" in capsys.readouterr().out
    main([str(path), "--sorter"])
    assert "| all | 2 | 2 | 2 | 1.00 | 2 | 1.00 | 1 | 0 |" in capsys.readouterr().out
    main([str(path), "--half", "1"])
    assert "| all | 1 | 1 | 0 | 0.00 | 0 | 0.00 | 0 | 0 |" in capsys.readouterr().out


def test_it_counts_false_alarms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (rows, alike, pool) = (tmp_path / name for name in ("rows.jsonl", "alike.jsonl", "pool.jsonl"))
    rows.write_text("\n".join(map(json.dumps, ROWS)))
    texts = [
        "Ada Holm was born in 1901.",
        "Ada Holm was born in 1911.",
        "Boats lie in the harbour.",
    ]
    passages = [{"pid": str(n), "title": "", "text": text} for n, text in enumerate(texts)]
    asked = [
        {"question": ROWS[0]["question"], "gold": passages[:1]},
        {"question": "Where do boats lie?"},
    ]
    pool.write_text("\n".join(map(json.dumps, passages)))
    alike.write_text("\n".join(map(json.dumps, asked)))
    main([str(rows), "--alike", str(alike), "--pool", str(pool)])
    out = capsys.readouterr().out
    assert "2 questions without a disagreement: 1 false alarms, 1 would ask a model" in out
    assert f"- {ROWS[0]['question']}" in out
