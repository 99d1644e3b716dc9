"""The forms in which models write citations, found in a text wherever they stand.

Whether one of them is a citation is decided by `marker_context`; here is what it would name. What
stands in a bracket is read token by token: a label (`Source`, `来源`, `S`), numbers with what joins
them, and a page or a title behind. Read are `[1]`, `[1, 2]`, `[1-3]`, `[[1]]`, `\\[1\\]`, `【1†x】`,
`[^1]`, `[S1]`, `[cite: 1]`, `[1, p. 3]`, `[1: Title]`, `(see source 1)`, `¹`,
`<sup>1</sup>`, `<cite>1</cite>`, `\\cite{1}`, `$^{1}$`, `^1^`, and links with such a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from askance.domain.patterns import lazy_re

Span = tuple[int, int]
Ranges = tuple[tuple[int, int], ...]


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


# In small letters, and of all languages at once: a model labels in its own, in the question's or in
# English.
LABELS = _words(
    "source sources src srcs ref refs reference references citation citations cite cites cited doc docs document",
    "documents web website webpage result results passage passages snippet snippets excerpt excerpts evidence",
    "footnote footnotes note notes article articles context chunk",
    "quelle quellen beleg belege verweis verweise referenz referenzen dokument dokumente fußnote nachweis",
    "fuente fuentes documento documentos referencia referencias cita citas",
    "référence références réf réfs sources doc citation fonte fonti fontes riferimento riferimenti rif documenti",
    "referência referências bron bronnen referentie referenties źródło źródła źródłami odnośnik przypis",
    "zdroj zdroje källa källor kilde kilder lähde lähteet forrás források sursă sursa surse kaynak kaynaklar kaynakça",
    "belge dokumentum sumber nguồn источник источники источника источнику документ документы ссылка ссылки сноска",
    "джерело джерела документ πηγή πηγές πηγη έγγραφο",
    "来源 來源 文献 文獻 参考 參考 参考文献 參考文獻 参考资料 資料 资料 出典 引用 引用元 出处 出處 文档 文件 文書 注 脚注 参照",
    "출처 참고 참고문헌 자료 문서 인용 مصدر المصدر المصادر مصادر مرجع المرجع المراجع وثيقة منبع منابع مقاله",
    "מקור מקורות מסמך स्रोत संदर्भ दस्तावेज़ แหล่งที่มา แหล่งอ้างอิง อ้างอิง ที่มา เอกสาร",
)
"""What a source is called before its number."""

LABEL_LETTERS = frozenset("sdrw")
"""Letters that a source's number may have right before it: `[S1]`."""

SEE = _words(
    "see cf see_also per via from siehe vgl s laut nach voir selon véase ver según vedi cfr secondo veja zie volgens",
    "zob patrz wg см по viz se jf ks bkz lásd vezi 见 見 参见 參見 参看 参照 詳見 詳见 据 根据 참조 انظر ראה देखें ดู",
)

AND = _words("and und et y e i и en og och ja a és și ve و ו और 和 と 및 및 및 и та or und und")
TO = _words("to bis à a ad až do до по tot til till through thru al 至 到 から")
PAGES = _words(
    "p pp page pages pg s seite seiten pág pag págs стр с str blz sid abs sec section sect ch chapter fig figure line",
    "lines l para paragraph § ¶ 页 頁 ページ at",
)

INSTRUCTIONS = frozenset([
    "open", "close", "click", "press", "tap", "type", "enter", "select", "choose", "go", "run", "install", "download",
    "upload", "save", "add", "remove", "delete", "insert", "set", "turn", "start", "stop", "restart", "check", "uncheck",
    "copy", "paste", "create", "drag", "drop", "scroll", "swipe", "connect", "disconnect", "plug", "unplug", "wait",
    "preheat", "mix", "stir", "pour", "cut", "fold", "place", "put", "take", "make", "write", "enable", "disable", "sign",
    "log", "navigate", "hold", "pull", "push", "rinse", "wash", "öffne", "öffnen", "klicke", "klicken", "drücke",
    "drücken", "wähle", "wählen", "gehe", "starte", "starten", "speichere", "speichern", "installiere", "ouvrez",
    "cliquez", "appuyez", "sélectionnez", "choisissez", "allez", "installez", "abra", "abre", "haga", "haz", "pulse",
    "seleccione", "apri", "premi", "clicca",
])  # fmt: skip
"""Words that begin a step of instructions: a number in brackets before one counts it."""

