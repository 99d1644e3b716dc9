"""What of a message is its question, and what stands beside it: a pasted mail, a document of a front end's template.

Only the question is searched ahead of a plan. Of a document of a template, of a mail, a chat or a log nothing
is searched that the question does not say; of other prose its names, numbers and identifiers are not. What was typed is
all of it the question, however long. The window knows what was typed; elsewhere somebody who writes of their own, asks,
and shows no sign of a paste has typed it. Of an error message its own words may be searched: its class, its codes, the tool, packages, and the
message's common words. Those are in the source of the tool, and in every report about it. Paths, hosts, users,
addresses, keys, and whatever else is quoted, are of the machine that it was copied from.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from itertools import pairwise
from pathlib import Path

from askance.domain.messages import Message
from askance.domain.patterns import lazy_re
from askance.text.caches import text_cache
from askance.text.languages.language import ENGLISH, WordList, has_listed, listed
from askance.text.languages.names import capitalised
from askance.text.languages.recognition import recognise
from askance.text.languages.scripts import fold, has_case
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import count_words, terms, words

LONGEST_QUESTION = 300
"""Characters: what is longer is a text with a question in it."""
LONGEST_SENTENCE = 400
"""One sentence that asks may be so long, for engines take so much."""
MOST_LINES = 3
"""So many lines may be typed; more were pasted."""
LONGEST_STORY = 2_000
"""Nobody types more for a search."""
LONGEST_READ = 4_000
"""So much of what stands beside the question is read by the model: it stands in every prompt."""
# So much may be pasted into what is typed, as the name of a product.
_LONGEST_PHRASE = 60
# Words that mark parts of messages in many languages, as alternatives of patterns.
_WORDS: dict[str, str] = json.loads(
    Path(__file__).with_name("message_words.json").read_text(encoding="utf-8")
)
# Elements in which front ends hand over the question: Open WebUI, LobeChat.
_ASKING = frozenset(_WORDS["asking_elements"].split())
# Elements in which they hand over documents: Open WebUI, LibreChat, LobeChat, big-AGI, Anthropic's advice.
_HOLDING = frozenset(_WORDS["holding_elements"].split())
# Bounded inside: a text of `<` would else be read to its end from each of them (decision 13).
_ANY_TAG = lazy_re(r"<(/?)([A-Za-z][\w.-]{0,40})(?:\s[^<>]{0,300})?>")
_FENCE = lazy_re(r"^[ \t]{0,3}(?:```|~~~)", re.MULTILINE)
_LABEL_START = r"^[ \t]{0,4}(?:#{1,6} |\*{1,2})?"
_LABEL_END = r"(?:\*{1,2})?[ \t]{0,2}[:\uff1a](?:\*{1,2})?"
_ASKED_LABEL = lazy_re(rf"(?im){_LABEL_START}(?:{_WORDS['questions']}){_LABEL_END}")
_CONTEXT_LABEL = lazy_re(rf"(?im){_LABEL_START}(?:{_WORDS['contexts']}){_LABEL_END}")
# Behind a question may stand where its answer is to begin.
_ANSWER_LABEL = lazy_re(rf"(?im){_LABEL_START}(?:{_WORDS['answers']}){_LABEL_END}[ \t]{{0,4}}$")
_INSTRUCTION = lazy_re(r"[ \t]{0,4}(?:#{1,6} |[-*•] |\d{1,2}[.)] )")
_MAIL_HEADER = lazy_re(rf"(?im)^(?:{_WORDS['headers']})[ \t]{{0,2}}(?::[ \t]|\uff1a)")
# A line of a mail, a chat or a log: quoted, with who says it, with when it was.
_OF_OTHERS = lazy_re(
    r"[ \t]{0,4}(?:>|\||\[?\d{1,4}[-/.:]\d{1,2}(?:[-/.:]\d{1,4})?|[A-Z][\w.'’-]{0,30}(?: [A-Z][\w.'’-]{0,30})?[ \t]?:[ \t]|"
    # Names in scripts without capitals.
    "[\u0590-\u10ff\u3040-\u9fff\uac00-\ud7af]{1,20}(?: [\u0590-\u10ff\uac00-\ud7af]{1,20})?[ \t]?[:\uff1a])"
)
_SALUTATION = lazy_re(r"[ \t]{0,4}[^\W\d_][^\n.?!:;]{1,60}[,!\u060c\uff0c\uff01][ \t]{0,4}")
# As Chinese and Japanese letters greet: on a line of its own.
_ADDRESSED = lazy_re(
    r"[ \t]{0,4}[^\W\d_]{1,20}(?:先生|女士|小姐|老师|经理|様|さん|殿)[:,\uff1a\uff0c]?[ \t]{0,4}"
)
_ASKS = lazy_re("[?\uff1f\u061f\u037e\u055e]")
# The Greek mark, and what asks in Japanese, Korean and Chinese where a full stop stands behind it.
_ASKING_END = lazy_re(
    "[\u0370-\u03ff];[\"'»”)]?$|(?:です|ます|でした|ました|ません|でしょう)か。?$|까[.]?$|[吗呢嗎]。?$"
)
_TOKEN = lazy_re(r"\S+")
_TYPED_STOP = lazy_re(r"(?<=[.!])\s{1,9}(?=[^\W\d_])")
_LAST_SENTENCES = 3
_CLOSED = frozenset(".!,:;")
# An address, an account or a telephone, a key: on a line of its own it was pasted, however short the message is.
_IDENTIFYING = lazy_re(
    r"[\w.+-]@[\w-]{1,60}\.|\d(?:[ .-]?\d){8}|"
    r"(?<![\w-])(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z])(?=[\w-]{0,60}\d)[A-Za-z0-9_-]{20}"
)
_UNSURE = lazy_re(r"[@\d_/\\=]")
# What nobody types who tells a search of their own: a day in full, the number of a contract, an hour of a log, the number of
# a house, somebody's title, who greets whom, code.
_OF_PASTE = lazy_re(
    "|".join(
        [
            r"\b\d{1,2}\.? [^\W\d_]{3,12} (?:19|20)\d\d\b",
            r"\b[^\W\d_]{3,12} \d{1,2}, (?:19|20)\d\d\b",
            r"\b\d{4}-\d\d-\d\d\b",
            r"\b\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d\b",
            r"\b(?!(?:19|20)\d\d-)\d{2,9}-\d{4,9}\b",
            r"\b\d{1,2}:\d\d:\d\d",
            r"(?:stra(?:ße|sse)|str\.|weg|platz) \d",
            r"\b\d{1,4} [A-Z]\w{1,30} (?:Street|Road|Lane|Avenue)\b",
            r"\b(?:Nr|IBAN|PIN|SSN)[.:]? ?\d",
            r"^[ \t]{0,8}(?:File \"|at |\$ |#include|def |import )",
            r"[{}]|;$",
        ]
    ),
    re.MULTILINE,
)
_OF_LETTER = lazy_re(
    rf"(?m)\b(?:{_WORDS['titles']})\b\.? [A-Z]|^(?i:{_WORDS['closings']})\b.{{0,40}}$"
    rf"|^(?i:{_WORDS['salutations']}) [A-Z]"
)
# Another person, who is named somewhere. In other languages things have such pronouns, too.
_ANOTHER = lazy_re(r"\b(?:he|him|his|she|her|hers)\b")
# How people speak to a program that answers.
_TO_ASSISTANT = rf"(?: (?:{_WORDS['assistants']})\b)"
_ADDRESS = lazy_re(
    rf"(?i:(?:{_WORDS['greetings']})(?:,?{_TO_ASSISTANT}?[ \t]{{0,3}}[,.!:;\u2013\u3001\uff0c-]+|{_TO_ASSISTANT})"
    r"|(?:ok|okay) (?-i:(?=[a-z])))\s{0,4}(?=\S)"
)
_OWN_I = lazy_re(r"\bI\b")
_WIDE_LINE = 50
_PARAGRAPH = lazy_re(r"\n[ \t]{0,20}\n")

# A question that no question mark ends: "so which mountain is the highest in Slovenia".
# What stands before it: "and now", "my question is", "Frage:".
_LEAD = lazy_re(rf"(?i)(?:{_WORDS['leads']})[,:]? (?=\S)")
_REQUEST = lazy_re(rf"(?i)(?:{_WORDS['requests']})[,:]? (?=\S)")
# What asks for a yes or a no where a sentence begins with it (`inverted`), and behind a request (`whether`); some words
# ask in one language, and begin other sentences in another (`ambiguous`).
_ASKING_WORD = lazy_re(rf"(?i)(?:{_WORDS['asking']}|{_WORDS['inverted']})\b")
_REQUESTED = lazy_re(rf"(?i)(?:{_WORDS['asking']}|{_WORDS['ambiguous']}|{_WORDS['whether']})\b")
_UNASKED_ENDS = ".!:;\u2026"
_MOST_LEADS = 2
_LEAST_ASKING_WORDS = 4


# What of a pasted error message may be searched.

_LONGEST_TEXT, _LONGEST_TOKEN = 20_000, 120
_MOST_NAMES, _MOST_PACKAGES, _MOST_WORDS = 3, 3, 9
# Characters of common words: less is what is left of a sentence.
_SHORTEST_MESSAGE = 16
_EDGES = "\"'`,;:()[]{}<>!?.*“”‘’«»"
# Classes, and what vendors number their errors with: any other prefix may be of an invoice or a policy.
_NAMES = [
    r"[A-Z]\w{0,80}(?:Error|Exception|Warning|Fault|Failure|Interrupt|Panic)",
    r"SystemExit",
    r"(?:ORA|PLS|TNS|RMAN|SP2)-\d{4,7}",
    r"(?:DPY|DPI|SQL)-\d{4,7}",
    r"CVE-\d{4}-\d{4,7}",
    r"SQLSTATE(?:\[\w{5}\])?",
    r"0x[89cC][0-9A-Fa-f]{7}",
    r"(?:net::)?ERR_[A-Z0-9_]{3,60}",
]
# Codes of compilers and installers, where a line calls itself an error.
_SHORT = lazy_re(r"(?:TS|CS|BC|CA|MSB|NU|LNK|AADSTS|PGRST|HHH|NETSDK|KB)-?\d{3,7}")
_NAME = lazy_re("|".join(_NAMES))
_COMPILER = lazy_re(r"(?i)\b(?:error|warning)[ \[]{1,2}([EC]\d{4})\b")
_CALLED_ERROR = lazy_re(r"(?i)\b(?:error|warning|fatal)\b")
# "Code 4711" alone may open a door.
_NUMBERED = lazy_re(
    r"(?i)\b(?:http|error|errno|(?:error|exit|status|return|stop|response) code)[ :]{1,2}-?\d{1,4}\b"
)
_WORD = lazy_re(r"[a-z]+")
_PARTING = lazy_re(r"[\[\]():=]|\.(?=\w*$)")
_PACKAGE = r"[A-Za-z][\w.-]{1,50}"
_VERSIONED = lazy_re(rf"({_PACKAGE})(?:@|==)[\^~]?(\d[\w.]{{0,20}})")
_NAMED_PACKAGE = lazy_re(
    r"(?:module named|(?:find|load) module|(?:from|named|the) package|crate|gem|import of|command for"
    r"|import name [\"'`]\w{1,60}[\"'`] from)[: ]{1,2}"
    rf"[\"'`‘“]({_PACKAGE})(?:[ ]v?(\d[\w.]{{0,20}}))?[\"'`’”]"
)
_REASONS = tuple(f"{each.value} {each.phrase}" for each in HTTPStatus if each.value >= 400)
# Behind these folders stand names of packages, before them a user's.
_INSTALLED = lazy_re(r"(?:node_modules|site-packages|dist-packages|registry[/\\]src)[/\\]\S*")
_INSTALLED_NAME = lazy_re(r"(?:node_modules|site-packages|dist-packages)[/\\](\w[\w.-]{1,60})")
_OF_MACHINE = lazy_re(
    "|".join(
        [
            r"[\w.+-]{1,64}@[\w-]{1,60}\.[a-z]{2,}",
            r"(?:\d{1,3}\.){3}\d{1,3}",
            r"[A-Za-z]:[\\/]",
            r"\\\\\w",
            r"://",
            r"(?<![\w.])~?/(?!(?:etc|dev|usr|var|proc|sys|opt|boot|bin|lib|run)/)[\w.-]+/",
            r"(?<![\w-])(?:user|host|database|role|login)[ =:]{1,2}[\"'`]",
        ]
    )
)


@dataclass(frozen=True, slots=True)
class ErrorWords:
    """What of an error message is no secret: a `query`, and all of its words that may be searched."""

    query: str = ""
    public: str = ""


def error_words(text: str) -> ErrorWords:
    """Return what of an error message may be searched; nothing where a text has neither class nor code of an error."""
    text = text[:_LONGEST_TEXT]
    lines = text.splitlines()
    found = {line: names for line in lines if (names := _names(line))}
    if not found:
        return ErrorWords()
    names = [name for each in found.values() for name in each]
    firsts = [next(iter(_tokens(line)), "").lower() for line in lines]
    tools = [first for first in firsts if first in _known("tools")]
    packages = _packages(text)
    called = [line for line in lines if line in found or _CALLED_ERROR.search(line)]
    message = max((_common(line, found.get(line, ())) for line in called), key=len)[:_MOST_WORDS]
    is_message = len(" ".join(message)) >= _SHORTEST_MESSAGE
    query = [*tools[:1], *dict.fromkeys(names[:_MOST_NAMES]), *(message if is_message else [])]
    # What is common to messages of all programs is nobody's, wherever it stands.
    named = sorted({*_WORD.findall(text.lower())} & (_known("tools") | _known("words")))
    public = [*names, *packages, *_INSTALLED_NAME.findall(text), *named]
    return ErrorWords(
        " ".join(dict.fromkeys(" ".join([*query, *packages[:_MOST_PACKAGES]]).split())),
        " ".join(dict.fromkeys(public)),
    )


def names_machine(text: str) -> bool:
    """Say whether a text names a file, a host, a user or an address."""
    return _OF_MACHINE.search(text) is not None


def _tokens(line: str) -> list[str]:
    pieces = (piece.strip(_EDGES) for piece in line.split())
    return [piece for piece in pieces if piece and len(piece) <= _LONGEST_TOKEN]


def _names(line: str) -> list[str]:
    """Return the classes and the codes of errors in a line."""
    is_called = _CALLED_ERROR.search(line) is not None
    # `error[E0308]` has both in one; of a dotted name only the class is the library's for certain.
    parts = (part for token in _tokens(line) for part in (token, *_PARTING.split(token)))
    found = [
        p
        for p in parts
        if _NAME.fullmatch(p)
        or (is_called and _SHORT.fullmatch(p))
        or p in _known("codes")
        or _is_constant(p)
    ]
    found += _COMPILER.findall(line) + _NUMBERED.findall(line)
    return [*dict.fromkeys(found), *(reason for reason in _REASONS if reason in line)]


def _is_constant(token: str) -> bool:
    """Say whether a token is a constant made of the words of errors: CERTIFICATE_VERIFY_FAILED."""
    return "_" in token and token.isupper() and _known("words").issuperset(token.lower().split("_"))


def _packages(text: str) -> list[str]:
    """Return packages with their versions; what is called like a folder, a host or a user here may be their own."""
    tokens = _INSTALLED.sub(" ", text).split()
    elsewhere = " ".join(t for t in tokens if "/" in t or "\\" in t or names_machine(t)).lower()
    found = dict.fromkeys([*_NAMED_PACKAGE.findall(text), *_VERSIONED.findall(text)])
    return [f"{name} {n}".strip() for name, n in found if name.lower() not in elsewhere]


def _common(line: str, names: Collection[str]) -> list[str]:
    """Return the words of a message that messages of all programs have, but for those of its names."""
    own = " ".join(names).lower().split()
    return [t for t in _tokens(line) if t.lower() in _known("words") and t.lower() not in own]


@cache
def _known(kind: str) -> frozenset[str]:
    table = json.loads(Path(__file__).with_name("error_words.json").read_text(encoding="utf-8"))
    return frozenset(table[kind].split())


# A message, parted.


@dataclass(frozen=True, slots=True)
class MessageParts:
    """A message. `question` is searched; `rest` is read by the model alone, empty where all of it is the question.

    `private` is what of the rest no query may say: all of it, or the names and numbers of a preamble. `error` is what
    queries may say of an error message all the same.
    """

    question: str
    rest: str = ""
    private: str = ""
    error: ErrorWords = field(default=ErrorWords(), compare=False)

    @property
    def is_long(self) -> bool:
        """Whether the question is longer than a query may be: somebody tells what they ask about."""
        return _is_long(self.question) and not _is_one_question(self.question)


@text_cache(64)
def read_message(message: str, pasted: tuple[str, ...] | None = None) -> MessageParts:
    """Return the question of a message, and what stands beside it.

    What is short and without the marks of a template is a question, as it is typed. `pasted` are those stretches of
    it that came otherwise than by keys; None where nobody knows.
    """
    # Search, plan and privacy ask for one message: it is read once, and forgotten when the run
    # ends.
    text = message.strip()
    error = error_words(text)
    asking = _asked_in_template(text) if pasted is None else None
    is_short = (not _is_long(text) or _is_one_question(text)) and not _has_pasted_identifier(text)
    if error.query:
        is_short = is_short and not names_machine(text)
    held = [stretch for stretch in pasted or () if _is_held(stretch, is_short=is_short)]
    # What is short mostly is a question: whether it tells a story is looked at behind that.
    is_plain = is_short and not _MAIL_HEADER.search(text)
    if asking is None and (is_plain or (_is_story(text) if pasted is None else not held)):
        return MessageParts(text, error=error)
    if held and (typed := _typed_part(text, held)):
        return _parted(typed, "\n".join(held), error, is_open=True)
    question = text if asking is None else asking
    if asking is None or _is_long(asking):
        question = _question_of(question, error)
    rest = text if question == error.query else _without(text, question)
    if not rest:
        return MessageParts(text, error=error)
    return _parted(question, rest, error, is_open=asking is None)


def _parted(question: str, rest: str, error: ErrorWords, *, is_open: bool) -> MessageParts:
    # Only capitals tell what a name is: in scripts without them all of the rest is withheld. So it is of an error
    # message, where hosts and users have none, but for what it says in public.
    is_open = is_open and not error.query and _is_prose(rest) and _has_case(rest)
    # On one line: the first of several would be taken for the question of a turn (`engine.turn_privacy`).
    private = ", ".join(private_parts(rest)) if is_open else " ".join(rest.split())
    return MessageParts(question, rest[:LONGEST_READ].strip(), private, error)


def _is_held(stretch: str, *, is_short: bool) -> bool:
    """Say whether a stretch that was pasted is more than a name or a word that is asked about."""
    is_phrase = len(stretch.strip()) <= _LONGEST_PHRASE and "\n" not in stretch.strip()
    return not (is_phrase or is_short) or _is_marked(stretch)


def _is_marked(text: str) -> bool:
    """Say whether something in a text marks it as a paste: what nobody types who tells of their own."""
    found = any(pattern.search(text) for pattern in (_OF_PASTE, _OF_LETTER, _IDENTIFYING))
    return found or names_machine(text)


def _typed_part(text: str, held: Sequence[str]) -> str:
    """Return a text without some stretches of it; empty if one is not in it, or if nothing is left that says anything."""
    for stretch in held:
        # Nothing is known of a text in which a paste is not found again.
        if stretch.strip() not in text:
            return ""
        text = text.replace(stretch.strip(), "\n", 1)
    typed = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    return typed if words(typed) else ""


def without_address(text: str) -> str:
    """Return a text without the words that greet the program: "Hi ChatGPT,"."""
    return _ADDRESS.sub("", text, count=1) if _ADDRESS.match(text) else text


def _is_story(text: str) -> bool:
    """Say whether somebody has typed this: they tell of their own, and ask, with no sign of a paste."""
    text = without_address(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    is_prose = _is_prose(text) and not any(map(_is_of_others, lines))
    if len(text) > LONGEST_STORY or not is_prose or _is_marked(text):
        return False
    # Who types ends no line in the midst of a sentence, and says nothing twice.
    pairs = pairwise(lines)
    wrapped = any(len(a) > _WIDE_LINE and a[-1] not in ".!?:" and b[0].islower() for a, b in pairs)
    spoken = [line[start:end] for line in lines for start, end in sentence_spans(line)]
    asked = asked_in_story(text)
    if wrapped or len({*spoken}) < len(spoken) or not asked:
        return False
    code, others = recognise(text) or ENGLISH, text.replace(asked, " ")
    names = [name for name in capitalised(text, code) if name != spoken[0].split()[0]]
    if any(map(_is_person, names)) or (code == ENGLISH and names and _ANOTHER.search(text)):
        return False
    # Whoever asks about a paste says "I" as well: "What should I answer?"
    return bool(_OWN_I.search(others)) or has_listed(WordList.OWN, code, others, words(others))


def _is_person(name: str) -> bool:
    """Say whether a name begins with a given name that very many people have, and goes on."""
    first, *behind = name.split()
    return bool(behind) and fold(first) in listed(WordList.GIVEN_NAMES, "")


def withheld_part_message(question: str) -> Message:
    """Say what of a message was taken for its question."""
    return Message(
        "Taken as the question: “{question}”. Nothing else of the message is searched.",
        question=question,
    )


def private_parts(text: str) -> list[str]:
    """Return the names, the numbers and the identifiers of a text."""
    names = capitalised(text, recognise(text) or ENGLISH)
    return [*names, *filter(_UNSURE.search, _TOKEN.findall(text))]


def _is_long(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(text) > LONGEST_QUESTION or len(lines) > MOST_LINES


def _is_one_question(text: str) -> bool:
    is_short = len(text) <= LONGEST_SENTENCE and "\n" not in text
    return is_short and len(sentence_spans(text)) == 1 and bool(_asking_sentences(text, len(text)))


def _has_pasted_identifier(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and any(
        _IDENTIFYING.search(line) and not _asking_sentences(line) for line in lines
    )


def is_letter(text: str) -> bool:
    """Say whether a text greets somebody on a line of its own, or has the lines that a mail begins with."""
    lines = text.splitlines()
    greets = any(map(_SALUTATION.fullmatch, lines)) or any(map(_ADDRESSED.fullmatch, lines))
    return greets or _MAIL_HEADER.search(text) is not None


def _is_prose(text: str) -> bool:
    """Say whether nothing marks a text as a letter, a chat or a log."""
    lines = [line for line in text.splitlines() if line.strip()]
    of_others = sum(map(_is_of_others, lines))
    return not is_letter(text) and of_others < MOST_LINES


def _is_of_others(line: str) -> bool:
    return _OF_OTHERS.match(line) is not None and _ASKED_LABEL.match(line) is None


def _has_case(text: str) -> bool:
    """Say whether names can be recognised in a text: by their capitals."""
    letters = [character for character in text if character.isalpha()]
    return 2 * sum(map(has_case, letters)) > len(letters)


def _asked_in_template(text: str) -> str | None:
    """Return what a front end's template says that was asked; None where there is no template."""
    outside = _outside_of_elements(text)
    # First without the documents: one of them may have such an element itself, and ask for
    # something.
    for part in (outside, text):
        if part is not None and (asked := _in_element(part)):
            return asked
    is_framed = outside is not None
    outside = text if outside is None else outside
    fenced = _outside_of_fences(outside)
    is_framed |= fenced is not None
    outside = outside if fenced is None else fenced
    if asked := _labelled(outside, is_framed=is_framed):
        return asked
    return _last_own_words(outside) if is_framed and terms(outside) else None


