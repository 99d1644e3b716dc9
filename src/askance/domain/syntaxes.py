"""Programming languages: one name for each, and what else people and pages call it."""

from __future__ import annotations

import re

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
