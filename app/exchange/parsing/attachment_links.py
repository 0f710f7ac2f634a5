"""Files of foreign notes as attachments: names, links and limits."""

import hashlib
from typing import Final

from app.attachments.content_check import picture_suffix, require_attachable
from app.attachments.model import clean_name, kind_of, link_of, suffix_of
from app.exchange.model import AttachmentRecord
from app.memories.foreign_record import Problem

_STEM: Final = 80


def attachment(name: str, data: bytes) -> AttachmentRecord:
    """Return a file as an attachment.

    Its name carries a hash of its bytes, so that a second import finds it and no two files share a name.

    Args:
        name: What the other program calls it, with or without a path.
        data: Its bytes.

    Raises:
        InputError: It cannot be kept as an attachment.
    """
    name = clean_name(name)
    if not suffix_of(name):
        name += picture_suffix(data)
    require_attachable(name, data)
    suffix = suffix_of(name)
    digest = hashlib.blake2b(data, digest_size=4).hexdigest()
    return AttachmentRecord(f"{name[: len(name) - len(suffix)][:_STEM]}-{digest}{suffix}", data)


def attachment_link(name: str, shown: str, *, embeds: bool = True) -> str:
    """Return the Markdown that shows the attached picture called ``name``, or leads to the file.

    Args:
        name: The attachment's name.
        shown: The words of the link.
        embeds: False to lead to pictures too.
    """
    said = " ".join(shown.replace("[", "(").replace("]", ")").split())
    return f"{'!' if embeds and kind_of(name) == 'picture' else ''}[{said or name}]({link_of(name)})"


def file_problem(place: str, what: str) -> Problem:
    """Return the problem of a file that is left out while its note goes in."""
    return Problem(place, what, lost=False, foreign=True, is_file=True)
