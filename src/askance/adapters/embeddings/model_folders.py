"""Models in a folder of the user's: ONNX with a tokenizer, or a table of vectors for tokens."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
import numpy.typing as npt

from askance.adapters.llm.embedded import digest_of, physical_cores
from askance.config.settings import EmbeddingsSettings
from askance.domain.errors import ServiceProtocolError, SettingsError
from askance.domain.messages import Message
from askance.domain.ports.model import Identity, Vector, scheme_of, unit
from askance.system.program import is_packaged

# Which model to recommend where no folder is named.
_ONNX_MODEL = "multilingual-e5-small"
_STATIC_MODEL = "potion-retrieval-32M"
_ENTAILMENT_MODEL = "mDeBERTa-v3-base-xnli-multilingual-nli-2mil7"
_TOKENIZER = "tokenizer.json"
_ONNX = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")
_TABLES = ("model.safetensors", "embeddings.safetensors")
# What models call the label of a sentence that the text states.
_STATED = ("entailment", "supported", "consistent")
_MOST_TOKENS = 512
_TOGETHER = 8
_FLOATS = {"F32": "<f4", "F16": "<f2", "F64": "<f8"}

Matrix = npt.NDArray[np.float32]
Embed = Callable[[Sequence[str]], Matrix]
Pairs = Sequence[tuple[str, str]]
Rows = Callable[[Sequence[str] | Pairs], Matrix]


class FolderEmbedder:
    """An `Embedder` in this process. An async context manager; the first use loads it, in a thread.

    `load` takes the folder, and returns what embeds texts, the dimension and the digest.
    """

    host = ""

    def __init__(
        self,
        settings: EmbeddingsSettings,
        load: Callable[[EmbeddingsSettings], tuple[Embed, int, str]],
    ) -> None:
        self._settings, self._load = settings, load
        self._loaded: tuple[Embed, Identity] | None = None
        self._loading = threading.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._loaded = None

    def _model(self) -> tuple[Embed, Identity]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._read()
            return self._loaded

    async def identity(self) -> Identity:
        """Say which model the folder holds. See `Embedder.identity`."""
        _, identity = await asyncio.to_thread(self._model)
        return identity

    async def embed_query(self, text: str) -> Vector:
        """Return the vector of a question. See `Embedder.embed_query`."""
        identity = await self.identity()
        (vector,) = await asyncio.to_thread(self._embedded, [identity.scheme.question(text)])
        return vector

    async def embed_passages(self, passages: Sequence[tuple[str, str]]) -> Sequence[Vector]:
        """Return the vectors of passages. See `Embedder.embed_passages`."""
        scheme = (await self.identity()).scheme
        texts = [scheme.passage(title, text) for title, text in passages]
        return await asyncio.to_thread(self._embedded, texts)

    def _read(self) -> tuple[Embed, Identity]:
        embed, dimension, digest = self._load(self._settings)
        named = self._settings.model or Path(self._settings.path).expanduser().absolute().name
        return embed, Identity(named, digest, dimension, scheme_of(named))

    def _embedded(self, texts: Sequence[str]) -> list[list[float]]:
        embed, identity = self._model()
        try:
            rows = embed(texts).tolist()
        # onnxruntime's errors have no common base, and tokenizers raises bare Exceptions; a bug of ours
        # would show here, too, and stands in the cause.
        except Exception as exc:
            raise _failed(identity.model, self._settings.path, exc) from exc
        # A text of no known token has no direction: it is as unlike one as another.
        flat = [1.0 / identity.dimension**0.5] * identity.dimension
        return [unit(row) or flat for row in rows]


class FolderEntailment:
    """An `Entailment` in this process: an ONNX cross-encoder in a folder. The first use loads it, in a thread."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._loaded: Callable[[Pairs], list[float]] | None = None
        self._loading = threading.Lock()

    async def probabilities(self, pairs: Pairs) -> Sequence[float]:
        """Return how surely texts state sentences. See `Entailment.probabilities`."""
        return await asyncio.to_thread(self._probabilities, pairs) if pairs else []

    def _probabilities(self, pairs: Pairs) -> list[float]:
        with self._loading:
            if self._loaded is None:
                self._loaded = _entailment(self._path)
        try:
            return self._loaded(pairs)
        except Exception as exc:  # as in `FolderEmbedder`
            raise _failed(Path(self._path).name, self._path, exc) from exc


def onnx(settings: EmbeddingsSettings) -> tuple[Embed, int, str]:
    """Load an ONNX folder, which needs onnxruntime and tokenizers."""
    folder = _folder(settings.path, _ONNX_MODEL)
    model, embed = _onnx_rows(folder, _pooling(folder))
    try:
        dimension = embed(["dimension"]).shape[1]
    except Exception as exc:  # as above: a first text is embedded here
        raise _unreadable(model, exc) from exc
    return embed, dimension, digest_of(model, folder / _TOKENIZER)


