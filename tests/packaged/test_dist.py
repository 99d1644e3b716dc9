"""What `make dist` built: the whole command line works in it, its child processes included."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest

from askance import __version__
from askance.adapters.containers.compose_project import (
    lay_out_files,
    packaged_project,
    packaged_sources,
)
from askance.adapters.reader.workers import WorkerPool
from askance.adapters.search.metasearch import STANDARD
from askance.extract import extracted
from askance.extract.page import extract_page
from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import SampleSite
from askance.system.program import CHILD
from packaged.program import Package, in_the_world
from servers.faults import address_of_nobody
from servers.model_script import ModelScript, number_of, plan, verdict
from servers.world import LIGHTHOUSE, QUESTION
from waiting import patience

# Grown by a tenth, it has taken something in that it should not have.
LARGEST_MIB = 375
GUST = "strongest gust ever measured on Hesperay was 52.1 metres per second"


async def test_it_tells_its_version(package: Package) -> None:
    ended = await package.call("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"askance {__version__}\n", "")


async def test_a_question_is_answered_from_pages_read_in_its_child_process(
    package: Package,
) -> None:
    async with in_the_world(package) as world:
        ended = await world.call("ask", "--json", QUESTION)
    assert (ended.code, ended.err) == (0, "")
    last = json.loads(ended.out.splitlines()[-1])
    assert "village of Orr in 1839 [4]" in last["answer"]
    assert [citation["support"] for citation in last["citations"]] == ["supported", "supported"]


async def test_a_page_is_read(package: Package) -> None:
    async with in_the_world(package) as world:
        ended = await world.call("read", LIGHTHOUSE)
    assert (ended.code, ended.err) == (0, "")
    assert "by the engineer Clara Whitlow" in ended.out


async def test_the_sample_web_is_in_it(package: Package) -> None:
    def answer(prompt: str) -> str:
        return f"The {GUST} [{number_of(prompt, 'Weather records')}]."

    script = ModelScript(
        (plan("strongest gust of wind Hesperay"),), (verdict("sufficient"),), (answer,)
    )
    async with in_the_world(package, script) as world:
        ended = await world.call("demo", "--json")
    assert ended.code == 0, ended.err
    assert GUST in json.loads(ended.out.splitlines()[-1])["answer"]


async def test_without_a_model_the_demo_gives_advice_that_fits_a_package(package: Package) -> None:
    ended = await package.among(ASKANCE_LLM__URL=address_of_nobody()).call("demo")
    assert ended.code == 0
    assert "start Ollama" in ended.err
    assert "pip" not in ended.err


async def test_it_takes_pages_apart_exactly_as_the_sources_do(package: Package) -> None:
    worker = await package.start(
        CHILD, "askance.extract.worker", "512", "60", "0", stdin=asyncio.subprocess.PIPE
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    web, compared = SampleSite(load_library()), 0
    async with patience():
        (size,) = extracted.LENGTH.unpack(await worker.stdout.readexactly(extracted.LENGTH.size))
        confined = extracted.unpack_ready(await worker.stdout.readexactly(size))
        async with WorkerPool(1, 512) as pool:
            assert confined == await pool.protections()
        for url, document in load_library().documents.items():
            page = web.answer(document.host, document.path, {})
            worker.stdin.write(extracted.pack_request(page.body, url, page.content_type))
            (size,) = extracted.LENGTH.unpack(
                await worker.stdout.readexactly(extracted.LENGTH.size)
            )
            reply = extracted.unpack_reply(await worker.stdout.readexactly(size))
            assert reply == extract_page(page.body, url, page.content_type)
            compared += reply.markdown != ""
        worker.stdin.close()
        assert await worker.wait() == 0
    assert compared > 60


async def test_its_own_search_reaches_for_every_engine(package: Package) -> None:
    worker = await package.start(
        CHILD, "askance.adapters.search.metasearch_worker", stdin=asyncio.subprocess.PIPE
    )
    request = {
        "engines": STANDARD,
        "query": "lighthouse",
        "proxy": address_of_nobody(),
        "timeout_s": 5.0,
        "region": "us-en",
        "safesearch": "moderate",
        "timelimit": None,
        "wanted": 5,
    }
    assert worker.stdin is not None
    assert worker.stdout is not None
    # It ends when this pipe does: that stays open until all have been heard.
    worker.stdin.write(json.dumps(request).encode() + b"\n")
    async with patience():
        rows = [json.loads(line) async for line in worker.stdout]
        assert await worker.wait() == 0
    assert sorted(row["engine"] for row in rows) == sorted(STANDARD)
    # Nobody is at the proxy's address; a part that is missing would be "broken".
    assert {row["failure"] for row in rows} == {"unreachable"}


async def test_no_other_module_can_be_started_as_a_child(package: Package) -> None:
    ended = await package.call(CHILD, "http.server")
    assert ended.code == 1
    assert "http.server is no process of this package" in ended.err


async def test_llama_cpp_is_inside_and_says_what_is_wrong_with_a_model_file(
    package: Package, tmp_path: Path
) -> None:
    gguf = tmp_path / "model.gguf"
    gguf.write_bytes(b"GGUF")
    chosen = {"ASKANCE_LLM__API": "embedded", "ASKANCE_LLM__GGUF": str(gguf)}
    async with in_the_world(package) as world:
        ended = await world.among(**chosen).call("ask", "Who built it?")
    assert "ended while loading model.gguf" in ended.out
    assert "pip" not in ended.out


def test_the_containers_are_laid_out_as_from_the_sources(package: Package, tmp_path: Path) -> None:
    inside = package.inside / "askance"
    lay_out_files(inside / "_deploy", inside, tmp_path / "package")
    lay_out_files(packaged_project(), packaged_sources(), tmp_path / "sources")

    def files(name: str) -> dict[str, bytes]:
        top = tmp_path / name
        return {
            str(file.relative_to(top)): file.read_bytes()
            for file in top.rglob("*")
            # In the repository, the desktop's files are the containers' neighbours.
            if file.is_file() and "desktop" not in file.parts and file.suffix != ".typed"
        }

    assert files("package") == files("sources")


async def test_programs_that_it_starts_get_the_users_own_environment(
    package: Package, tmp_path: Path
) -> None:
    text = tmp_path / "told"
    docker = tmp_path / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(f"#!/bin/sh\n/usr/bin/env >{text}\nexit 1\n")
    docker.chmod(docker.stat().st_mode | stat.S_IXUSR)
    await package.among(LD_LIBRARY_PATH="/opt/mine").call("doctor")
    lines = text.read_text().splitlines()
    assert "LD_LIBRARY_PATH=/opt/mine" in lines
    assert [line for line in lines if str(package.inside) in line or "_PYI" in line] == []
    await package.call("doctor")
    assert [line for line in text.read_text().splitlines() if line.startswith("LD_")] == []


async def test_it_enters_the_menu_and_leaves_it(package: Package, tmp_path: Path) -> None:
    ended = await package.call("menu")
    assert ended.code == 0, ended.err
    (entry,) = files_in(tmp_path, "*.desktop")
    assert f'Exec="{package.executable}" "toggle"\n' in entry.read_text()
    assert len(files_in(tmp_path, "*.svg")) == 2
    linked = Package(tmp_path / ".local" / "bin" / "askance", package.environment)
    assert (await linked.call("--version")).code == 0
    assert (await package.call("menu", "off")).code == 0
    assert files_in(tmp_path / ".local", "*") == []


@pytest.mark.parametrize("locale", ["C", "C.UTF-8", "POSIX"])
async def test_every_letter_is_written_whatever_the_locale(package: Package, locale: str) -> None:
    ended = await package.among(LC_ALL=locale).call("config", "show", "ä")
    assert ended.code == 2
    assert "ä" in ended.err


def test_nothing_is_in_it_that_only_developers_need(package: Package) -> None:
    names = {path.name for path in package.inside.iterdir()}
    assert {"PySide6", "lxml", "primp", "trafilatura", "xllamacpp"} <= names
    assert names.isdisjoint({"matplotlib", "PIL"})
    libraries = {path.name for path in package.inside.rglob("*.so*")}
    unwanted = (
        "libstdc++",
        "libgcc_s",
        "libreadline",
        "libQt6Qml",
        "libQt6Quick",
        "libQt6Pdf",
        "libgtk",
        "libcups",
    )
    assert [name for name in libraries if name.startswith(unwanted)] == []


def test_it_is_no_larger_than_it_was(package: Package) -> None:
    files = [path for path in package.executable.parent.rglob("*") if not path.is_symlink()]
    size = sum(path.stat().st_size for path in files if path.is_file())
    assert size < LARGEST_MIB * 1024 * 1024


def test_no_link_is_in_it_so_that_it_can_be_copied_anyhow(package: Package) -> None:
    assert [path for path in package.executable.parent.rglob("*") if path.is_symlink()] == []


def test_the_licence_of_every_part_comes_along(package: Package) -> None:
    licences = package.executable.parent / "licences"
    assert "LGPL" in (licences / "pyside6-essentials" / "LICENCE.txt").read_text()
    empty = [place for place in licences.iterdir() if place.is_dir() and not any(place.iterdir())]
    assert empty == []
    assert (licences / "trafilatura" / "LICENSE").read_text().lstrip().startswith("Apache")


def files_in(folder: Path, pattern: str) -> list[Path]:
    return [path for path in folder.rglob(pattern) if not path.is_dir()]
