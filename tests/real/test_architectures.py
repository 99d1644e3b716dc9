"""What the built-in model's server keeps of a run's prompts, by architecture, and what the engine learns of that.

The models are tiny and their replies are written by a script: what a server keeps depends on neither.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.architectures import ForecastingSpeed, ask, saved, worst_error
from bench.tiny_models import write_tiny_model

from askance.sample_web.sample_pages import load_questions
from servers.real_models import running_llama, small_model
from waiting import patience

# Plain attention saves .58 of these questions' prompt tokens, llama.cpp's own batch .28 with a hybrid.
LEAST_SAVED, LARGEST_ERROR = 0.44, 0.1
pytestmark = [pytest.mark.real, pytest.mark.exhaustive]


@pytest.mark.parametrize("architecture", ["gpt-oss", "qwen35", "lfm2", "granitehybrid"])
async def test_most_of_what_is_known_is_saved_and_the_rest_is_foreseen_from_the_second_run_on(
    architecture: str, tmp_path: Path
) -> None:
    write_tiny_model(gguf := tmp_path / "tiny.gguf", small_model(), architecture)
    async with patience(), running_llama(8192, gguf=gguf) as llama, llama.model() as model:
        runs = await ask(model, load_questions()[:4], ForecastingSpeed())
    assert saved(runs) >= LEAST_SAVED
    assert worst_error(runs) <= LARGEST_ERROR
