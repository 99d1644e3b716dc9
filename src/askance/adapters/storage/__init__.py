"""What is stored on this machine: history, library, page cache, ledger and clients in SQLite files, and traces."""
