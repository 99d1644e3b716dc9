"""`python -m askance.reader_service`."""

import sys

from askance.reader_service.app import main

if __name__ == "__main__":
    sys.exit(main())
