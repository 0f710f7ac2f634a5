"""The access that tests have where it does not matter."""

from typing import Final

from app.core.access import Access

EVERYTHING: Final = Access.everything("person", "test")
"""The person's access to every store."""
