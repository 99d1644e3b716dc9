"""The child process that reads a page that is only a picture: `python -m askance.extract.scanned_page FOLDER FILE PAGE COMMAND…`.

Before that it gives up the network, and to write anywhere but into the folder. It says how many pages the file has, draws
the page as `page.pgm` where the file is a PDF, and becomes Tesseract.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from askance.config.private_files import replace_file
from askance.extract.sandbox import confine as cage

MEMORY_MIB, CPU_S, FILE_MIB = 2_048, 120, 256
# Tesseract reads letters best at this; a larger page is drawn smaller, or its picture would fill the memory.
_DOTS_PER_INCH, _POINTS_PER_INCH = 300, 72
_MOST_PIXELS = 12_000_000
PAGE_IMAGE = "page.pgm"


def main() -> None:
    """Draw the page, and become the program whose command is given."""
    folder, file, page, *command = sys.argv[1:]
    cage.only_convert(folder, MEMORY_MIB, CPU_S, FILE_MIB)
    pages = draw_page(Path(file), int(page), Path(folder) / PAGE_IMAGE) if page else 1
    sys.stdout.write(f"{pages}\n")
    sys.stdout.flush()
    if sys.platform == "win32":
        # There `execv` ends this process at once, and whoever waits for it.
        sys.exit(subprocess.call(command))  # noqa: S603 - the one that was found as Tesseract
    os.execv(command[0], command)  # noqa: S606 - as above


def draw_page(file: Path, number: int, image: Path) -> int:
    """Draw a page of a PDF file, in grey, and return how many pages there are."""
    # Whoever starts this process imports the module, too. It has no types.
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    pdf: Any = pypdfium2.PdfDocument(file)
    page = pdf[number]
    scale = _DOTS_PER_INCH / _POINTS_PER_INCH
    pixels = page.get_width() * page.get_height() * scale * scale
    scale *= min(1.0, math.sqrt(_MOST_PIXELS / max(pixels, 1.0)))
    drawn = page.render(scale=scale, grayscale=True)
    lines = memoryview(drawn.buffer).cast("B")
    # The lines of a bitmap are longer than the picture is wide.
    rows = (lines[y * drawn.stride :][: drawn.width] for y in range(drawn.height))
    head = b"P5 %d %d 255\n" % (drawn.width, drawn.height)
    replace_file(image, head + b"".join(rows))
    return len(pdf)


if __name__ == "__main__":
    main()
