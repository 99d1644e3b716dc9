"""The command line: `askance ask`, `chat`, `read`, `doctor`, `config`, `trace` and `demo`."""
