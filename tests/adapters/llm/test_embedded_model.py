"""The child process of the embedded model: how it starts, and above all how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from askance.adapters.llm import model_server
from askance.adapters.llm.embedded import EmbeddedModel, digest_of, physical_cores
from askance.config.settings import LlmSettings
from askance.domain.errors import ServiceDown, ServiceTimeout, SettingsError
from askance.domain.ports.model import ChatMessage, ModelCall, Role, Text
from leftovers import cancelled_over_and_over, nothing_left_behind
from servers.xllamacpp_fake import install
from waiting import patience

CALL = ModelCall((ChatMessage(Role.USER, "Where?"),), 50)
linux_only = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="looks into /proc: run it on Linux"
)


@pytest.fixture(autouse=True)
def xllamacpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "packages", monkeypatch)


@pytest.fixture
def gguf(tmp_path: Path) -> Callable[[str], str]:
    def write(behaviour: str) -> str:
        file = tmp_path / "Tiny.gguf"
        file.write_text(f"GGUF {behaviour}", "utf-8")
        if behaviour == "hang":
            os.mkfifo(f"{file}.pid")
        return str(file)

    return write


def embedded(file: str, **settings: Any) -> EmbeddedModel:
    return EmbeddedModel(LlmSettings(gguf=file, **settings))


async def told_by(model: EmbeddedModel) -> dict[str, Any]:
    """What the stand-in tells about its own parameters."""
    async with model.reply(CALL) as parts:
        first = await anext(parts)
    assert isinstance(first, Text)
    return json.loads(first.text)


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except FileNotFoundError:
        return False
    return stat.rpartition(") ")[2][0] != "Z"


async def until_ended(pid: int) -> None:
    """Wait for the end of a process that need not be a child of this one."""
    ended = asyncio.Event()
    handle = os.pidfd_open(pid)
    asyncio.get_running_loop().add_reader(handle, ended.set)
    try:
        async with patience():
            await ended.wait()
    finally:
        asyncio.get_running_loop().remove_reader(handle)
        os.close(handle)


async def pid_while_loading(file: str) -> int:
    """Wait for the stand-in to tell its number through a pipe of the file's name."""
    async with patience():
        return int(await asyncio.to_thread(Path(f"{file}.pid").read_text, "utf-8"))


