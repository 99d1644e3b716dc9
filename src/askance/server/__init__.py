"""What other programs ask: one daemon, that speaks MCP and OpenAI's API."""
