"""The ports made real: model servers, the search engine, the page reader, traces."""
