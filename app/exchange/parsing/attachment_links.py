"""Files of foreign notes as attachments: names, links and limits."""

import hashlib
import mimetypes
from typing import Final

from app.attachments.content_check import picture_suffix, require_attachable
from app.attachments.model import DOCUMENTS, PICTURES, clean_name, kind_of, link_of, suffix_of
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import Problem

_STEM: Final = 80
# What programs write for types whose endings the system does not know, or knows by another name.
_SUFFIXES: Final = {
    "application/rtf": ".rtf", "audio/aac": ".m4a", "audio/m4a": ".m4a", "audio/mp3": ".mp3", "audio/mp4": ".m4a",
    "audio/ogg": ".ogg", "audio/opus": ".opus", "audio/wav": ".wav", "audio/wave": ".wav", "audio/x-m4a": ".m4a",
    "audio/x-wav": ".wav", "image/avif": ".avif", "image/heic": ".heic", "image/heif": ".heic", "image/jpg": ".jpg",
    "image/pjpeg": ".jpg", "image/webp": ".webp", "image/x-png": ".png", "text/markdown": ".md",
    "video/quicktime": ".mov", "video/x-matroska": ".mkv",
}  # fmt: skip


def attachment(name: str, data: bytes, mime: str = "") -> AttachmentRecord:
    """Return a file as an attachment.

    Its name carries a hash of its bytes, so that a second import finds it and no two files share a name.

    Args:
        name: What the other program calls it, with or without a path.
        data: Its bytes.
        mime: What its type is said to be, for a name that does not tell it.

    Raises:
        InputError: It cannot be kept as an attachment.
    """
    name = clean_name(name)
    if suffix_of(name) not in PICTURES | DOCUMENTS:
        # What follows the last dot may be a part of a time or a version, and no type.
        name = clean_name(f"{name}{picture_suffix(data) or _suffix_of_type(mime)}")
    require_attachable(name, data)
    suffix = suffix_of(name)
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return AttachmentRecord(f"{name[: len(name) - len(suffix)][:_STEM]}-{digest}{suffix}", data)


def _suffix_of_type(mime: str) -> str:
    """Return the ending of files of a MIME type, ``""`` for others."""
    kind = mime.partition(";")[0].strip().casefold()
    suffix = _SUFFIXES.get(kind) or mimetypes.guess_extension(kind, strict=False) or ""
    return suffix if suffix in PICTURES | DOCUMENTS else ""


def attachment_link(name: str, shown: str, *, embeds: bool = True) -> str:
    """Return the Markdown that shows the attached picture called ``name``, or leads to the file.

    Args:
        name: The attachment's name.
        shown: The words of the link.
        embeds: False to lead to pictures too.
    """
    label = " ".join(shown.replace("[", "(").replace("]", ")").split())
    return f"{'!' if embeds and kind_of(name) == 'picture' else ''}[{label or name}]({link_of(name)})"


def file_problem(place: str, what: str) -> Problem:
    """Return the problem of a file that is left out while its note goes in."""
    return Problem(place, what, lost=False, foreign=True, is_file=True)