SERIES = _words(
    "list lists array arrays vector vectors tuple tuples matrix matrices interval intervals range ranges sequence",
    "sequences set sets slice slices subset subsets permutation permutations pair pairs triple triples coordinates",
    "coordinate domain segment series values value numbers number input inputs output outputs entries data shape scale",
    "liste listen feld felder vektor vektoren tupel matrizen intervall intervalls bereich folge menge werte zahlen paar",
    "lista listas arreglo arreglos vectores matriz matrices intervalo intervalos rango secuencia conjunto valores tupla",
    "tableau tableaux listes vecteur vecteurs matrice matrices intervalle intervalles suite ensemble valeurs couple",
    "liste vettore vettori intervallo intervalli insieme valori sequenza vetor vetores sequência lijst reeks matrix",
    "przedział przedziale przedziału wektor macierz tablica zbiór список списка списке массив массива вектор матрица",
    "матрицу отрезок отрезке отрезка интервал интервале множество кортеж диапазон последовательность",
)
"""Nouns that a list of numbers in brackets stands behind as what it is."""

PLACES = _words(
    "index indices indexes subscript element elements position positions entry slot slots cell cells bit bits argument",
    "arguments component components residue residues step steps item items option options exercise problem equation",
    "equations eq eqs theorem lemma level column columns row rows register key button press type enter player group page",
    "stelle stellen position positionen eintrag element elemente schritt index taste aufgabe gleichung zeile spalte",
    "posición posiciones elemento elementos índice ecuación paso tecla position élément éléments indice étape touche",
    "équation posizione elemento indice passo tasto equazione posição índice elemento passo equação позиция позиции",
    "элемент элемента индекс шаг уравнение строка столбец pozycja element indeks krok równanie",
)
"""Nouns that a number in brackets counts."""

OPERATIONS = _words(
    "is are was were be equals equal return returns returned gives give given yields yield prints print contains",
    "contain holds becomes become produces outputs sort sorting sorts reverse add append map maps merge join push pass",
    "take takes compare let consider choose pick use using try call set like as has have than equals evaluates",
    "ist sind war ergibt liefert gibt enthält wird wie hat es son da devuelve contiene est sont donne renvoie contient",
    "è sono restituisce contiene é são retorna devolve contém jest to są zwraca это равен равно возвращает содержит",
    "select where press type enter hit click dial in on at of to from into onto over within between by with for the a an or than",
    "im in auf von zu aus über zwischen mit für der die das den dem ein eine en de del la el los las un una con por para",
    "sur dans le les des du une par pour sul nel nella nell di da il lo con per no na em do da os as um uma w na z od do",
    "в на из от до с между для к op het een van met voor i på av från till",
)
"""Words that need what follows them, so that a list in brackets is no citation there."""

EQUALS = _words(
    "is are was were equals equal returns return returned gives yields prints print contains outputs evaluates to",
    "ist sind ergibt liefert es devuelve est sont renvoie è restituisce é retorna jest zwraca это равен возвращает",
    "select where press type enter hit click dial",
)
"""Of these, what a single number in brackets stands behind as a value, in the midst of a sentence."""

CITING = _words(
    "shown described reported stated noted mentioned discussed found given documented according cited listed seen sources",
    "beschrieben berichtet gezeigt genannt erwähnt laut según selon secondo segundo согласно volgens według décrit",
    "descrito descrito descritto описано see both refs references and",
)
"""Before a preposition these tell that what follows is cited: `described in [1, 2]`."""

UNITS = _words(
    "metre metres meter meters mètre mètres metro metros metri мetr метр метра метров mile miles foot feet inch inches",
    "yard yards kilometer kilometre kilometers kilometres kilometern metern zentimeter centimeter centimetre millimeter",
    "pixel pixels second seconds sekunde sekunden sinh cosh tanh sin cos tan log km cm mm kelvin volt ampere newton",
    "quilómetros quilômetros kilómetros kilomètres chilometri километров sqrt grad",
)
"""Words behind which a raised number is a power."""

CODE_NAMES = _words(
    "array arrays arr list lists lst args argv data nums numbers num items item vec vector vectors matrix mat buf buffer",
    "str string strings row rows col cols column columns values vals value keys result results res idx dict map tuple foo",
    "bar baz tmp temp grid memo stack queue words lines names parts tokens input inputs output outputs cache params self",
    "df matches groups elements element users user scores points nodes edges tree heap table cells cell letters chars",
    "colors colours fruits primes weights layers children options arguments sys math obj ptr pixels image board",
    "documentclass sequence seq series entries entry records record out in",
)
"""Names that a place in brackets follows in programs, and seldom a citation."""

