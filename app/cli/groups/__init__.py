"""Groups of commands written by hand: agents, settings, encryption, secrets, maintenance, MCP."""
