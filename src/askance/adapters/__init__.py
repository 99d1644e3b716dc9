"""The ports implemented: models, embeddings, search, page reader, library, storage, containers, releases."""

import sys

# httpx loads a command line of its own where rich and click are installed, as they are here: a
# twentieth of a second and 5 MB of every process that asks for a page.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