def _onnx_rows(folder: Path, pooled: Callable[[Matrix, Matrix], Matrix]) -> tuple[Path, Rows]:
    """Load an ONNX model. Return its file, and what makes a row of numbers of each text, or pair of texts."""
    model = _found(folder, _ONNX)
    tokenizer = _tokenizer(folder)
    session = _session(model)

    def rows_of(texts: Sequence[str] | Pairs) -> Matrix:
        # Texts of about one length go together: what is shorter is padded, and padding is work.
        order = sorted(range(len(texts)), key=lambda i: len("".join(texts[i])))
        rows: dict[int, Matrix] = {}
        for start in range(0, len(order), _TOGETHER):
            part = order[start : start + _TOGETHER]
            encoded = tokenizer.encode_batch([texts[i] for i in part])
            outputs = _run(session, encoded)
            # Models that are exported with their pooling have the vectors of texts as last output.
            found = outputs[-1]
            if found.ndim != 2:
                mask = np.asarray([one.attention_mask for one in encoded], dtype=np.float32)
                found = pooled(outputs[0], mask)
            rows |= dict(zip(part, found, strict=True))
        return np.stack([rows[i] for i in range(len(texts))])

    return model, rows_of


def _entailment(path: str) -> Callable[[Pairs], list[float]]:
    folder = _folder(path, _ENTAILMENT_MODEL, "answer.entailment")
    config = folder / "config.json"

    def refused(_states: Matrix, _mask: Matrix) -> Matrix:
        raise ValueError(Message("it gives no scores for a pair of texts"))

    model, rows_of = _onnx_rows(folder, refused)
    try:
        width = rows_of([("text", "sentence")]).shape[1]
        labels = _json(config).get("id2label", {}).items()
        places = {str(label).lower(): int(place) for place, label in labels}
    except Exception as exc:  # as in `FolderEmbedder`: a first pair is read here
        raise _unreadable(model, exc) from exc
    # Of two labels without names the second is "supported" (MiniCheck); of three, nobody knows.
    known = (*_STATED, "label_1") if width == 2 else _STATED
    place = 0 if width == 1 else next((places[name] for name in known if name in places), width)
    if place >= width:
        raise SettingsError(
            Message("{file} does not say which score is that of entailment.", file=config),
            fix=Message('Name it "entailment" in its `id2label`.'),
        )

    def probabilities(pairs: Pairs) -> list[float]:
        scores = rows_of(pairs).astype(np.float64)
        if width == 1:
            # With a zero beside it the softmax is the logistic function.
            scores = np.pad(scores, ((0, 0), (0, 1)))
        odds = np.exp(scores - scores.max(axis=1, keepdims=True))
        return (odds[:, place] / odds.sum(axis=1)).tolist()

    return probabilities


def static(settings: EmbeddingsSettings) -> tuple[Embed, int, str]:
    """Load a table with a vector for each token, which needs tokenizers."""
    folder = _folder(settings.path, _STATIC_MODEL)
    file = _found(folder, _TABLES)
    tokenizer = _tokenizer(folder, pads=False)
    tensors = _tensors(file)
    name = "embeddings" if "embeddings" in tensors else next(iter(tensors), "")
    table = tensors.get(name, np.empty(0))
    if table.ndim != 2:
        raise _unreadable(file, Message("it holds no table of vectors"))
    rows, weights = tensors.get("mapping"), tensors.get("weights")

    def embed(texts: Sequence[str]) -> Matrix:
        out = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        for i, one in enumerate(tokenizer.encode_batch(list(texts), add_special_tokens=False)):
            ids = np.asarray(one.ids, dtype=np.intp)
            at = ids if rows is None else rows[ids].astype(np.intp)
            # A tokenizer may have tokens that its table lacks.
            known = at < len(table)
            if known.any():
                vectors = table[at[known]].astype(np.float32)
                if weights is not None:
                    vectors *= weights[ids[known]].astype(np.float32)[:, np.newaxis]
                out[i] = vectors.mean(axis=0)
        return out

    return embed, table.shape[1], digest_of(file, folder / _TOKENIZER)


def _pooling(folder: Path) -> Callable[[Matrix, Matrix], Matrix]:
    """Return how the vectors of tokens become one: as the folder says, else their mean."""
    # An ONNX file does not say how it is pooled, and the wrong pooling gives bad vectors, no error.
    config = _json(folder / "1_Pooling" / "config.json")
    name = scheme_of(_json(folder / "config.json").get("_name_or_path", folder.name))
    by_first = config.get("pooling_mode_cls_token", name == "bge" and not config)
    if by_first:
        return lambda states, _: states[:, 0]
    if config.get("pooling_mode_lasttoken"):
        return lambda states, mask: states[np.arange(len(states)), mask.sum(1).astype(int) - 1]
    return lambda states, mask: (
        (states * mask[:, :, np.newaxis]).sum(1) / np.maximum(mask.sum(1), 1)[:, np.newaxis]
    )