def _in_element(text: str) -> str:
    """Return what stands in the last element in which a question is handed over; empty if there is none."""
    tags = [match for match in _ANY_TAG.finditer(text) if match[2].lower() in _ASKING]
    # The last one: front ends put the question behind what they have found for it.
    for end in reversed(tags):
        if not end[1]:
            continue
        begin = next(
            (t for t in tags if not t[1] and t[2] == end[2] and t.end() <= end.start()), None
        )
        if begin is not None and (inner := text[begin.end() : end.start()].strip()):
            # Who asks may put elements into an element.
            return " ".join(_ANY_TAG.sub(" ", inner).split()) if "<" in inner else inner
    return ""


def _outside_of_elements(text: str) -> str | None:
    """Return a text without the documents in it: what stands behind them first. None where there is none.

    A document reaches from the first tag to the last: it may have tags itself.
    """
    tags = [match for match in _ANY_TAG.finditer(text) if match[2].lower() in _HOLDING]
    ends = [tag for tag in tags if tag[1]]
    if not ends:
        return None
    last = ends[-1]
    closed = {tag[2].lower() for tag in ends}
    begins = [tag for tag in tags if not tag[1] and tag[2].lower() in closed]
    # An instruction may speak of a tag; the document's own stands where a line begins.
    at_line = [tag for tag in begins if not text[: tag.start()].rpartition("\n")[2].strip()]
    begin = next(iter(at_line or begins), None)
    if begin is None or begin.start() > last.start():
        return None
    # Instructions to the model mostly stand before the documents, and the question behind them.
    behind, before = text[last.end() :].strip(), text[: begin.start()].strip()
    return behind if terms(behind) else before