def command_line(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text("utf-8")


async def test_the_server_has_one_slot_a_key_and_no_hidden_memory(
    gguf: Callable[[str], str],
) -> None:
    async with embedded(gguf("well"), context_tokens=3000) as model:
        info = await model.info()
        reported = await told_by(model)

        assert (info.name, info.context_tokens) == ("Tiny", 3000)
        assert await model.models() == (info,)
        assert reported["n_ctx"] == 3000
        assert reported["n_parallel"] == 1
        assert reported["cache_prompt"] is True
        assert reported["cache_ram_mib"] == 0
        # What is stopped while a prompt is evaluated ends with its batch.
        assert reported["n_batch"] == reported["n_ubatch"] == 64
        assert reported["n_ctx_checkpoints"] == 8
        assert reported["ui"] is False
        assert reported["threads"] == physical_cores() >= 1


async def test_nobody_gets_in_without_the_key(gguf: Callable[[str], str]) -> None:
    async with embedded(gguf("well")) as model:
        await model.info()
        assert model._running is not None
        async with httpx.AsyncClient(trust_env=False) as stranger:
            reply = await stranger.get(f"{model._running[1].url}/v1/models")
        assert reply.status_code == 401


@linux_only
async def test_the_key_is_not_in_the_list_of_processes(gguf: Callable[[str], str]) -> None:
    async with embedded(gguf("well")) as model:
        shown = command_line((await told_by(model))["pid"])
        assert model._running is not None
        assert "--num-ctx" in shown
        assert model._running[1].key not in shown


@linux_only
async def test_leaving_ends_the_process(gguf: Callable[[str], str]) -> None:
    async with embedded(gguf("well")) as model:
        pid = (await told_by(model))["pid"]
        assert is_running(pid)
    assert not is_running(pid)


@linux_only
async def test_cancelling_over_and_over_while_loading_leaves_nothing_behind(
    gguf: Callable[[str], str],
) -> None:
    file = gguf("hang")

    async def enter() -> None:
        async with embedded(file) as model:
            await model.info()

    with nothing_left_behind():
        async with asyncio.TaskGroup() as group:
            entering = group.create_task(enter())
            await pid_while_loading(file)
            await cancelled_over_and_over(entering)


PARENT = """
import asyncio, json, sys
from askance.adapters.llm.embedded import EmbeddedModel
from askance.config.settings import LlmSettings
from askance.domain.ports.model import ChatMessage, ModelCall, Role

async def main():
    async with EmbeddedModel(LlmSettings(gguf=sys.argv[1])) as model:
        async with model.reply(ModelCall((ChatMessage(Role.USER, "Where?"),), 50)) as parts:
            print(json.loads((await anext(parts)).text)["pid"], flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@linux_only
@pytest.mark.parametrize("behaviour", ["well", "hang"], ids=["serving", "loading"])
async def test_the_process_dies_with_a_parent_that_was_killed(
    gguf: Callable[[str], str], behaviour: str
) -> None:
    file = gguf(behaviour)
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PARENT, file, stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    if behaviour == "well":
        pid = int(await parent.stdout.readline())
    else:
        pid = await pid_while_loading(file)
    assert is_running(pid)

    ending = until_ended(pid)
    os.kill(parent.pid, signal.SIGKILL)
    await parent.wait()

    await ending


@pytest.mark.parametrize(
    ("behaviour", "how"),
    [
        ("refuse", "(exit status 1): llama_model_load: unknown architecture 'x'"),
        ("die", "(signal SIGKILL)"),
    ],
)
async def test_a_crash_while_loading_is_one_sentence_with_its_reason(
    gguf: Callable[[str], str], behaviour: str, how: str
) -> None:
    async with embedded(gguf(behaviour)) as model:
        with pytest.raises(ServiceDown) as caught:
            await model.info()

    assert "Tiny.gguf" in caught.value.problem
    assert how in caught.value.problem
    assert "\n" not in caught.value.problem
    assert ("memory" in caught.value.fix) is (behaviour == "die")


async def test_loading_has_its_limit(gguf: Callable[[str], str]) -> None:
    async with embedded(gguf("hang, alone"), load_timeout_s=0.5) as model:
        with pytest.raises(ServiceTimeout, match=r"Tiny\.gguf .* 0\.5 s"):
            await model.info()


async def test_a_crash_while_serving_is_named(
    gguf: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_server, "RESTART_S", 0.1)
    async with embedded(gguf("fall")) as model:
        for _ in range(2):
            with pytest.raises(ServiceDown, match=r"ended \(exit status 3\)"):
                await told_by(model)


async def test_a_failure_of_a_living_process_keeps_its_own_words(
    gguf: Callable[[str], str],
) -> None:
    async with embedded(gguf("well")) as model:
        with pytest.raises(ServiceTimeout, match="somebody else's"):
            async with model.reply(CALL):
                raise ServiceTimeout("SearXNG", "http://127.0.0.1:1", "This is somebody else's.")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("", None, "names no file"),
        ("gone.gguf", None, "No such file"),
        (".", None, "Is a directory"),
        ("zip.gguf", b"PK\x03\x04", "is not a GGUF file"),
        ("empty.gguf", b"", "is not a GGUF file"),
    ],
)
async def test_a_file_that_is_no_model_is_a_matter_of_settings(
    tmp_path: Path, name: str, content: bytes | None, problem: str
) -> None:
    file = tmp_path / name if name else ""
    if content is not None:
        (tmp_path / name).write_bytes(content)

    async with embedded(str(file)) as model:
        with pytest.raises(SettingsError, match=problem) as caught:
            await model.info()
    assert "llm.gguf" in caught.value.fix


async def test_a_missing_xllamacpp_is_named_with_its_extra(
    gguf: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "xllamacpp", raising=False)

    async with embedded(gguf("well")) as model:
        with pytest.raises(SettingsError, match=r"pip install 'askance\[embedded\]'"):
            await model.info()


def test_a_digest_sees_the_beginning_the_end_and_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.adapters.llm.embedded._DIGESTED_BYTES", 8)
    file = tmp_path / "model"
    digests: set[str] = set()
    for content in (b"a" * 40, b"b" + b"a" * 39, b"a" * 39 + b"b", b"a" * 41, b"a" * 12):
        file.write_bytes(content)
        digests.add(digest_of(file))
    assert len(digests) == 5
