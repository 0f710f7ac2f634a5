"""Imported texts that look as if they held a key or a password."""

from app.core.text_rules.secret_patterns import secrets_in
from app.exchange.model import MessageRecord, SessionRecord, VaultDetail
from app.memories.foreign_record import MemoryRecord


def holds_secret(record: SessionRecord | MessageRecord | MemoryRecord | VaultDetail) -> bool:
    """Return whether a note or message looks as if it held a secret.

    Only texts that an import can leave out count; titles of conversations and details of our format do not.
    """
    if isinstance(record, MessageRecord):
        return bool(secrets_in(record.message.content))
    if not isinstance(record, MemoryRecord):
        return False
    head = record.attributes.get("front_matter")
    texts = (record.content, record.title, head if isinstance(head, str) else "")
    return any(bool(text) and bool(secrets_in(text)) for text in texts)
