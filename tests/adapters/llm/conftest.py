"""What the tests of models share."""

from __future__ import annotations

import pytest

from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI
from servers.scripted import Fake


@pytest.fixture(params=[FakeOllama, FakeOpenAI])
def fake(request: pytest.FixtureRequest) -> Fake:
    return request.param()
