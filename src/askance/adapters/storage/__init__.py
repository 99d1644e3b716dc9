"""What Askance remembers, each in one SQLite file: pages that were read, and what left this machine."""
