"""Embedders on servers: what they send, what they take for vectors, and what goes wrong."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.storage.shelf import direction
from askance.adapters.embeddings import servers
from askance.adapters.embeddings.servers import OllamaEmbedder, OpenAIEmbedder
from askance.adapters.model_choice import open_embedder
from askance.config.settings import EmbeddingsSettings, Settings
from askance.domain.errors import (
    ModelMissing,
    ModelRefused,
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.ports.model import Identity, Scheme, scheme_of
from servers.embedding import MODEL, FakeEmbedding, refuses
from servers.loopback import Request, Wire, serve

both = pytest.mark.parametrize("kind", [OllamaEmbedder, OpenAIEmbedder])
TEXTS = [("Ferry", "The ferry leaves at nine."), ("", "Sheep graze.")]


def near(vector: Any) -> Any:
    return pytest.approx(vector, abs=1e-9)


async def embedded(fake: FakeEmbedding, kind: type[Any], **settings: Any) -> Any:
    async with serve(fake) as server, kind(EmbeddingsSettings(url=server.url, **settings)) as made:
        assert made.host == ""
        return await made.embed_passages(TEXTS)


@both
async def test_passages_come_back_in_their_order(kind: type[Any]) -> None:
    fake = FakeEmbedding()
    first, second = await embedded(fake, kind)
    assert first == near(direction("Ferry\nThe ferry leaves at nine."))
    assert second == near(direction("Sheep graze."))
    assert fake.given == [["dimension"], ["Ferry\nThe ferry leaves at nine.", "Sheep graze."]]


@both
async def test_it_is_known_what_the_model_is(kind: type[Any]) -> None:
    fake = FakeEmbedding()
    async with serve(fake) as server, kind(EmbeddingsSettings(url=server.url)) as made:
        digest = "d1" if kind is OllamaEmbedder else "22-88"
        assert await made.identity() == Identity(MODEL, digest, 72)
        assert await made.identity() == Identity(MODEL, digest, 72)
    assert len(fake.given) == 1  # the dimension is asked for once


async def test_another_model_under_the_same_name_is_another_one() -> None:
    fake = FakeEmbedding()
    async with serve(fake) as server, OllamaEmbedder(EmbeddingsSettings(url=server.url)) as made:
        before = await made.identity()
        fake.digest, fake.dimension = "d2", 8
        assert await made.identity() == Identity(MODEL, "d2", 8)
        assert before.key != (await made.identity()).key


async def test_the_prefixes_of_a_model_go_before_texts() -> None:
    fake = FakeEmbedding(models=("nomic-embed-text:latest",))
    async with serve(fake) as server:
        settings = EmbeddingsSettings(url=server.url, model="nomic-embed-text")
        async with OllamaEmbedder(settings) as made:
            await made.embed_query("when?")
            await made.embed_passages(TEXTS[:1])
    assert fake.given[1:] == [
        ["search_query: when?"],
        ["search_document: Ferry\nThe ferry leaves at nine."],
    ]


@pytest.mark.parametrize(
    ("model", "scheme"),
    [
        ("nomic-embed-text:v1.5", Scheme.NOMIC),
        ("intfloat/multilingual-e5-small", Scheme.E5),
        ("embeddinggemma:300m", Scheme.GEMMA),
        ("BAAI/bge-small-en-v1.5", Scheme.BGE),
        ("bge-m3", Scheme.NONE),
        ("all-MiniLM-L6-v2", Scheme.NONE),
    ],
)
def test_prefixes_are_known_by_the_name_of_the_model(model: str, scheme: Scheme) -> None:
    assert scheme_of(model) is scheme


def test_a_title_stands_where_the_scheme_wants_it() -> None:
    assert Scheme.GEMMA.passage("Ferry", "At nine.") == "title: Ferry | text: At nine."
    assert Scheme.GEMMA.passage("", "At nine.") == "title: none | text: At nine."
    assert Scheme.E5.passage("Ferry", "At nine.") == "passage: Ferry\nAt nine."
    assert Scheme.E5.question("When?") == "query: When?"


@both
@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([direction("one")], "1 vectors where 2 were asked for"),
        ([direction("one", 8), direction("two", 8)], "vectors of 8 numbers where 72 are expected"),
        ([[0.0] * 72] * 2, "vectors without a direction"),
    ],
)
async def test_what_is_no_vector_is_not_taken(
    kind: type[Any], vectors: list[list[float]], said: str
) -> None:
    fake = FakeEmbedding()

    async def wrong(request: Request, wire: Wire) -> None:
        is_probe = len(fake.given) == 1
        await (fake.embed(request, wire) if is_probe else fake.answer(request, wire, vectors))

    fake.on_embed = wrong
    with pytest.raises(ServiceProtocolError, match=said):
        await embedded(fake, kind)


@both
async def test_what_cannot_be_understood_names_the_settings(kind: type[Any]) -> None:
    async def garbled(_: Request, wire: Wire) -> None:
        await wire.send("<html>", 200)

    with pytest.raises(ServiceProtocolError) as failed:
        await embedded(FakeEmbedding(on_embed=garbled), kind)
    assert "embeddings.url" in failed.value.fix


@both
async def test_a_refusal_says_why(kind: type[Any]) -> None:
    with pytest.raises(ServiceRefused, match="unexpectedly stopped") as failed:
        await embedded(FakeEmbedding(on_embed=refuses), kind)
    assert "embeddings.model" in failed.value.fix


@both
async def test_a_silent_server_is_given_up(
    kind: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "BATCH_TIMEOUT_S", 0.05)

    async def silent(_: Request, wire: Wire) -> None:
        await wire.client_gone()

    with pytest.raises(ServiceTimeout) as failed:
        await embedded(FakeEmbedding(on_embed=silent), kind)
    assert "smaller model" in failed.value.fix


@both
async def test_a_server_that_is_not_there_is_down(kind: type[Any]) -> None:
    async with serve(FakeEmbedding()) as server:
        url = server.url
    async with kind(EmbeddingsSettings(url=url)) as made:
        with pytest.raises(ServiceDown):
            await made.identity()


async def test_a_model_that_ollama_does_not_have_is_missing() -> None:
    with pytest.raises(ModelMissing, match="ollama pull"):
        await embedded(FakeEmbedding(models=()), OllamaEmbedder)
    with pytest.raises(ModelMissing, match="does not have the model other"):
        await embedded(FakeEmbedding(), OllamaEmbedder, model="other")
    with pytest.raises(ModelRefused):
        await embedded(FakeEmbedding(), OllamaEmbedder, model="big:cloud")
    with pytest.raises(ModelMissing, match="has no model"):
        await embedded(FakeEmbedding(models=()), OpenAIEmbedder)


async def test_a_server_on_another_machine_is_named() -> None:
    async with OllamaEmbedder(EmbeddingsSettings(url="http://far.example:11434")) as made:
        assert made.host == "far.example:11434"


class Locked(FakeEmbedding):
    """A server that asks for a key."""

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.headers.get("authorization") != "Bearer sesame":
            await wire.send_json({"error": "Invalid API key"}, 401)
        else:
            await super().__call__(request, wire)


@both
@pytest.mark.parametrize(
    "keys",
    [
        {"embeddings": {"api_key": "sesame"}},
        {"llm": {"api_key": "sesame"}},
        {"embeddings": {"api_key": "sesame"}, "llm": {"api_key": "another"}},
    ],
)
async def test_a_key_is_sent_the_model_servers_own_where_the_address_is_the_same(
    kind: type[Any], keys: dict[str, dict[str, str]]
) -> None:
    api = "ollama" if kind is OllamaEmbedder else "openai"
    async with serve(Locked()) as server:
        tree: dict[str, dict[str, str]] = {
            "llm": {"url": f"{server.url}/v1"},
            "embeddings": {"api": api, "url": server.url},
        }
        for section, values in keys.items():
            tree[section] |= values
        settings = Settings.model_validate(tree)
        async with open_embedder(settings) as made:
            assert len(await made.embed_passages(TEXTS)) == 2


@both
async def test_the_model_servers_key_goes_to_no_other_server(kind: type[Any]) -> None:
    api = "ollama" if kind is OllamaEmbedder else "openai"
    settings_of = {"llm": {"url": "http://127.0.0.1:1", "api_key": "sesame"}}
    async with serve(Locked()) as server:
        settings = Settings.model_validate(
            {**settings_of, "embeddings": {"api": api, "url": server.url}}
        )
        async with open_embedder(settings) as made:
            with pytest.raises(ServiceRefused) as caught:
                await made.embed_passages(TEXTS)
    assert "embeddings.api_key" in caught.value.fix
