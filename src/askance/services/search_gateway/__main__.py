"""`python -m askance.services.search_gateway`."""

import sys

from askance.services.search_gateway.app import main

if __name__ == "__main__":
    sys.exit(main())
