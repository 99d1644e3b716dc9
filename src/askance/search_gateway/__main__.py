"""`python -m askance.search_gateway`."""

import sys

from askance.search_gateway.app import main

if __name__ == "__main__":
    sys.exit(main())
