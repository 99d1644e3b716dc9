"""The settings by their names: what each is, what it may be, and what became of former ones."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, SecretStr, TypeAdapter, ValidationError

from askance.config.choices import ALL_DAYS, EmbeddingsApi, ReaderMode
from askance.config.settings import Settings
from askance.domain.addresses import secrets_in
from askance.domain.errors import SettingsError
from askance.domain.messages import Message, message_of

Rows = list[tuple[str, str, Any]]
"""What a source sets: where it stands, the name of the setting, the value."""

Note = Callable[[Message], None]
"""Called with one sentence for a name that a setting has no more."""

RENAMED = {
    "llm.num_ctx": "llm.context_tokens",
    "llm.at_once": "llm.concurrency",
    "search.kept": "search.max_results",
    "evidence.passages": "evidence.max_passages",
    "evidence.per_host": "evidence.max_passages_per_host",
    "evidence.first_tokens": "evidence.first_round_tokens",
    "limits.wall_clock_s": "limits.run_timeout_s",
    "limits.pages_per_round": "limits.first_round_pages",
    "limits.later_pages_per_round": "limits.later_round_pages",
    "services.cli": "services.runtime",
    "window.motion": "window.animations",
}

MERGED = {
    "cache.enabled": "cache.size_mb",
    "embeddings.folder": "embeddings.path",
    "embeddings.gguf": "embeddings.path",
    "embeddings.reranker_folder": "embeddings.reranker",
    "embeddings.reranker_url": "embeddings.reranker",
    "history.enabled": "history.days",
    "history.keep_days": "history.days",
    "reader.container_only": "reader.mode",
    "trace.enabled": "trace.keep",
}
"""Settings that are part of another one now."""

REMOVED = frozenset({
    "embeddings.batch_size", "embeddings.min_similarity", "embeddings.preset",
    "embeddings.query_timeout_s", "embeddings.timeout_s",
    "evidence.always_judge_snippets", "evidence.later_round_tokens", "evidence.later_tokens", "evidence.near_copy",
    "evidence.passage_words", "evidence.per_page",
    "library.file_timeout_s", "library.unanswered_minutes",
    "limits.answer_reserve_s", "limits.enough_pages", "limits.max_model_tokens",
    "limits.model_tokens", "limits.plan_s", "limits.plan_timeout_s",
    "limits.read_ahead",
    "llm.connect_timeout_s", "llm.longest_ctx", "llm.max_context_tokens",
    "ranking.b", "ranking.k1", "ranking.rrf_k", "ranking.title_weight",
    "reader.at_once", "reader.batch_timeout_s", "reader.concurrency", "reader.max_bytes",
    "reader.max_redirects", "reader.max_urls_per_round", "reader.retry_after_s",
    "reader.selective", "reader.url_score_threshold", "reader.worker_memory_mb", "reader.workers",
    "search.asked", "search.at_once", "search.categories", "search.concurrency",
    "search.hints", "search.results_per_query",
    "server.max_body_kb", "server.max_requests", "server.max_waiting",
    "services.start_limit_s", "services.startup_timeout_s",
})  # fmt: skip
"""Settings that are gone, most of them constants beside the code that uses them now."""


def ignore(_: Message) -> None:
    """Take a note, and tell nobody."""


def current_name(name: str) -> str:
    """Return what a setting is called now; any other name as it is."""
    return RENAMED.get(name, name)


def former_name(name: str) -> str:
    """Return what a setting was called before, or nothing."""
    return next((old for old, new in RENAMED.items() if new == name), "")


def renaming(name: str) -> Message:
    """Say under which name a setting goes that has another one now."""
    return Message("{old} is called {new} now.", old=name, new=RENAMED[name])


def passing_over(name: str) -> Message:
    """Say that a setting is none any more."""
    return Message("{name} is no setting any more; it is passed over.", name=name)


def merging(name: str) -> Message:
    """Say which setting has taken another one over."""
    return Message("{old} is part of {new} now.", old=name, new=MERGED[name])


def merged(sources: Sequence[Rows], note: Note = ignore) -> list[Rows]:
    """Return what the sources set, the strongest first, without the settings of `MERGED`: what these
    say of all sources together stands in their place, where they stood. `note` is told of each.
    """
    given: dict[str, tuple[str, Any]] = {}
    for rows in sources:
        for origin, name, value in rows:
            given.setdefault(name, (origin, value))
            if name in MERGED:
                note(merging(name))
    instead = _instead(given)
    left: list[Rows] = []
    for rows in sources:
        rest = [row for row in rows if row[1] not in MERGED and row[1] not in instead]
        origins = {origin for origin, _, _ in rows}
        rest += [(origin, n, v) for n, (origin, v) in instead.items() if origin in origins]
        left.append(rest)
    return left


def _instead(given: Mapping[str, tuple[str, Any]]) -> dict[str, tuple[str, Any]]:
    """Return what the settings of `MERGED` amount to: the origin and the value of settings of today."""
    instead: dict[str, tuple[str, Any]] = {}
    # These guard something: a stronger source that sets the other half did not lift them either.
    if "reader.container_only" in given:
        origin, value = given["reader.container_only"]
        # A value that is no switch is passed on: it is refused under the new name, with a reason.
        if (is_on := _switch(value)) is not False:
            only = ReaderMode.CONTAINER_ONLY.value
            instead["reader.mode"] = (origin, only if is_on else value)
    if "history.keep_days" in given and "history.days" not in given:
        origin, value = given["history.keep_days"]
        # There 0 was for ever.
        instead["history.days"] = (origin, ALL_DAYS if str(value).strip() == "0" else value)
    for switch in ("cache.enabled", "history.enabled", "trace.enabled"):
        if switch in given:
            origin, value = given[switch]
            if (is_on := _switch(value)) is not True:
                instead[MERGED[switch]] = (origin, value if is_on is None else 0)
    _, api = given.get("embeddings.api", ("", ""))
    of_file, of_folder = "embeddings.gguf", "embeddings.folder"
    order = (of_file, of_folder) if api == EmbeddingsApi.EMBEDDED.value else (of_folder, of_file)
    # Both may be set, for two kinds of models; the one of the kind that is chosen was read.
    path = next((name for name in order if name in given), "")
    if path and "embeddings.path" not in given:
        instead["embeddings.path"] = given[path]
    origin, reranker = given.get("embeddings.reranker", ("", ""))
    if reranker == "server":
        _, address = given.get("embeddings.reranker_url", ("", "http://127.0.0.1:8080"))
        address = address if "://" in str(address) else f"http://{address}"
        instead["embeddings.reranker"] = (origin, address)
    elif reranker in {"onnx", "none"}:
        _, folder = given.get("embeddings.reranker_folder", ("", ""))
        instead["embeddings.reranker"] = (origin, folder if reranker == "onnx" else "")
    return instead


def _switch(value: object) -> bool | None:
    """Return whether a value is on or off, as settings are read; None for one that is neither."""
    try:
        return TypeAdapter(bool).validate_python(value)
    except ValidationError:
        return None


_BOUNDS = {"minimum": "least", "exclusiveMinimum": "least", "maximum": "most"}


@cache
def field_names() -> tuple[str, ...]:
    """Return every setting as `section.field`, in the order of the tree."""
    return tuple(
        f"{section}.{field}"
        for section, info in Settings.model_fields.items()
        for field in cast("type[BaseModel]", info.annotation).model_fields
    )


def parse_name(name: str) -> tuple[str, str]:
    """Split `section.field`.

    Raises:
        SettingsError: there is no such setting; the message offers the nearest name.
    """
    known = field_names()
    if name in known:
        section, _, field = name.partition(".")
        return section, field
    if name in RENAMED:
        raise SettingsError(renaming(name))
    if name in MERGED:
        raise SettingsError(
            merging(name),
            fix=Message("`askance config show {name}` tells what it is for.", name=MERGED[name]),
        )
    if name in REMOVED:
        raise SettingsError(Message("{name} is no setting any more.", name=name))
    # Former names, too: a mistyped one means the setting that it became.
    near = difflib.get_close_matches(name, [*known, *RENAMED], 1)
    hint = (
        Message("Did you mean {name}?", name=current_name(near[0]))
        if near
        else Message("`askance config show` lists all of them.")
    )
    raise SettingsError(Message("There is no setting {name}.", name=repr(name)), fix=hint)


def written_value(name: str, text: str) -> str | list[str]:
    """Return what a setting's value is when a person writes it as text: lists have commas."""
    if name in field_names() and is_list(*parse_name(name)):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def objection(error: Mapping[str, Any], section: str, field: str) -> Message:
    """Return why a setting is refused: its validator's own words, or what it must be."""
    if error["type"] == "value_error":
        return message_of(error.get("ctx", {}).get("error", ""))
    return requirement(section, field)