CODE_CONTEXT = _words(
    "array arrays list lists index indices element elements argument arguments variable variables function functions loop",
    "tuple matrix vector dictionary slice pointer parameter code python javascript java rust bash shell perl access",
    "subscript string returns compile feld element elemente variable funktion index schleife arreglo elemento función",
    "tableau élément fonction indice vettore funzione массив элемент функция индекс переменная",
)
"""Words of a sentence that speaks of a program."""

WIDE_SERIES = (
    "区间", "區間", "数组", "數組", "列表", "向量", "矩阵", "矩陣", "集合", "元素", "索引", "序列", "配列", "リスト", "行列",
    "ベクトル", "閉区間", "タプル", "位置", "输出", "输入", "返回", "结果是", "구간", "배열", "리스트", "벡터", "행렬", "집합",
    "下标", "添字", "อาร์เรย์", "รายการ", "ช่วง",
)  # fmt: skip
"""The same in scripts that part no words."""

LABEL_SIGNS = frozenset("#\u2116:.-_=|@^\u00b0")
"""What may stand between a source's label and its number."""


MOST_NUMBER = 999
# `[2019]` is an editor's year, and nobody has a thousand sources.
_MOST_DIGITS = 3
# Bounded, since any open bracket of a text without closing ones would be followed to the end
# (decision 13).
_LONGEST_CONTENT = 120
_MOST_NUMBERS = 24
_LONGEST_WORD = 40
_SIGNS = " \t:.#-_"
_LONGEST_LABEL = 4
"""Tokens of a label, its signs included."""

_OPEN = lazy_re(
    r"\[|[【\uff3b〔⟦〖(\uff08]|<(?=[a-z])|\\(?=[a-z])|\^|\$(?=\^)|[¹²³⁴-⁹⁽①-⑳]", re.IGNORECASE
)
_CLOSERS = {
    "[": "]", "【": "】", "\uff3b": "\uff3d", "〔": "〕", "⟦": "⟧", "〖": "〗", "(": ")", "\uff08": "\uff09",
}  # fmt: skip
_ROUND = frozenset("(\uff08")
# An address behind a bracket, which makes it a link: `[1](https://…)`, `[1](#ref)`, `[1](<a b>)`.
_TARGET = lazy_re(
    r"\((?:<[^<>\n]{0,1500}>|(?=\)|[a-z][a-z0-9+.\-]{0,30}:|/|#|\?|&|\\|www\.|[\w\-]{1,60}\.[a-z]|\s)"
    r"[^()\s]{0,1500})(?:[ \t]+\"[^\"\n]{0,200}\")?\)",
    re.IGNORECASE,
)
_TOKEN = lazy_re(r"[^\W\d_]+|\d+|\S")
_TAG = lazy_re(
    r"<(?P<name>sup|cite|citation|ref|reference|source|footnote)>(?P<list>[^<>\n]{1,80})</(?P=name)>",
    re.IGNORECASE,
)
# `\cite{1}`, `\citep{1, 2}`, `\autocite{3}`, `\textsuperscript{1}`.
_COMMAND = lazy_re(
    r"\\(?:cite[a-z]{0,8}|(?:auto|paren|text|foot)cite|textsuperscript)\{(?P<list>[^{}\n]{1,80})\}"
)
# Pandoc's superscript: `^1^`, `^[1]^`, `^1, 2^`.
_CARETS = lazy_re(r"\^(?:\[(?P<inner>\d{1,3})\]|(?P<list>\d{1,3}(?:,[ ]?\d{1,3}){0,8}))\^")
_RAISED_MATH = lazy_re(r"\$\^(?:\{\[?(?P<list>\d{1,3}(?:,[ ]?\d{1,3}){0,8})\]?\}|(?P<one>\d))\$")
_BY_SIGN = {"<": _TAG, "\\": _COMMAND, "^": _CARETS, "$": _RAISED_MATH}
_RAISED = lazy_re(r"⁽?[¹²³⁴-⁹⁰]{1,3}(?:[,\u02d2 ][¹²³⁴-⁹][¹²³⁴-⁹⁰]{0,2}){0,8}⁾?|[①-⑳]{1,8}")


class FormKind(Enum):
    """What a form is made of."""

    BRACKET = auto()
    ROUND = auto()
    """A label in parentheses."""
    RAISED = auto()
    COMMAND = auto()
    """A tag or a command that is for nothing but citations."""


