"""The local socket: other programs of the same person speak to the process that owns the vault."""