def requirement(section: str, field: str) -> Message:
    """Return what a setting must be, such as "must be a whole number from 1 to 50"."""
    schema = _schema(section, field)
    is_several = schema.get("type") == "array"
    schema = schema["items"] if is_several else schema
    bounds = {name: _figure(schema[key]) for key, name in _BOUNDS.items() if key in schema}
    match str(schema.get("type")):
        case _ if choices := schema.get("enum"):
            return Message("must be one of {names}", names=", ".join(choices))
        case "boolean":
            return Message("must be true or false")
        case "integer" if is_several:
            return Message(
                "must be whole numbers from {least} to {most}, separated by commas", **bounds
            )
        case "integer":
            return Message("must be a whole number from {least} to {most}", **bounds)
        case "number" if "exclusiveMinimum" in schema:
            return Message("must be a number above {least} and at most {most}", **bounds)
        case "number":
            return Message("must be a number from {least} to {most}", **bounds)
        case _ if is_several:
            return Message("must be text, separated by commas")
        case _:
            return Message("must be text")


def allowed(section: str, field: str) -> str:
    """Return what a setting may be, in English: "a whole number from 1 to 50"."""
    return requirement(section, field).removeprefix("must be ")


def help_text(section: str, field: str) -> str:
    """Return the sentence that explains a setting, its unit included."""
    return _section(section).model_fields[field].description or ""


