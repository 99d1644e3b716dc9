"""The tool `search_web` measured: whether it keeps its deadline, and whether `continue_search` brings what was missing.

`ask` puts one question to the tool over the SDK's own client and says as a line of JSON what came of it, in the
shape that a runner of questions understands; where the deadline came first it goes on until there is an answer.
`report` sums up the output of many: files `ID.jsonl` of a folder, and a file of the questions with their `id` and
`answers`.

    python -m bench.search_tool ask [--deadline S] QUESTION
    python -m bench.search_tool report FOLDER QUESTIONS [--times F]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from mcp.client import Client as McpClient
from mcp_types import CallToolResult

from askance.app.client_service import ClientService
from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.config.sources import load_settings
from askance.domain.ports.storage import Capability, Client, ClientCall
from askance.server.tool_results import tokens_of
from askance.server.tools import build_mcp

CONTINUES = 20
GRACE_S = 1.0
_WORD = re.compile(r"[^\W_]+")


class Book:
    """Lets one client search the web, and keeps nothing."""

    def known(self, name: str) -> Client:
        """Return the client."""
        return Client(name, frozenset({Capability.WEB}))

    def note(self, call: ClientCall) -> None:
        """Keep nothing."""


async def ask(question: str, deadline_s: float) -> dict[str, Any]:
    """Ask, go on until there is an answer, and return what the first call and the last brought."""
    folders = find_folders(os.environ)
    settings = load_settings(folders.settings_file, os.environ, {})
    calls: list[dict[str, Any]] = []
    async with open_app(settings, folders) as app:
        book: Any = Book()
        async with ClientService(app, book) as service:
            mcp = build_mcp(service, book, lambda: Client("bench"))
            async with service.runs.connection(), McpClient(mcp) as client:
                tool, arguments = "search_web", {"question": question}
                while True:
                    began = time.monotonic()
                    result = await client.call_tool(
                        tool, {**arguments, "deadline_s": deadline_s, "max_tokens": 3_500}
                    )
                    calls.append(_call(result, time.monotonic() - began))
                    out: dict[str, Any] = result.structured_content or {}
                    if out.get("outcome") != "running" or len(calls) > CONTINUES:
                        break
                    tool, arguments = "continue_search", {"run_id": out["run_id"]}
    return {
        "type": "answered",
        "answer": out.get("answer", ""),
        "sources": out.get("sources", []),
        "citations": out.get("citations", []),
        "outcome": out.get("outcome", "failed"),
        "rounds": 0,
        "warnings": out.get("warnings", []),
        "deadline_s": deadline_s,
        "calls": calls,
    }


def _call(result: CallToolResult, took_s: float) -> dict[str, Any]:
    out: dict[str, Any] = result.structured_content or {}
    shown = [out.get("answer", ""), *(p["text"] for p in out.get("passages", []))]
    return {
        "outcome": out.get("outcome", "error"),
        "took_s": round(took_s, 3),
        "tokens": tokens_of(result.model_dump_json(by_alias=True, exclude_none=True)),
        "shown": "\n".join(shown),
    }


def rows(folder: Path, questions: Path) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield what came of each question that has an answer, and its answers."""
    known = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()]
    for question in known:
        for file in sorted(folder.rglob(f"{question['id']}.jsonl")):
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line]
            if lines:
                yield json.loads(lines[-1]), question["answers"]


def report(folder: Path, questions: Path, times: float) -> str:
    """Return the figures as a table. `times` stretches seconds of a run that was faster than real time."""
    reports = list(rows(folder, questions))
    calls = [call for row, _ in reports for call in row["calls"]]
    deadline_s = reports[0][0]["deadline_s"]
    late = [call for call in calls if call["took_s"] > deadline_s + GRACE_S]
    cut = [(row, answers) for row, answers in reports if row["calls"][0]["outcome"] == "running"]
    asked = [(row, answers) for row, answers in cut if answers]
    before = sum(_has(row["calls"][0]["shown"], answers) for row, answers in asked)
    after = sum(_has(row["calls"][-1]["shown"], answers) for row, answers in asked)
    whole = [(row, answers) for row, answers in reports if answers]
    first = sum(_has(row["calls"][0]["shown"], answers) for row, answers in whole)
    last = sum(_has(row["calls"][-1]["shown"], answers) for row, answers in whole)
    lines = [
        ("questions", str(len(reports))),
        ("deadline", f"{deadline_s * times:g} s"),
        ("calls, first and going on", str(len(calls))),
        ("calls that took longer than the deadline and 1 s", str(len(late))),
        ("most that a call took beyond its deadline", f"{_over(calls, deadline_s):.2f} s"),
        ("questions answered in the first call", str(len(reports) - len(cut))),
        ("calls to an answer, where the first brought none, median", _calls_to(cut)),
        ("answer in what the first call shows, all questions", f"{first} of {len(whole)}"),
        ("answer in what the last call shows, all questions", f"{last} of {len(whole)}"),
        ("answer in the evidence so far, where cut by the deadline", f"{before} of {len(asked)}"),
        ("answer in the answer, where cut by the deadline", f"{after} of {len(asked)}"),
        ("largest result, tokens", str(max(call["tokens"] for call in calls))),
    ]
    table = "\n".join(f"| {name} | {value} |" for name, value in lines)
    return f"| measure | value |\n|---|---|\n{table}"


def _over(calls: list[dict[str, Any]], deadline_s: float) -> float:
    return max(0.0, max(call["took_s"] for call in calls) - deadline_s)


def _calls_to(cut: list[tuple[dict[str, Any], list[str]]]) -> str:
    return f"{median(len(row['calls']) for row, _ in cut):g}" if cut else "none"


def _has(text: str, answers: list[str]) -> bool:
    value = _folded(text)
    return any(_folded(answer) in value for answer in answers)


def _folded(text: str) -> str:
    words = " ".join(_WORD.findall(text.lower()))
    return f" {words} "


def main() -> None:
    """Ask, or report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    asking = commands.add_parser("ask")
    asking.add_argument("--deadline", type=float, default=45.0)
    asking.add_argument("question")
    reporting = commands.add_parser("report")
    reporting.add_argument("folder", type=Path)
    reporting.add_argument("questions", type=Path)
    reporting.add_argument("--times", type=float, default=1.0)
    reported = parser.parse_args()
    if reported.command == "ask":
        row = asyncio.run(ask(reported.question, reported.deadline))
        sys.stdout.write(f"{json.dumps(row, ensure_ascii=False)}\n")
    else:
        sys.stdout.write(f"{report(reported.folder, reported.questions, reported.times)}\n")


if __name__ == "__main__":
    main()
