"""A running project for each module of tests that needs one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from deploy.real_services import Setting, running_services


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setting]:
    """The services of this module; see `running_services`.

    Not of all of them: a keeper that was restarted refuses the network outside, which is then one
    of its own. The images are built once, since the engine keeps their steps.
    """
    with running_services(tmp_path_factory.mktemp("services")) as running:
        yield running