def is_secret(section: str, field: str) -> bool:
    """Say whether a setting's value is never shown."""
    return (
        # A line that is not understood may name an unknown section.
        section in Settings.model_fields
        and _section(section).model_fields[field].annotation is SecretStr
    )


def holds_secrets(text: str) -> bool:
    """Say whether a settings file's text sets what is never shown, or a password in an address."""
    tree = tomllib.loads(text)
    for name in field_names():
        section, _, field = name.partition(".")
        fields = tree.get(section)
        value = cast("dict[str, Any]", fields).get(field) if isinstance(fields, dict) else None
        if value and (is_secret(section, field) or (isinstance(value, str) and secrets_in(value))):
            return True
    return False


def is_list(section: str, field: str) -> bool:
    """Say whether a setting holds several values, written with commas between them."""
    return _schema(section, field).get("type") == "array"


def _figure(bound: float) -> str:
    """Return a bound as it is typed: without separators, in every language."""
    return f"{bound:f}".rstrip("0").rstrip(".") if isinstance(bound, float) else str(bound)


@cache
def _schema(section: str, field: str) -> dict[str, Any]:
    whole = _section(section).model_json_schema()
    schema: dict[str, Any] = whole["properties"][field]
    # pydantic puts an enumeration under `$defs`, and refers to it.
    reference = str(schema.get("$ref", ""))
    return whole["$defs"][reference.rpartition("/")[2]] if reference else schema


def _section(name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", Settings.model_fields[name].annotation)
