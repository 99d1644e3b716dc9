"""The words around citations: what models call a source, and what brackets of numbers follow that cite nothing."""

from __future__ import annotations


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


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

LABEL_LETTERS = _words("s d r w")
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
    "press type enter hit click dial in on at of to from into onto over within between by with for the a an or than",
    "im in auf von zu aus über zwischen mit für der die das den dem ein eine en de del la el los las un una con por para",
    "sur dans le les des du une par pour sul nel nella nell di da il lo con per no na em do da os as um uma w na z od do",
    "в на из от до с между для к op het een van met voor i på av från till",
)
"""Words that need what follows them, so that a list in brackets is no citation there."""

EQUALS = _words(
    "is are was were equals equal returns return returned gives yields prints print contains outputs evaluates to",
    "ist sind ergibt liefert es devuelve est sont renvoie è restituisce é retorna jest zwraca это равен возвращает",
    "press type enter hit click dial",
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

_SIGNS = {"#", "\u2116", ":", ".", "-", "_", "=", "|", "@", "^", "\u00b0"}
LABEL_SIGNS = frozenset(_SIGNS)
"""What may stand between a source's label and its number."""
