"""Compose's own lines, as versions 2 to 5 and three builders write them, become steps."""

from __future__ import annotations

import base64
import json

from askance.adapters.containers.compose import ProgressReader
from askance.domain.ports.containers import ComposeProgress, ResourceKind


def steps(*lines: str) -> list[ComposeProgress]:
    reader = ProgressReader()
    return [step for line in lines if (step := reader.read(line)) is not None]


def test_containers_are_named_as_people_know_them() -> None:
    assert steps(
        '{"id":"Network askance_search","status":"Working","text":"Creating"}',
        '{"id":"Container askance-reader-net-1","status":"Working","text":"Waiting"}',
        '{"id":"Container askance-reader-net-1","status":"Done","text":"Healthy"}',
    ) == [
        ComposeProgress(ResourceKind.NETWORK, "search", "Creating"),
        ComposeProgress(ResourceKind.CONTAINER, "reader-net", "Waiting"),
        ComposeProgress(ResourceKind.CONTAINER, "reader-net", "Healthy", done=True),
    ]


def layer(name: str, text: str, current: int = 0, total: int = 0) -> str:
    record = {"id": name, "parent_id": "Image example/searxng:1", "status": "Working", "text": text}
    if total:
        record |= {"current": current, "total": total, "percent": 100 * current // total}
    return json.dumps(record)


def test_the_bytes_of_an_image_are_those_of_its_layers_together() -> None:
    seen = steps(
        '{"id":"Image example/searxng:1","status":"Working","text":"Pulling"}',
        layer("aa", "Pulling fs layer"),
        layer("aa", "Downloading", 10, 100),
        layer("bb", "Downloading", 5, 50),
        layer("aa", "Download complete"),
        layer("bb", "Downloading", 50, 50),
        layer("aa", "Extracting", 100, 100),
        '{"id":"Image example/searxng:1","status":"Done","text":"Pulled"}',
    )
    counted = [(s.doing, s.current_bytes, s.total_bytes) for s in seen]
    assert counted == [
        ("Pulling", 0, 0),
        ("Downloading", 10, 100),
        ("Downloading", 15, 150),
        ("Downloading", 105, 150),
        ("Extracting", 150, 150),
        ("Extracting", 150, 150),
        ("Pulled", 0, 0),
    ]
    assert {s.name for s in seen} == {"example/searxng:1"}


def test_version_2_names_an_image_by_its_service() -> None:
    assert steps('{"id":"searxng","text":"Pulling"}', " Container askance-searxng-1  Started") == [
        ComposeProgress(ResourceKind.IMAGE, "searxng", "Pulling"),
        ComposeProgress(ResourceKind.CONTAINER, "searxng", "Started", done=True),
    ]


def test_plain_lines_tell_the_same() -> None:
    assert steps(
        " Image 127.0.0.1:5000/x:1 Pulling ",
        " 0fe22784c44e Downloading 65.54kB",
        " Container askance-searxng-1 Starting ",
    ) == [
        ComposeProgress(ResourceKind.IMAGE, "127.0.0.1:5000/x:1", "Pulling"),
        ComposeProgress(ResourceKind.CONTAINER, "searxng", "Starting"),
    ]


def test_every_builder_tells_its_steps() -> None:
    vertex = {"name": "[2/5] RUN pip install", "started": "2026-11-22T03:05:14Z"}
    over = vertex | {"completed": "2026-11-22T03:05:15Z"}
    assert steps(
        "Step 2/4 : RUN pip install",
        "#7 [reader 3/9] COPY src src",
        json.dumps({"vertexes": [vertex]}),
        json.dumps({"vertexes": [over]}),
    ) == [
        ComposeProgress(ResourceKind.BUILD, "reader", "Step 2/4: RUN pip install"),
        ComposeProgress(ResourceKind.BUILD, "reader", "Step 3/9: COPY src src"),
        ComposeProgress(ResourceKind.BUILD, "reader", "[2/5] RUN pip install"),
    ]


def test_what_failed_is_kept() -> None:
    reader = ProgressReader()
    for line in (
        '{"id":"Image example/x:1","status":"Error","text":"Error","details":"manifest unknown"}',
        '{"error":true,"message":"Error response from daemon: manifest unknown"}',
    ):
        reader.read(line)
    assert reader.failed_image == "example/x:1"
    assert reader.errors == ["Error response from daemon: manifest unknown"]


def test_the_log_of_a_builder_is_kept_as_text() -> None:
    reader = ProgressReader()
    data = base64.b64encode(b"no such package\n").decode()
    reader.read(json.dumps({"vertexes": [{"error": "exit code: 1"}], "logs": [{"data": data}]}))
    reader.read(json.dumps({"logs": [{"data": "!"}, {"data": base64.b64encode(b"two").decode()}]}))
    assert list(reader.tail) == ["no such package", "exit code: 1", "two"]


def test_lines_that_mean_nothing_are_no_steps() -> None:
    strange = ("", "   ", "{", "{]", "[1]", '{"id":1}', "null", '{"vertexes":[1,{}]}', "{}", "\x00")
    assert steps(*strange, '{"level":"warning","msg":"no buildx"}', *strange) == []


def test_only_the_last_lines_are_kept() -> None:
    reader = ProgressReader()
    for n in range(1000):
        reader.read(f"line {n}")
    assert len(reader.tail) < 100
    assert reader.tail[-1] == "line 999"