def _run(session: Any, encoded: Sequence[Any]) -> list[Any]:
    given = {
        "input_ids": [one.ids for one in encoded],
        "attention_mask": [one.attention_mask for one in encoded],
        "token_type_ids": [one.type_ids for one in encoded],
    }
    wanted = [put.name for put in session.get_inputs()]
    feed = {name: np.asarray(given[name], dtype=np.int64) for name in wanted if name in given}
    return session.run(None, feed)


def _session(model: Path) -> Any:
    runtime = _library("onnxruntime")
    options = runtime.SessionOptions()
    # One for each core; 0, where they are not known, leaves the number to onnxruntime.
    options.intra_op_num_threads = physical_cores()
    # Fatal errors only: onnxruntime logs to the user's terminal.
    options.log_severity_level = 4
    # Its own store of memory keeps what the longest texts ever took: gigabytes.
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    try:
        return runtime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as exc:  # of its C++ code, without a common base
        raise _unreadable(model, exc) from exc


def _tokenizer(folder: Path, *, pads: bool = True) -> Any:
    library = _library("tokenizers")
    file = _found(folder, (_TOKENIZER,))
    try:
        tokenizer = library.Tokenizer.from_file(str(file))
    except Exception as exc:  # tokenizers' Rust code raises bare Exceptions
        raise _unreadable(file, exc) from exc
    longest = _json(folder / "config.json").get("max_position_embeddings", _MOST_TOKENS)
    if not pads:
        # A static table averages any number of tokens: no context limits a text.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer
    tokenizer.enable_truncation(min(int(longest), _MOST_TOKENS))
    if tokenizer.padding is None:
        tokenizer.enable_padding()
    else:
        tokenizer.enable_padding(**{**tokenizer.padding, "length": None})
    return tokenizer


def _tensors(file: Path) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays in a file of safetensors."""
    try:
        with file.open("rb") as stream:
            # safetensors: eight bytes with the length of a head in JSON, the head, and the
            # numbers behind it.
            length = int.from_bytes(stream.read(8), "little")
            size = os.fstat(stream.fileno()).st_size
            if length > size:
                raise _unreadable(file, Message("it ends too early"))
            head = cast("dict[str, dict[str, Any]]", json.loads(stream.read(length)))
        found: dict[str, npt.NDArray[Any]] = {}
        for name, tensor in head.items():
            kind = {**_FLOATS, "I32": "<i4", "I64": "<i8"}.get(tensor.get("dtype", ""))
            if kind is None:
                continue
            begin, end = tensor["data_offsets"]
            values = np.fromfile(
                file, dtype=kind, offset=8 + length + begin, count=(end - begin) // int(kind[2])
            )
            found[name] = values.reshape(tensor["shape"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as exc:
        raise _unreadable(file, exc) from exc
    return found


def _folder(path: str, recommended: str, setting: str = "embeddings.path") -> Path:
    folder = Path(path).expanduser().absolute()
    if path and folder.is_dir():
        return folder
    problem = (
        Message("The folder {file} is not there.", file=folder)
        if path
        else Message("{setting} names no folder.", setting=setting)
    )
    fix = Message(
        "Put the files of a model such as {model} into a folder, and set {setting} to it.",
        model=recommended,
        setting=setting,
    )
    raise SettingsError(problem, fix=fix)


def _found(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise SettingsError(
        Message("The folder {file} holds no {name}.", file=folder, name=names[0]),
        fix=Message("Put the files of the model into it."),
    )


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        raise SettingsError(
            Message("A model in a folder needs {name}, which is not installed.", name=name),
            fix=Message(
                "This build of Askance comes without it: install another with pip, or embed with Ollama."
            )
            if is_packaged()
            else Message("Install it with `pip install 'askance[embeddings]'`."),
        ) from exc


def _failed(model: str, folder: str, problem: object) -> ServiceProtocolError:
    text = " ".join(str(problem).split())[:160]
    return ServiceProtocolError(
        model,
        folder,
        Message("The model {model} failed: {problem}.", model=model, problem=text),
        fix=Message("Put the files of the model into its folder anew."),
    )


def _unreadable(file: Path, problem: object) -> SettingsError:
    return SettingsError(
        Message("The model file {file} cannot be read: {problem}.", file=file, problem=problem),
        fix=Message("Put the files of the model into its folder anew."),
    )


def _json(file: Path) -> dict[str, Any]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}
