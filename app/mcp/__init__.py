"""MCP server over the host's socket; its process never opens the database."""
