"""Reader of attachments whose files are encrypted: the engine returns their bytes."""

import base64
from typing import TYPE_CHECKING

from ui import operations

if TYPE_CHECKING:
    from app.attachments.model import Attachment
    from ui.bridge import Bridge


async def read_attachment(bridge: "Bridge", attachment: "Attachment", limit: int) -> bytes:
    """Return the bytes of an attachment, at most ``limit`` of them.

    Args:
        bridge: The way to the engine.
        attachment: The attachment, as the engine located it.
        limit: How many bytes at most.

    Raises:
        KeepsakeError: It is gone, or damaged.
    """
    parts, size = list[bytes](), 0
    while size < limit:
        part = base64.b64decode(await bridge.call(operations.attachment.read(link=attachment.link, offset=size)))
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)[:limit]
