"""The bridge from the catalogue to MCP tools, over the socket: an agent's process never opens the database."""
