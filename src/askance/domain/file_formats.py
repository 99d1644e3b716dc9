"""Which files are read, and as what, by the end of their names; the names of programming languages; and titles that say
nothing of what a file holds.
"""

# ruff: noqa: RUF001 - letters of many alphabets are what titles are about

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from askance.domain.library import DocumentKind

DOCUMENT_LINES = frozenset({".jsonl", ".ndjson"})
"""Files of documents, a line of JSON each."""
MAIL, MAILBOX = "message/rfc822", "application/mbox"
OLD_WORD, OLD_POWERPOINT = "application/msword", "application/vnd.ms-powerpoint"
OLD_EXCEL, OUTLOOK = "application/vnd.ms-excel", "application/vnd.ms-outlook"
CALENDAR, CONTACTS = "text/calendar", "text/vcard"
SAVED_PAGE = "multipart/related"
"""A page that a browser saved with its pictures, in the form of a mail."""
_SOURCE = "text/x-source"
_PLAIN = "text/plain"
_OPEN_XML = "application/vnd.openxmlformats-officedocument"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument"
_TEXTS = {
    DocumentKind.MARKDOWN: {"text/markdown": ".md .markdown .mdown .mkd .qmd .rmd .mdx"},
    DocumentKind.TEXT: {
        _PLAIN: ".txt .text .rst .adoc .asciidoc .org .tex .csv .tsv .log .srt .vtt"
    },
    DocumentKind.PAGE: {"text/html": ".html .htm .xhtml", SAVED_PAGE: ".mht .mhtml"},
    DocumentKind.PDF: {"application/pdf": ".pdf"},
    DocumentKind.DOCUMENT: {
        f"{_OPEN_XML}.wordprocessingml.document": ".docx .docm .dotx .dotm",
        f"{_OPEN_XML}.presentationml.presentation": ".pptx .pptm .ppsx .ppsm .potx .potm",
        f"{_OPEN_XML}.spreadsheetml.sheet": ".xlsx .xlsm .xltx .xltm",
        f"{_OPEN_DOCUMENT}.text": ".odt .ott",
        f"{_OPEN_DOCUMENT}.spreadsheet": ".ods",
        f"{_OPEN_DOCUMENT}.presentation": ".odp",
        OLD_WORD: ".doc",
        OLD_POWERPOINT: ".ppt .pps",
        OLD_EXCEL: ".xls .xlt .xlsb",
        CALENDAR: ".ics .ical .ifb .icalendar",
        CONTACTS: ".vcf .vcard",
        "application/rtf": ".rtf",
        "application/x-ipynb+json": ".ipynb",
    },
    DocumentKind.BOOK: {"application/x-fictionbook+xml": ".fb2", "application/epub+zip": ".epub"},
    DocumentKind.MAIL: {MAIL: ".eml .emlx", OUTLOOK: ".msg .oft", MAILBOX: ".mbox .mbx"},
}
# By the names that `syntax_named` returns.
_SYNTAXES = {
    "python": ".py .pyi .pyw", "javascript": ".js .mjs .cjs .jsx", "typescript": ".ts .mts .tsx",
    "java": ".java", "kotlin": ".kt .kts", "scala": ".scala", "groovy": ".groovy .gradle",
    "c": ".c .h", "c++": ".cc .cpp .cxx .hh .hpp .hxx", "c#": ".cs", "f#": ".fs", "go": ".go",
    "rust": ".rs", "swift": ".swift", "objective-c": ".m .mm", "ruby": ".rb", "php": ".php",
    "perl": ".pl .pm", "lua": ".lua", "r": ".r", "julia": ".jl", "haskell": ".hs", "ocaml": ".ml .mli",
    "elixir": ".ex .exs", "erlang": ".erl", "clojure": ".clj .cljs", "lisp": ".el .lisp .scm",
    "dart": ".dart", "zig": ".zig", "nim": ".nim", "shell": ".sh .bash .zsh .fish",
    "powershell": ".ps1", "batch": ".bat .cmd", "sql": ".sql", "css": ".css .scss .less",
    "toml": ".toml", "yaml": ".yaml .yml", "ini": ".ini .cfg .conf", "xml": ".xml .xsd",
    "json": ".json", "vue": ".vue", "svelte": ".svelte", "nix": ".nix", "terraform": ".tf",
    "protobuf": ".proto", "graphql": ".graphql", "verilog": ".v .sv", "vhdl": ".vhd .vhdl",
    "assembly": ".asm .s", "fortran": ".f .f90 .f95", "pascal": ".pas", "cmake": ".cmake",
}  # fmt: skip
# Their parser may take long: 80 pages, so many chapters or 400,000 characters are read at a time.
_IN_PARTS = frozenset(DocumentKind) - {
    DocumentKind.MARKDOWN, DocumentKind.TEXT, DocumentKind.CODE, DocumentKind.SNIPPET
}  # fmt: skip
# These files have no suffix, or one that says nothing: they are known by their whole names.
_NAMES = {"makefile": "make", "dockerfile": "docker", "cmakelists.txt": "cmake", "justfile": "just"}
# What people call a text that they give no suffix. Apple Mail saves a mailbox as a folder `In.mbox` with a file `mbox` in it.
_WITHOUT_SUFFIX = {
    "mbox": ".mbox",
    **dict.fromkeys(("readme", "todo", "notes", "changelog"), ".txt"),
}