def _outside_of_fences(text: str) -> str | None:
    marks = [match.start() for match in _FENCE.finditer(text)]
    if len(marks) < 2:
        return None
    end = text.find("\n", marks[-1])
    behind = text[end:].strip() if end >= 0 else ""
    before = text[: marks[0]].strip()
    outside = behind if terms(behind) else before
    return outside if terms(outside) else None


def _labelled(text: str, *, is_framed: bool) -> str:
    """Return what stands behind the last label of a question, beside a context or in a template."""
    labels = list(_ASKED_LABEL.finditer(text))
    if not labels or not (
        is_framed or text[: labels[-1].start()].strip() or _CONTEXT_LABEL.search(text)
    ):
        return ""
    asked = text[labels[-1].end() :]
    # Templates may put the documents, or where the answer is to begin, behind the question.
    for other in (_ANSWER_LABEL, _CONTEXT_LABEL):
        if (found := other.search(asked)) is not None:
            asked = asked[: found.start()]
    return asked.strip()


def _last_own_words(text: str) -> str:
    """Return the last paragraph of a template that is no instruction to the model."""
    paragraphs = [part.strip() for part in _PARAGRAPH.split(text) if terms(part)]
    own = [part for part in paragraphs if not _INSTRUCTION.match(part)]
    return (own or paragraphs)[-1]


