"""A model that does not fit is told from a server that refuses."""

from __future__ import annotations

from askance.adapters.llm.model_server import ModelServer
from askance.config.settings import LlmSettings
from askance.domain.errors import OutOfMemory, ServiceRefused
from sampled import each_row


@each_row(
    ("body", "kind"),
    [
        (
            '{"error": "model requires more system memory (5.6 GiB) than is available (2.1 GiB)"}',
            OutOfMemory,
        ),
        ('{"error": {"message": "cudaMalloc failed: out of memory"}}', OutOfMemory),
        ("ggml_backend_cpu: failed to allocate buffer", OutOfMemory),
        ('{"error": "no such method"}', ServiceRefused),
        ("", ServiceRefused),
    ],
)
def test_a_model_that_does_not_fit_is_told_from_other_refusals(
    body: str, kind: type[ServiceRefused]
) -> None:
    server = ModelServer(LlmSettings(), service="Ollama", address="http://127.0.0.1:1", start="")
    assert type(server.refused(500, body)) is kind
    assert type(server.broken(body)) is kind