@dataclass(frozen=True, slots=True)
class Format:
    """How a file is read: what it is, its programming language, and the type that its parser is given.

    Of some kinds the parser reads so many pages, chapters or characters at a time.
    """

    kind: DocumentKind
    content_type: str
    syntax: str = ""
    is_in_parts: bool = False

    @property
    def is_text(self) -> bool:
        """Whether a part of the file can be read by itself."""
        return self.kind in {DocumentKind.MARKDOWN, DocumentKind.TEXT, DocumentKind.CODE}


def _formats() -> dict[str, Format]:
    known = {
        suffix: Format(kind, content_type, is_in_parts=kind in _IN_PARTS)
        for kind, types in _TEXTS.items()
        for content_type, suffixes in types.items()
        for suffix in suffixes.split()
    }
    for syntax, suffixes in _SYNTAXES.items():
        known |= dict.fromkeys(suffixes.split(), Format(DocumentKind.CODE, _SOURCE, syntax))
    return known


_FORMATS = _formats()
_BY_TYPE = {form.content_type: form for form in _FORMATS.values() if not form.syntax}
MAIL_FORMAT = _BY_TYPE[MAIL]


def format_of(path: PurePath) -> Format | None:
    """Return how a file is read, None if files of its kind are not."""
    # Before the suffix: `CMakeLists.txt` would be a plain text by that.
    if syntax := _NAMES.get(path.name.lower()):
        return Format(DocumentKind.CODE, _SOURCE, syntax)
    return _FORMATS.get(path.suffix.lower() or _WITHOUT_SUFFIX.get(path.name.lower(), ""))


def format_of_type(content_type: str) -> Format | None:
    """Return how a file with a content type is read, None if such files are not."""
    return _BY_TYPE.get(content_type)


def is_read(path: PurePath) -> bool:
    """Whether files of this kind are read."""
    return format_of(path) is not None or path.suffix.lower() in DOCUMENT_LINES


# Programming languages: one name for each, and what else people and pages call it.

