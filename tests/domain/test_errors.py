from __future__ import annotations

import pytest

from askance.domain.errors import (
    InputError,
    ModelMissing,
    PromptTooLong,
    ServiceError,
    ServiceRefused,
    ServiceTimeout,
    SettingsError,
)


@pytest.mark.parametrize("kind", [ServiceTimeout, ServiceRefused])
def test_a_service_error_names_the_service_its_address_and_the_remedy(
    kind: type[ServiceError],
) -> None:
    error = kind("SearXNG", "http://127.0.0.1:1", "It is down.", fix="askance up")
    assert (error.service, error.address) == ("SearXNG", "http://127.0.0.1:1")
    assert str(error) == "It is down. askance up"


@pytest.mark.parametrize("kind", [SettingsError, ModelMissing, PromptTooLong])
def test_an_input_error_is_for_the_user_to_mend(kind: type[InputError]) -> None:
    error = kind("It is wrong.", fix="Mend it.")
    assert not isinstance(error, ServiceError)
    assert (error.problem, error.fix) == ("It is wrong.", "Mend it.")
    assert str(kind("It is wrong.")) == "It is wrong."


def test_a_prompt_that_is_too_long_tells_by_how_much() -> None:
    error = PromptTooLong("Too long.", needed=9000, available=8192)
    assert (error.needed, error.available) == (9000, 8192)
