"""The door for other programs: one daemon, that speaks MCP and OpenAI's API."""
