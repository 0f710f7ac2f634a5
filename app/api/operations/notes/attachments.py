"""Operations on attachments: pictures and other files that notes show or lead to."""

import base64
import binascii
from typing import Final

from app.api.caller import Caller
from app.api.registry import operation
from app.attachments.model import Attachment
from app.changes import Changed, ChangeSet
from app.core.paths import whole_path
from app.engine import Engine
from app.errors import InputError
from app.sentence import Sentence

PART: Final = 2_000_000
"""Bytes that one answer holds: within a frame of the socket, in base64."""


@operation("attachment.add", access="write", owner_only=True, review="refused", kind="note", undo="needless")
async def add(engine: Engine, caller: Caller, path: str = "", name: str = "", data: str = "") -> Changed[Attachment]:
    """Keep a copy of a file in the vault and return the link to it.

    It lies in the vault's ``attachments`` folder, and notes use the link. The same file is kept once.

    Args:
        path: The file on this machine; or give ``name`` and ``data``.
        name: What to call it.
        data: Its bytes in base64.
    """
    if path:
        attachment = await engine.attachments.add_file(whole_path(path))
    else:
        try:
            decoded = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InputError("'data' must be the bytes of a file in base64.", field="data") from error
        attachment = await engine.attachments.add(name, decoded)
    return Changed(attachment, ChangeSet(frozenset({"attachments"}), (), caller.name))


@operation("attachment.list", owner_only=True)
async def list_attachments(engine: Engine, caller: Caller) -> list[Attachment]:
    """Return the files of the attachments folder by name."""
    return await engine.attachments.all()


@operation("attachment.locate", owner_only=True)
async def locate(engine: Engine, caller: Caller, link: str) -> Attachment:
    """Return the attachment that a link of a note means.

    Args:
        link: The link as it is written, such as ``attachments/rose.png``.
    """
    return await engine.attachments.locate(link)


@operation("attachment.read", owner_only=True)
async def read(engine: Engine, caller: Caller, link: str, offset: int = 0, length: int = PART) -> str:
    """Return bytes of an attachment in base64, and nothing beyond its end.

    In an encrypted vault the file itself is encrypted; these are its bytes as they were.

    Args:
        link: The link as it is written, such as ``attachments/rose.png``.
        offset: Where to begin.
        length: How many bytes at most, up to two million.
    """
    if offset < 0 or not 0 < length <= PART:
        raise InputError(
            Sentence("'offset' is 0 or more, 'length' from 1 to {most}.", most=PART), field="length", maximum=PART
        )
    return base64.b64encode(await engine.attachments.read(link, offset, length)).decode()
