"""Putting the parts together."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.config.folders import find_folders
from askance.config.settings import LlmApi, Settings
from askance.domain.errors import ServiceDown, SettingsError
from askance.domain.web import PageStatus
from askance.sample_web import serve_sample_web
from askance.wiring import open_app
from fakes.outbound import ignore


def settings(**sections: object) -> Settings:
    return Settings.model_validate(sections)


async def test_an_error_under_the_open_parts_comes_out_as_itself(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with pytest.raises(ServiceDown, match="It is gone"):
        async with open_app(Settings(), folders):
            raise ServiceDown("Reader", "http://x", "It is gone.")


async def test_the_container_reader_is_refused_until_there_is_one(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with pytest.raises(SettingsError, match="reader service"):
        async with open_app(settings(reader={"mode": "container"}), folders):
            pytest.fail("nothing can be opened")


async def test_an_embedded_model_without_a_file_is_a_matter_of_settings(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with pytest.raises(SettingsError, match="names no file"):
        async with open_app(settings(llm={"api": LlmApi.EMBEDDED}), folders):
            pytest.fail("nothing can be opened")


async def test_the_sample_web_is_searched_and_read_under_its_own_names(tmp_path: Path) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with serve_sample_web() as web:
        async with open_app(
            settings(search={"url": "http://127.0.0.1:1"}), folders, sample_web=web
        ) as app:
            found = await app.search.search("storm loaf", wanted=10, sent=ignore)
            page = await app.reader.read(found.results[0].url, sent=ignore)
            inward = await app.reader.read(
                f"{web.search_url}/search?q=storm&format=json", sent=ignore
            )
    assert page.status is PageStatus.OK
    assert page.words > 100
    assert inward.reason == "refused_address"
