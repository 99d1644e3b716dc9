"""Titles that programs put into files of themselves, and that name no content."""

# ruff: noqa: RUF001 - letters of many alphabets are what it is about

from __future__ import annotations

import re

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
