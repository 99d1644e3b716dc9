"""`python -m askance` and the `askance` command."""

from askance.cli.app import main

if __name__ == "__main__":
    main()
