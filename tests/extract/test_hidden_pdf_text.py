"""Texts of PDF pages that nobody sees, each beside one that is seen and looks like it in the file."""

from __future__ import annotations

import pytest

from askance.extract.page import extract_page
from servers.pdf_files import PICTURE, Page, pdf_file

SEEN = "The ferry leaves the northern quay at seven."
TWIN = "It carries no horses and one cart."
UNSEEN = "Nobody sees this canary on the page."
ARTICLE = f"BT /H 12 Tf 60 700 Td ({SEEN}) Tj ET "
STATES = "/ExtGState<</C<</ca 0/CA 0>>/P<</ca .5>>>>"
LAYERS = "/Properties<</OFF 90 0 R/ON 91 0 R>>"
NAVY = "q 0 0 .4 rg 50 600 400 40 re f Q "


def text(words: str, x: float = 60, y: float = 610, size: float = 12, before: str = "") -> str:
    return f"q BT /H {size} Tf {before} 1 0 0 1 {x} {y} Tm ({words}) Tj ET Q "


def read(program: str, *, picture: str = PICTURE, form: str = "", box: str = "0 0 595 842") -> str:
    """The text of a page with this program, two layers, transparent states, and a form `/X`."""
    data = pdf_file(Page(ARTICLE + program)).decode("latin-1")
    body = data[: data.rindex("xref\n0")].replace(PICTURE, picture, 1)
    body = body.replace("MediaBox[0 0 595 842]", f"MediaBox[{box}]")
    body = body.replace("/XObject<</I 3 0 R>>", f"/XObject<</I 3 0 R/X 92 0 R>>{STATES}{LAYERS}")
    layers = "/OCProperties<</OCGs[90 0 R 91 0 R]/D<</OFF[90 0 R]>>>>"
    body = body.replace("/Type/Catalog", f"/Type/Catalog{layers}", 1)
    body += "90 0 obj\n<</Type/OCG/Name(off)>>\nendobj\n91 0 obj\n<</Type/OCG/Name(on)>>\nendobj\n"
    content = form.partition("|")[2]
    body += (
        f"92 0 obj\n<</Type/XObject/Subtype/Form/BBox[0 0 595 842]{form.partition('|')[0]}"
        f"/Resources<</Font<</H 4 0 R>>>>/Length {len(content)}>>stream\n{content}\nendstream\nendobj\n"
    )
    made = f"{body}trailer<</Size 93/Root 1 0 R>>\n%%EOF".encode("latin-1")
    return extract_page(made, "", "application/pdf").markdown


WHITE = "1 1 1 rg"
WAYS = {
    "off the page": (text(UNSEEN, y=5_000), text(TWIN, y=20)),
    "left of the page": (text(UNSEEN, x=-900), text(TWIN, x=-5)),
    "clipped away": (
        f"q 0 0 1 1 re W n {text(UNSEEN)} Q ",
        f"q 50 600 500 30 re W n {text(TWIN)} Q ",
    ),
    "clipped by two": (
        f"q 0 0 9 9 re W n 20 20 9 9 re W n {text(UNSEEN)} Q ",
        f"q 0 0 595 842 re W n 50 600 500 30 re W n {text(TWIN)} Q ",
    ),
    "without opacity": (text(UNSEEN, before="/C gs"), text(TWIN, before="/P gs")),
    "of a tenth of a point": (text(UNSEEN, size=0.1), text(TWIN, size=4)),
    "pressed together": (text(UNSEEN, before=".01 Tz"), text(TWIN, before="60 Tz")),
    "shrunk by its matrix": (f"q .05 0 0 .05 0 0 cm {text(UNSEEN, 900, 9_000)} Q ", ""),
    "of one point, drawn large": ("", f"q 12 0 0 12 60 610 cm {text(TWIN, 0, 0, 1)} Q "),
    "white on white": (text(UNSEEN, before=WHITE), NAVY + text(TWIN, before=WHITE)),
    "nearly white": (text(UNSEEN, before=".98 1 .99 rg"), text(TWIN, before=".8 .8 .8 rg")),
    "white outlines": (text(UNSEEN, before="1 Tr 1 1 1 RG"), text(TWIN, before="1 Tr 0 0 1 RG")),
    "on a box of its colour": (
        NAVY + text(UNSEEN, before="0 0 .4 rg"),
        NAVY + text(TWIN, before=".9 .9 0 rg"),
    ),
    "covered by a box": (
        f"{text(UNSEEN)} q 1 1 1 rg 50 600 500 40 re f Q ",
        f"{text(TWIN)} q 0 0 0 RG 50 600 500 40 re S Q ",
    ),
    "covered by a box beyond the page": (
        f"{text(UNSEEN)} q 1 1 1 rg 50 -90000 900 90650 re f Q ",
        f"q 0 0 .4 rg -90000 -90000 190000 90650 re f Q {text(TWIN, before='1 1 1 rg')}",
    ),
    "covered by a picture": (
        f"{text(UNSEEN)} q 500 0 0 40 50 600 cm /I Do Q ",
        f"q 500 0 0 40 50 600 cm /I Do Q {text(TWIN, before=WHITE)} ",
    ),
    "in render mode 3": (text(UNSEEN, before="3 Tr"), text(TWIN, before="2 Tr")),
    "on a layer that is off": (
        f"/OC /OFF BDC {text(UNSEEN)} EMC ",
        f"/OC /ON BDC {text(TWIN)} EMC ",
    ),
    "beneath words that are seen": (
        f"{NAVY}{text(UNSEEN, before='0 0 .4 rg')}{text(TWIN, before=WHITE)}",
        NAVY + text(TWIN, before=WHITE),
    ),
}