def _question_of(text: str, error: ErrorWords) -> str:
    """Return the question in a long text: what its last line asks, or its first, in prose also any other.

    Where nothing asks it is what an error says, or a sentence without names and numbers. Empty where none says
    anything, and of a letter in whose script no name is recognised.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    own = [line for line in lines if not _is_of_others(line) and not _MAIL_HEADER.match(line)]
    if error.query:
        own = [line for line in own if not (error_words(line).query or names_machine(line))]
    is_prose = _is_prose(text) and not error.query
    if asked := _asked_in(text, lines, own, is_prose=is_prose):
        return asked
    if error.query:
        return error.query
    if not is_prose and not _has_case(text):
        return ""
    sentences = [line[start:end] for line in (own or lines) for start, end in sentence_spans(line)]
    # A request stands at the end of what was pasted, or at its beginning.
    sentences = [sentence for sentence in (*sentences[-1:], *sentences) if _has_content(sentence)]
    whole = next((s for s in sentences if len(s) <= LONGEST_QUESTION and not private_parts(s)), "")
    return whole or next(filter(_has_content, map(_without_private_parts, sentences)), "")


def asked_in_story(text: str) -> str:
    """Return the sentences that ask in a text that somebody typed; empty if none does."""
    return _asked_in(
        text, [line.strip() for line in text.splitlines() if line.strip()], is_prose=True
    )


def _asked_in(text: str, lines: list[str], own: list[str] | None = None, *, is_prose: bool) -> str:
    """Return what asks in one of a text's `own` lines, which nobody else has written."""
    own = lines if own is None else own
    # Between lines of a log or a chat may stand what goes on from them, and asks somebody else.
    ends = own[-1:] if own[-1:] == lines[-1:] else []
    begins = own[:1] if own[:1] == lines[:1] else []
    for line in (*ends, *begins, *(reversed(own) if is_prose else ())):
        if asked := _asking_sentences(line):
            return asked
    return _unmarked_question(text, own, [*ends, *begins], is_prose=is_prose)


