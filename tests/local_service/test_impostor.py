"""Another program that took the port of a service: what it learns, and what it gets believed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from askance.adapters.network.own_services import reader_vitals, searxng_vitals
from askance.adapters.reader.service import ServiceReader
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import ReaderSettings, SearchSettings
from askance.domain.errors import ServiceProtocolError
from askance.local_service.credentials import PROOF_LENGTH, RequestProof
from fakes.outbound import ignore
from fakes.reader import ScriptedReader
from reader_service.served_reader import TOKEN as READER_TOKEN
from reader_service.served_reader import serving
from remedies import remedy_of
from sampled import sampled
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.reader_client import NAMES, URL, reply_of
from servers.search_gateway import TOKEN as SEARCH_TOKEN
from servers.search_gateway import gateway_before
from servers.searxng import ScriptedSearxng, hit, reply
from servers.site import ScriptedResolver

Ask = Callable[[str], Awaitable[object]]
Lie = Callable[[Request, httpx.Response | None], tuple[int, dict[str, str], bytes]]


@dataclass
class Service:
    """One of the two services: its real address, what it serves, and how the program asks it."""

    url: str
    token: str
    forged: bytes
    ask: Ask
    served: list[str]


@asynccontextmanager
async def reader(folder: Path) -> AsyncIterator[Service]:
    token_file = folder / "reader.token"
    token_file.write_text(READER_TOKEN)
    real = ScriptedReader({URL: "True words."})
    async with serving(real) as running:

        async def ask(url: str) -> object:
            settings = ReaderSettings(url=url)
            async with ServiceReader(settings, token_file, ScriptedResolver(NAMES)) as client:
                return await client.read(URL, sent=ignore)

        forged = reply_of()
        yield Service(f"http://127.0.0.1:{running.port}", READER_TOKEN, forged, ask, real.requested)


@asynccontextmanager
async def search(folder: Path) -> AsyncIterator[Service]:
    token_file = folder / "search.token"
    script = ScriptedSearxng(lambda _: [hit("http://true.example/", "True", "true")])
    async with serve(script) as searxng:
        with gateway_before(searxng.url, token_file) as url:

            async def ask(url: str) -> object:
                async with SearxngSearch(SearchSettings(url=url), token_file) as client:
                    return await client.search("a wren", wanted=10, sent=ignore)

            hits = [hit("http://forged.example/", "Forged", "forged")]
            forged = httpx.Response(200, json=reply("a wren", hits)).content
            yield Service(url, SEARCH_TOKEN, forged, ask, script.heard)


both = pytest.mark.parametrize("kind", [reader, search])


@dataclass
class Impostor:
    """Listens in the place of a service, notes all it hears, and may ask the real one."""

    lie: Lie
    real: str = ""
    heard: list[Request] = field(default_factory=list[Request])

    async def __call__(self, request: Request, wire: Wire) -> None:
        self.heard.append(request)
        got = await self.brought_on(request) if self.real else None
        status, headers, body = self.lie(request, got)
        await wire.send(body, status, headers)

    async def brought_on(self, request: Request) -> httpx.Response:
        """What the real service says to the very same request."""
        headers = {k: v for k, v in request.headers.items() if k != "connection"}
        async with httpx.AsyncClient(base_url=self.real, trust_env=False) as client:
            return await client.request(
                request.method, request.target, headers=headers, content=request.body
            )


def nonce_of(request: Request) -> RequestProof:
    proof = RequestProof.parse(request.headers["authorization"])
    assert proof is not None
    return proof


def lies_alone(forged: bytes) -> dict[str, Lie]:
    """What one can say who has not got the token."""
    return {
        "nothing but the forgery": lambda request, _: (200, {}, forged),
        "a proof of its own": lambda request, _: (
            200, {"Authentication-Info": "0" * 64}, forged + b"0" * 64
        ),
        "the client's own proof": lambda request, _: (
            200,
            {"Authentication-Info": nonce_of(request).proof},
            forged + nonce_of(request).proof.encode(),
        ),
        "a refusal": lambda request, _: (401, {}, b'{"error": {"code": "unauthorized"}}'),
        "a wish for the token": lambda request, _: (
            401, {"WWW-Authenticate": "Bearer"}, b"Show me your token."
        ),
        "a redirect to itself": lambda request, _: (307, {"Location": request.target}, b""),
        "nonsense for a proof": lambda request, _: (200, {"Authentication-Info": "\xe9"}, forged),
    }  # fmt: skip


def lies_between(forged: bytes) -> dict[str, Lie]:
    """What one can do who gets the true reply to the very request, and changes it."""

    def between(change: Callable[[bytes, bytes], bytes], status: int = 200) -> Lie:
        def lie(_: Request, got: httpx.Response | None) -> tuple[int, dict[str, str], bytes]:
            assert got is not None
            assert got.status_code == 200
            body, proof = got.content[:-PROOF_LENGTH], got.content[-PROOF_LENGTH:]
            head = {"Authentication-Info": got.headers["authentication-info"]}
            return status, head, change(body, proof)

        return lie

    return {
        "changed": between(lambda _, proof: forged + proof),
        "cut": between(lambda body, proof: body[:-1] + proof),
        "bare": between(lambda body, _: body),
        "empty": between(lambda _, proof: proof),
        "other": between(lambda body, proof: body + proof, 503),
    }


Kind = Callable[[Path], AbstractAsyncContextManager[Service]]


async def refusal(service: Service, impostor: Handler) -> tuple[ServiceProtocolError, Loopback]:
    async with serve(impostor) as listening:
        with pytest.raises(ServiceProtocolError) as caught:
            await service.ask(listening.url)
    return caught.value, listening


@both
@pytest.mark.parametrize("lie", sampled(sorted(lies_alone(b"")), every=2))
async def test_an_impostor_is_not_believed_and_does_not_learn_the_token(
    kind: Kind, lie: str, tmp_path: Path
):
    async with kind(tmp_path) as service:
        impostor = Impostor(lies_alone(service.forged)[lie])
        error, listening = await refusal(service, impostor)
        assert remedy_of(error).command == "askance up"
        assert listening.url in error.problem
        assert "`askance up`" in error.fix
        # One request, which nobody's wish makes another one of, and no token in it.
        [received] = impostor.heard
        assert service.token not in repr(received)
        assert service.served == []


@both
@pytest.mark.parametrize("lie", sorted(lies_between(b"")))
async def test_one_who_asks_the_real_service_on_cannot_change_what_it_says(
    kind: Kind, lie: str, tmp_path: Path
):
    async with kind(tmp_path) as service:
        impostor = Impostor(lies_between(service.forged)[lie], real=service.url)
        error, _ = await refusal(service, impostor)
        assert remedy_of(error).command == "askance up"


@both
async def test_what_an_impostor_has_heard_serves_it_once_at_most(kind: Kind, tmp_path: Path):
    async with kind(tmp_path) as service:
        impostor = Impostor(lambda request, _: (200, {}, b"{}"))
        await refusal(service, impostor)
        [received] = impostor.heard
        impostor.real = service.url
        statuses = [(await impostor.brought_on(received)).status_code for _ in range(3)]
        assert statuses == [200, 401, 401]
        assert len(service.served) == 1


@both
async def test_the_proof_of_an_earlier_reply_does_not_serve_again(kind: Kind, tmp_path: Path):
    true: list[httpx.Response] = []

    def repeating(
        request: Request, got: httpx.Response | None
    ) -> tuple[int, dict[str, str], bytes]:
        if got is not None:
            true.append(got)
        proof = {"Authentication-Info": true[0].headers["authentication-info"]}
        return 200, proof, true[0].content

    async with kind(tmp_path) as service:
        impostor = Impostor(repeating, real=service.url)
        async with serve(impostor) as listening:
            # As long as it changes nothing, it is a wire.
            await service.ask(listening.url)
            impostor.real = ""
            with pytest.raises(ServiceProtocolError, match="prove"):
                await service.ask(listening.url)


async def test_doctor_is_not_told_the_version_of_an_impostor(tmp_path: Path):
    async def impostor(request: Request, wire: Wire) -> None:
        if request.path == "/healthz":
            await wire.send("OK")
        else:
            await wire.send_json({"version": "9", "askance": "9"})

    token_file = tmp_path / "token"
    token_file.write_text(READER_TOKEN)
    async with serve(impostor) as listening:
        for ask in (searxng_vitals, reader_vitals):
            assert (await ask(listening.url, None)).version == "9"
            with pytest.raises(ServiceProtocolError, match="prove"):
                await ask(listening.url, token_file)
    assert READER_TOKEN not in repr(listening.requests)


async def test_a_searxng_of_the_users_own_is_asked_without_any_proof(tmp_path: Path):
    script = ScriptedSearxng(lambda _: [hit("http://true.example/", "True", "true")])
    async with (
        serve(script) as foreign,
        SearxngSearch(SearchSettings(url=foreign.url), tmp_path / "none") as search,
    ):
        assert (await search.search("a wren", wanted=10, sent=ignore)).results
        assert "authorization" not in foreign.requests[0].headers