@pytest.mark.parametrize(("unseen", "twin"), WAYS.values(), ids=WAYS.keys())
def test_what_nobody_sees_is_left_out_and_what_looks_like_it_stays(unseen: str, twin: str) -> None:
    found = read(unseen)
    assert SEEN in found
    assert "canary" not in found
    found = read(twin)
    assert SEEN in found
    assert not twin or TWIN in found


@pytest.mark.parametrize(
    "form",
    [
        f"|{text(UNSEEN, before=WHITE)}",
        f"|{text(UNSEEN, y=5_000)}",
        f"/Matrix[.05 0 0 .05 0 0]|{text(UNSEEN, 900, 9_000)}",
        f"/OC 90 0 R|{text(UNSEEN)}",
        f"/#4fC 90 0 R|{text(UNSEEN)}",
    ],
    ids=["white", "off the page", "shrunk", "layer", "layer by another name"],
)
def test_what_a_form_hides_is_left_out(form: str) -> None:
    assert "canary" not in read("/X Do ", form=form)
    assert SEEN in read("/X Do ", form=form)


@pytest.mark.parametrize(
    ("placed", "form"),
    [
        ("/X Do ", f"|{text(TWIN)}"),
        ("q 1 0 0 1 0 -4000 cm /X Do Q ", f"/BBox[0 0 9000 9000]|{text(TWIN, y=4_610)}"),
        ("q 12 0 0 12 0 0 cm /X Do Q ", f"|{text(TWIN, 5, 50, 1)}"),
        ("/X Do ", f"/OC 91 0 R|{text(TWIN)}"),
        (f"{NAVY}/X Do ", f"|{text(TWIN, before=WHITE)}"),
    ],
    ids=["plain", "moved onto the page", "enlarged", "layer that is on", "white on a panel"],
)
def test_what_a_form_shows_stays(placed: str, form: str) -> None:
    assert TWIN in read(placed, form=form)


STRIPES = (
    "<</Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8"
    "/Length 4>>stream\n\0\xff\xff\0\nendstream"
)


@pytest.mark.parametrize("before", ["3 Tr", "/C gs"])
def test_the_text_of_a_page_that_was_scanned_stays(before: str) -> None:
    scan = "q 595 0 0 842 0 0 cm /I Do Q "
    assert TWIN in read(scan + text(TWIN, before=before), picture=STRIPES)


def test_the_text_below_the_picture_of_a_scanned_page_stays() -> None:
    scan = "q 595 0 0 842 0 0 cm /I Do Q "
    assert TWIN in read(text(TWIN, x=260, y=420) + scan, picture=STRIPES)


def test_invisible_letters_over_the_shapes_that_they_name_stay() -> None:
    drawn = "".join(f"q 0 0 0 rg {x} 610 5 9 re f Q " for x in range(60, 240, 9))
    assert TWIN in read(drawn + text(TWIN, before="3 Tr"))


def test_a_page_in_a_box_away_from_the_origin_and_a_small_one_are_judged_by_their_own_sizes() -> (
    None
):
    assert SEEN in read("", box="-20 600 575 842")
    assert "canary" not in read(text(UNSEEN, y=500), box="-20 600 575 842")
    assert TWIN in read(text(TWIN, 20, 705, 0.9), box="0 650 150 750")
