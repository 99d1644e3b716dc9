"""`python -m askance.services.reader`."""

import sys

from askance.services.reader.app import main

if __name__ == "__main__":
    sys.exit(main())
