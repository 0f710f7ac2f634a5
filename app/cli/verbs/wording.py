"""Choices about verbs beyond the catalogue: subjects, and parameters by their names."""

from typing import Final

# Options that no verb has; a passphrase is never an argument, where other programs could read it.
HIDDEN: Final = frozenset({"job", "confirm", "passphrase"})

FILES: Final = frozenset({"content", "summary", "prompt"})
PIPED: Final = frozenset({"query", "text", "value", "ids", "history_ids", "items"})
TAGS: Final = frozenset({"tags", "add", "remove"})
