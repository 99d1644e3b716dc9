"""How likely a text is in each of 139 languages: the model of py3langid, without its code.

That imports numpy and copies the model, 95 MB in all, of which 24 MB stay. Here a file is mapped, and only the pages
of it that a text needs are in memory, for as long as the model is used.
"""

from __future__ import annotations

import lzma
import math
import mmap
import shutil
import tempfile
import unicodedata
import zipfile
from ast import literal_eval
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from struct import Struct, unpack_from
from threading import Lock, Timer
from time import monotonic

# So long after its last use the model is let go of.
IDLE_S = 45.0
_FILE = "data/model.npz.xz"
_CHUNK_BYTES = 1 << 20


class LanguageModel:
    """A naive Bayes classifier: an automaton finds sequences of bytes that are typical of languages.

    Making one takes a third of a second, and 68 MB of the folder for temporary files.

    Raises:
        ImportError: py3langid is not installed.
        OSError: the model cannot be unpacked, as on a full disk.
    """

    def __init__(self) -> None:
        with tempfile.TemporaryFile() as file:
            with lzma.open(_path()) as packed:
                shutil.copyfileobj(packed, file, _CHUNK_BYTES)
            file.flush()
            with zipfile.ZipFile(file) as archive:
                starts = {entry.filename: entry.header_offset for entry in archive.infolist()}
            # It has a handle of its own.
            view = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        array = {name: _array(view, start) for name, start in starts.items()}
        self._priors = array["pc.npy"].cast("f").tolist()
        size = len(self._priors)
        names = array["classes.npy"]
        width = len(names) // size
        self._codes = [
            str(names[at : at + width], "utf-32-le").rstrip("\0")
            for at in range(0, len(names), width)
        ]
        # Of each feature a number for each language.
        self._weights, self._row = array["ptc.npy"], Struct(f"<{size}e")
        # Of each state of the automaton the number of its row, which has the next state for each
        # byte; and the feature that ends there, or -1.
        self._next = array["nextmove.npy"].cast("I")
        self._rows = array["nextmove_row.npy"].cast("H")
        self._features = array["out_feat.npy"].cast("i")

    def likelihoods(self, text: str) -> dict[str, float]:
        """Return how likely a text is in each language, by codes of ISO 639; in all they are 1."""
        # Capitals alone are rare in what the model was trained on.
        normal = unicodedata.normalize("NFC", text.lower() if text.isupper() else text)
        data = normal.encode("utf-8", "surrogatepass")
        scores = self._scores(data)
        # The longer a text is, the surer the sums are of it: more than they are right.
        scale, most = 1 / math.sqrt(len(data) or 1), max(scores)
        parts = [math.exp(scale * (score - most)) for score in scores]
        whole = sum(parts)
        found: defaultdict[str, float] = defaultdict(float)
        # A language that is written in two scripts is there twice.
        for code, part in zip(self._codes, parts, strict=True):
            found[code] += part / whole
        return dict(found)

    def _scores(self, data: bytes) -> Sequence[float]:
        rows: defaultdict[int, list[tuple[float, ...]]] = defaultdict(list)
        for feature, count in Counter(self._found(data)).items():
            row = self._row.unpack_from(self._weights, feature * self._row.size)
            rows[count].append(row)
        # Where nothing is found, no language is likelier than another.
        scores: Sequence[float] = self._priors if rows else [0.0] * len(self._priors)
        # By counts: `sum` is many times as fast as products one by one.
        for count, same in rows.items():
            weight = math.log1p(count)
            sums = map(sum, zip(*same, strict=True))
            scores = [score + weight * more for score, more in zip(scores, sums, strict=True)]
        return scores

    def _found(self, data: bytes) -> list[int]:
        following, rows, features = self._next, self._rows, self._features
        state = 0
        found: list[int] = []
        for byte in data:
            state = following[256 * rows[state] + byte]
            if (feature := features[state]) >= 0:
                found.append(feature)
        return found


class SharedModel:
    """The one model of a process: loaded at its first use, forgotten when it was not used for `IDLE_S` seconds.

    `forgotten` is called then, in a thread of its own.
    """

    def __init__(self, forgotten: Callable[[], None]) -> None:
        # Texts are recognised in threads: two at once would load the model twice.
        self._loading = Lock()
        self._model: LanguageModel | None = None
        self._forgotten = forgotten
        self._used_s = 0.0

    @property
    def is_loaded(self) -> bool:
        """Whether it is in memory."""
        return self._model is not None

    def get(self) -> LanguageModel:
        """Return the model.

        Raises:
            ImportError: see `LanguageModel`.
            OSError: see `LanguageModel`.
        """
        with self._loading:
            self._used_s = monotonic()
            if self._model is None:
                self._model = LanguageModel()
                self._look_after(IDLE_S)
            return self._model

    def forget(self) -> None:
        """Let go of it, and of what was loaded for it."""
        with self._loading:
            self._model = None
            self._forgotten()

    def _look_after(self, seconds: float) -> None:
        timer = Timer(seconds, self._forget_if_idle)
        # It does not hold up the end of the program.
        timer.daemon = True
        timer.start()

    def _forget_if_idle(self) -> None:
        left = self._used_s + IDLE_S - monotonic()
        if left > 0:
            self._look_after(left)
        else:
            self.forget()


def _path() -> Path:
    # Found, not imported: its own code would bring numpy.
    spec = find_spec("py3langid")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("py3langid is not installed.", name="py3langid")
    return Path(spec.submodule_search_locations[0]) / _FILE


def _array(archive: memoryview, start: int) -> memoryview:
    """Return the bytes of one of numpy's arrays in an archive that is not compressed, given where its entry starts."""
    name, extra = unpack_from("<26xHH", archive, start)
    start += 30 + name + extra
    (size,) = unpack_from("<8xH", archive, start)
    start += 10 + size
    header = literal_eval(str(archive[start - size : start], "ascii").strip())
    # Such as "<f2", and "<U3" of characters of four bytes.
    kind, width = header["descr"][1], int(header["descr"][2:])
    count = math.prod(header["shape"]) * width * (4 if kind == "U" else 1)
    return archive[start : start + count]