@dataclass(frozen=True, slots=True)
class MarkerForm:
    """What would be a marker at `start` to `end`, with the ranges of numbers that it names."""

    start: int
    end: int
    kind: FormKind
    ranges: Ranges
    has_label: bool = False
    is_double: bool = False
    """Whether it is `[[1]]`: a list in a list, or a link of a wiki, as well as a citation."""

    @property
    def is_series(self) -> bool:
        """Whether it is a list or a range, which may as well be one of numbers."""
        return (
            self.is_double or len(self.ranges) > 1 or any(low != high for low, high in self.ranges)
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """All numbers that it names."""
        # Both ends of a range that goes backwards: it is none.
        spans = (range(low, high + 1) or (low, high) for low, high in self.ranges)
        return tuple(n for span in spans for n in span)


def forms(text: str) -> Iterator[MarkerForm]:
    """Yield all that has the form of a marker, from left to right; none lies in another."""
    done = 0
    for found in _OPEN.finditer(text):
        at = found.start()
        if at < done:
            continue
        form = _form(text, at)
        if form is not None and form.start >= done:
            yield form
            done = form.end


def _form(text: str, at: int) -> MarkerForm | None:
    char = text[at]
    if char in _CLOSERS:
        return _bracket(text, at)
    if char in _BY_SIGN:
        return _matched(_BY_SIGN[char].match(text, at))
    return _raised(text, at)


def _matched(found: re.Match[str] | None) -> MarkerForm | None:
    if found is None:
        return None
    groups = found.groupdict()
    content = groups.get("list") or groups.get("inner") or groups.get("one") or ""
    read = read_numbers(content.strip().removeprefix("[").removesuffix("]"))
    if read is None:
        return None
    is_raised = found.group()[0] in "$^" or (groups.get("name") or "").lower() == "sup"
    is_raised = is_raised and not content.startswith("[")
    kind = FormKind.RAISED if is_raised else FormKind.COMMAND
    return MarkerForm(*found.span(), kind, read[0], read[1])


def _raised(text: str, at: int) -> MarkerForm | None:
    found = _RAISED.match(text, at)
    if found is None:
        return None
    written = found.group().strip("⁽⁾").replace("\u02d2", ",").replace(" ", ",")
    if written[0] >= "①":
        written = ",".join(written)
    read = read_numbers(written)
    return MarkerForm(*found.span(), FormKind.RAISED, read[0]) if read else None


def _bracket(text: str, at: int) -> MarkerForm | None:
    """Read what stands in brackets, the second pair of `[[1]]` and a link's address included."""
    opening = text[at]
    start, first = at, at + 1
    is_double = text.startswith("[[", at)
    if is_double:
        first += 1
    # `\[1\]`: a backslash of its own belongs to the bracket, one of a pair does not.
    if opening == "[" and is_escaped(text, start):
        start -= 1
    closing = _CLOSERS[opening]
    end = text.find(closing, first, first + _LONGEST_CONTENT)
    # `(1)` is an enumeration, and how a page's own markers are written in a prompt: only a label
    # makes one of it.
    if opening in _ROUND and end >= 0:
        return _labelled_round(text, start, end, first)
    if end < 0:
        return None
    content = text[first:end].removesuffix("\\")
    if "\n" in content or (opening == "[" and "[" in content):
        return _outer(text, start, first)
    read = read_numbers(content)
    if read is None:
        return None
    end += 1
    if is_double:
        if not text.startswith("]", end):
            return None
        end += 1
    has_label = read[1] or opening == "【"
    if opening == "[" and (target := _TARGET.match(text, end)):
        end, has_label = target.end(), True
    return MarkerForm(start, end, FormKind.BRACKET, read[0], has_label, is_double)


def _outer(text: str, start: int, first: int) -> MarkerForm | None:
    """Read a label with its numbers in brackets of their own: `[Source: [1], [2]]`."""
    depth, end = 1, first
    # Not to the end of the text: `[` in a row would cost the square of their number.
    limit = min(len(text), first + _LONGEST_CONTENT)
    while end < limit and depth:
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        end += 1
    content = text[first : end - 1]
    if depth or "\n" in content or not content[:1].isalpha():
        return None
    read = read_numbers(content.replace("[", "").replace("]", ""))
    return MarkerForm(start, end, FormKind.BRACKET, *read) if read and read[1] else None


def _labelled_round(text: str, start: int, end: int, first: int) -> MarkerForm | None:
    content = text[first:end]
    if "\n" in content:
        return None
    bare = content.replace("[", "").replace("]", "")
    read = read_numbers(bare)
    if read is None or not read[1]:
        return None
    # A letter or "see" alone is no label in parentheses: `(s 1)`, `(see 3)`.
    is_named = any(_is_label(token.casefold()) for token in _TOKEN.findall(bare))
    if not is_named and bare == content:
        return None
    return MarkerForm(start, end + 1, FormKind.ROUND, *read)


def read_numbers(content: str) -> tuple[Ranges, bool] | None:
    """Return the ranges of numbers that the content of a bracket names, and whether it has a label.

    None where it is anything else.
    """
    # Full-width digits and brackets, circled and raised digits become plain ones.
    content = unicodedata.normalize("NFKC", content).strip(" \t~\u00a0")
    digit = next((i for i, char in enumerate(content[:_LONGEST_WORD]) if char.isdecimal()), 0)
    is_named = _is_label(content[:digit].strip(_SIGNS).casefold())
    tokens = _TOKEN.findall(content[digit:] if is_named else content)
    at, has_label = _skip_label(content, tokens, 0)
    has_label = has_label or is_named
    ranges: list[tuple[int, int]] = []
    joiner = ","
    while at < len(tokens) and len(ranges) < _MOST_NUMBERS:
        # One word that is neither label nor joiner, and all of it is text: `[see the 3 rules]`.
        if not tokens[at].isdecimal() or len(tokens[at]) > _MOST_DIGITS:
            return None
        n = int(tokens[at])
        if joiner == "-":
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
        at += 1
        if at < len(tokens) and tokens[at] == "^":
            at += 1
        if at == len(tokens):
            return tuple(ranges), has_label
        if _is_tail(content, tokens, at, ranges):
            return tuple(ranges), True
        joiner = _joiner(tokens[at], joiner)
        at += 1
        if joiner == "," and at < len(tokens) and tokens[at].casefold() in AND:
            at += 1
        if not joiner:
            return None
        at, again = _skip_label(content, tokens, at)
        has_label = has_label or again
    return None


def _is_label(words: str) -> bool:
    """Say whether words name a source, in scripts without spaces also with `see` before it."""
    return words in LABELS or any(
        words[:length] in SEE and words[length:] in LABELS for length in (1, 2, 3)
    )


def _skip_label(content: str, tokens: Sequence[str], at: int) -> tuple[int, bool]:
    """Return where the number begins behind a label, and whether that is a word."""
    first = at
    has_word = False
    while at < len(tokens) and at - first <= _LONGEST_LABEL:
        token = tokens[at].casefold()
        is_word = token in LABELS or token in SEE
        is_letter = (
            at == first
            and token in LABEL_LETTERS
            and at + 1 < len(tokens)
            and f"{tokens[at]}{tokens[at + 1]}" in content
        )
        if is_word or (has_word and token in {"no", "nr"}):
            has_word = True
        elif is_letter:
            return at + 1, False
        elif not (token in LABEL_SIGNS and (has_word or token in "#^@" or at > first)) and not (
            at == first and token in {"no", "nr"}
        ):
            break
        at += 1
    return at, has_word


def _joiner(token: str, before: str) -> str:
    """Return `,` for what joins two numbers, `-` for what spans a range, and nothing for all else."""
    word = token.casefold()
    if word in {",", ";", "、", "&"} or word in AND:
        return ","
    if before != "-" and (word in {"-", "–", "—", "~", "〜"} or word in TO):
        return "-"
    return ""


def _is_tail(
    content: str, tokens: Sequence[str], at: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Say whether a page, a title or a search engine's mark is all that follows a number."""
    rest = tokens[at + 1 :]
    if tokens[at] == "†" or (tokens[at] == ":" and len(rest) > 1 and rest[1] == "†"):
        return True
    if len(ranges) != 1 or ranges[0][0] != ranges[0][1] or not rest:
        return False
    if tokens[at] == ",":
        is_letter = rest[1:] and rest[1].isdecimal() and "".join(rest[:2]) in content
        return rest[0].casefold() in PAGES and len(rest) > 1 and not is_letter
    if tokens[at] not in {":", "-", "–", "—", "|"} or not rest[0][0].isalpha():
        return False
    # `[1: Title]` has a blank behind its colon; `[1:x]` is a slice or a record.
    is_apart = f"{tokens[at]} " in content
    is_record = any(token in ':="' for token in rest)
    return is_apart and not is_record and len(rest[0]) > 1


def is_escaped(text: str, at: int) -> bool:
    """Say whether a backslash before a place escapes what stands there: one of a pair does not."""
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1