def _asking_sentences(line: str, most: int = LONGEST_QUESTION) -> str:
    """Return the last questions of a line that stand in a row, `most` characters of them."""
    spans = [line[start:end] for start, end in sentence_spans(line)]
    found: list[str] = []
    for sentence in reversed(spans):
        asks = _ASKS.search(sentence[-3:]) or _ASKING_END.search(sentence)
        if not asks and found:
            break
        if asks and len(" ".join([sentence, *found])) <= most:
            found.insert(0, sentence)
    return " ".join(found)


def _unmarked_question(text: str, own: list[str], ends: list[str], *, is_prose: bool) -> str:
    """Return what a line of its own, or the last or the first line of prose, asks without a question mark.

    Beside a letter or a log it is such a line at an end of the text, without a point, as it is typed.
    """
    paragraphs = {part.strip() for part in _PARAGRAPH.split(text)}
    alone = [line for line in (*ends, *reversed(own)) if line in paragraphs]
    if is_prose:
        found = [sentence for line in ends for sentence in _at_ends(line)]
        found += [sentence for line in alone for sentence in _at_ends(line)[-1:]]
    else:
        found = [line for line in alone if line in ends and line[-1] not in _CLOSED]
    return next((s for s in found if len(s) <= LONGEST_QUESTION and _asks_unmarked(s)), "")