# Behind a fence may stand anything, also a whole line of code: what is longer is no name.
LONGEST_NAME = 30
_ALSO = {
    "assembly": "asm nasm gas x86asm armasm",
    "batch": "bat cmd dosbatch winbatch",
    "c": "ansic",
    "c#": "cs csharp c-sharp",
    "c++": "cpp cplusplus cxx cc hpp",
    "clojure": "clj cljs clojurescript edn",
    "cmake": "",
    "css": "scss sass less",
    "dart": "",
    "diff": "patch udiff",
    "docker": "dockerfile containerfile",
    "elixir": "ex exs iex",
    "erlang": "erl",
    "f#": "fs fsharp",
    "fortran": "f77 f90 f95 fortranfixed",
    "go": "golang",
    "graphql": "gql",
    "groovy": "gradle jenkins",
    "haskell": "hs literatehaskell",
    "html": "htm xhtml html5",
    "http": "",
    "ini": "cfg dosini properties editorconfig",
    "java": "",
    "javascript": "js jsx mjs cjs ecmascript node nodejs",
    "json": "json5 jsonc jsonld geojson",
    "julia": "jl",
    "just": "justfile",
    "kotlin": "kt kts",
    "latex": "tex",
    "lisp": "elisp emacs-lisp common-lisp commonlisp scheme racket",
    "lua": "luau",
    "make": "makefile mk gnumakefile",
    "markdown": "md",
    "matlab": "octave",
    "mermaid": "",
    "nginx": "nginxconf",
    "nim": "nimrod",
    "nix": "",
    "objective-c": "objc objectivec obj-c objective-c++ objectivecpp",
    "ocaml": "ml reasonml",
    "pascal": "delphi objectpascal",
    "perl": "pl",
    "php": "php3 php4 php5 php7 php8 phtml",
    "powershell": "ps1 pwsh posh",
    "prolog": "",
    "protobuf": "proto proto3",
    "python": "py py3 py2 python3 python2 pycon python-console ipython ipython3 pytb python-traceback doctest",
    "r": "rlang rscript",
    "ruby": "rb irb rbcon",
    "rust": "rs",
    "scala": "sbt",
    "shell": "sh bash zsh fish ksh console shell-session shellsession sh-session bash-session terminal "
    "shellscript shell-script",
    "solidity": "sol",
    "sql": "mysql postgresql postgres pgsql psql plpgsql sqlite sqlite3 tsql plsql",
    "svelte": "",
    "swift": "",
    "terraform": "tf hcl",
    "toml": "",
    "typescript": "ts tsx mts cts",
    "verilog": "systemverilog sv",
    "vhdl": "vhd",
    "vim": "viml vimscript",
    "visual-basic": "vb vbnet vb.net vba visualbasic",
    "vue": "",
    "wasm": "wat webassembly",
    "xml": "xsd xslt svg",
    "yaml": "yml",
    "zig": "",
}
_CALLED = {
    called: name for name, also in _ALSO.items() for called in (name, *also.split())
}  # "bash": "shell"
# What blocks are marked with that are in none.
_NONE = frozenset({
    "none", "text", "txt", "plain", "plaintext", "plain-text", "raw", "ascii", "nohighlight",
    "no-highlight", "default", "auto", "unknown", "undefined", "output", "other", "code",
})  # fmt: skip
_NAME = re.compile(r"[a-z][\w.+#-]*", re.ASCII)


def known_syntaxes() -> frozenset[str]:
    """Return the names of the languages that are known, each once."""
    return frozenset(_ALSO)


def is_known(called: str) -> bool:
    """Whether this is what a known language is called."""
    return called.strip().lower() in _CALLED


def syntax_named(called: str) -> str:
    """Return the one name of a language, whatever it is called; "" if that is a name of none.

    A language that is not known keeps the name that it was given, in small letters.
    """
    name = called.strip().lower()
    if name in _CALLED:
        return _CALLED[name]
    is_name = len(name) <= LONGEST_NAME and _NAME.fullmatch(name) is not None
    return name if is_name and name not in _NONE else ""


# Titles that programs put into files of themselves, and that name no content.