def _asks_unmarked(sentence: str) -> bool:
    """Say whether a sentence without a question mark begins as a question does, or asks to be told something.

    A statement may begin so as well: "When we came to Oslo, Anna was ill", "Who pays late owes 5 %." What has a comma
    or a full stop is none, but where it asks to be told.
    """
    rest = " ".join(sentence.replace("’", "'").split())
    if len(rest.split()) < _LEAST_ASKING_WORDS:
        return False
    for _ in range(_MOST_LEADS):
        if lead := _LEAD.match(rest):
            rest = rest[lead.end() :]
    if request := _REQUEST.match(rest):
        return _REQUESTED.match(rest, request.end()) is not None
    return (
        _ASKING_WORD.match(rest) is not None and "," not in rest and rest[-1] not in _UNASKED_ENDS
    )


def _at_ends(line: str) -> list[str]:
    """Return the last sentences of a line, the very last one first, and the first one: thanks may stand behind a question.

    Typed ones may begin with a small letter.
    """
    pieces = [line[start:end].strip() for start, end in sentence_spans(line)]
    sentences = [each for piece in pieces for each in _TYPED_STOP.split(piece)]
    return [*reversed(sentences[-_LAST_SENTENCES:]), sentences[0]] if sentences else []


def _has_content(sentence: str) -> bool:
    return count_words(sentence) > 1 and bool(terms(sentence))


def _without_private_parts(sentence: str) -> str:
    for part in sorted(private_parts(sentence), key=len, reverse=True):
        sentence = sentence.replace(part, " ")
    return " ".join(sentence.split())[:LONGEST_QUESTION]


def _without(text: str, question: str) -> str:
    """Return a text without its question, where that stands in it."""
    # Its last place: what asks at the end may be quoted above.
    before, found, behind = text.rpartition(question) if question else (text, "", "")
    return f"{before.strip()}\n{behind.strip()}".strip() if found else text