# What programs and people without a name for it write, and what a new document or a scan is called, in many languages.
_EMPTY = frozenset({
    "untitled", "untitled document", "untitled presentation", "untitled spreadsheet", "unnamed", "no title",
    "new document", "blank", "blank document", "unbenannt", "unbenanntes dokument", "ohne titel", "neues dokument",
    "sans titre", "sans nom", "document sans titre", "nouveau document", "sin título", "sin titulo", "sin nombre",
    "documento sin título", "nuevo documento", "senza titolo", "senza nome", "documento senza titolo",
    "nuovo documento", "sem título", "sem titulo", "sem nome", "documento sem título", "naamloos",
    "naamloos document", "zonder titel", "namnlös", "namnlöst dokument", "uden titel", "uten navn", "uten tittel",
    "nimetön", "otsikoton", "bez tytułu", "bez nazwy", "bez názvu", "fără titlu", "névtelen", "cím nélkül", "adsız",
    "başlıksız", "χωρίς τίτλο", "без имени", "без названия", "безымянный", "без назви", "без імені", "без заглавие",
    "無題", "無題のドキュメント", "名称未設定", "无标题", "無標題", "未命名", "제목 없음", "제목 없는 문서", "بدون عنوان", "ללא כותרת", "tanpa judul",
    "không có tiêu đề", "document", "dokument", "documento", "asiakirja", "dokumentum", "belge", "документ",
    "έγγραφο", "文档", "文件", "文書", "ドキュメント", "문서", "مستند", "מסמך", "presentation", "präsentation", "présentation",
    "presentación", "presentazione", "apresentação", "presentatie", "prezentacja", "prezentace", "esitys", "bemutató",
    "sunu", "презентация", "презентація", "παρουσίαση", "プレゼンテーション", "演示文稿", "簡報", "프레젠테이션", "scan", "scanned",
    "scanned document", "scanned image", "scan document", "numérisation", "document numérisé", "documento escaneado",
    "escaneo", "digitalizado", "documento digitalizado", "scansione", "documento scansionato", "digitalização",
    "skan", "скан", "сканирование", "スキャン", "扫描", "掃描", "스캔", "print job", "full page photo", "about blank", "null",
    "none", "undefined", "n a",
})  # fmt: skip
# Words that may be a title by themselves, and are none with a number behind them: "Book1".
_COUNTED = frozenset({
    "book", "workbook", "spreadsheet", "sheet", "mappe", "arbeitsmappe", "tabelle", "classeur", "feuille", "libro",
    "hoja", "cartel", "foglio", "pasta", "planilha", "map", "werkmap", "blad", "arbetsbok", "bok", "projektmappe",
    "työkirja", "zeszyt", "skoroszyt", "sešit", "munkafüzet", "kitap", "книга", "лист", "ブック", "工作簿", "통합 문서",
    "slide", "folie", "diapositive", "diapositiva", "dia", "slajd", "snímek", "слайд", "slayt", "スライド", "幻灯片", "投影片",
    "슬라이드", "doc", "image", "img", "dsc", "scn", "layout", "file", "datei", "fichier", "page", "seite",
})  # fmt: skip
_PROGRAM = re.compile(
    r"^(?:microsoft (?:office )?)?(?:word|excel|powerpoint|visio|publisher|libreoffice) - "
)
_ENDING = re.compile(
    r"\.(?:docx?|odt|rtf|txt|pdf|pptx?|odp|xlsx?|ods|dvi|ps|tex|indd|qxd|pub|pages|html?)$"
)
# PowerPoint names itself in its languages: "Présentation PowerPoint", "Prezentacja programu PowerPoint".
_POWERPOINT = re.compile(r"\bpowerpoint\b")
_MOST_WORDS_OF_POWERPOINT = 4
_LEAST_DIGITS = 8
_NO_LETTERS = re.compile(r"[\W\d_]+")


def names_content(title: str) -> bool:
    """Whether a title says anything of what a file holds: "untitled", "Document1" and "Scan_0001" do not."""
    plain = _PROGRAM.sub("", " ".join(title.casefold().split()))
    words = _NO_LETTERS.sub(" ", _ENDING.sub("", plain)).strip()
    if not words:  # a moment, as scanners name files; "1984" is a book
        return 0 < sum(map(str.isdigit, plain)) < _LEAST_DIGITS
    if _POWERPOINT.search(words):
        others = _POWERPOINT.sub(" ", words).split()
        is_its_own = not others or any(word in _EMPTY for word in others)
        return len(others) > _MOST_WORDS_OF_POWERPOINT or not is_its_own
    is_counted = words in _COUNTED and any(map(str.isdigit, plain))
    return words not in _EMPTY and not is_counted
