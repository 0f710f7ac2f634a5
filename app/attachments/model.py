"""Values of attachments: types and limits of their files, and links to them."""

import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import unquote

FOLDER: Final = "attachments"
MAX_BYTES: Final = 50 * 1024 * 1024
MAX_PICTURE_BYTES: Final = 20 * 1024 * 1024
MAX_PIXELS: Final = 50_000_000
MAX_NAME: Final = 120

AttachmentKind = Literal["picture", "file"]

PICTURES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"})
DOCUMENTS: Final = frozenset({
    ".pdf", ".txt", ".md", ".csv", ".tsv", ".json", ".rtf", ".epub", ".ics", ".vcf",
    ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp",
    ".mp3", ".m4a", ".wav", ".ogg", ".flac", ".opus", ".mp4", ".m4v", ".webm", ".mov", ".mkv",
    ".zip", ".gz", ".7z", ".svg", ".heic", ".avif", ".tif", ".tiff",
})  # fmt: skip
_LINK: Final = re.compile(rf"(?:\./|\.\./)*{FOLDER}/([^/\\]+)")
_UNSAFE: Final = re.compile(r"[^\w.-]+")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of the attachments folder.

    Args:
        name: Its name in the folder.
        link: The relative link that notes use, such as ``attachments/rose.png``.
        kind: ``picture`` where the preview shows it.
        bytes: Its size.
        path: Where it lies on this machine.
        is_sealed: Its bytes there are encrypted; ``attachment.read`` returns them as they were.
    """

    name: str
    link: str
    kind: AttachmentKind
    bytes: int
    path: str
    is_sealed: bool = False


def link_of(name: str) -> str:
    """Return the link that notes use for the file called ``name``."""
    return f"{FOLDER}/{name}"


def name_of(target: str) -> str:
    """Return the name of the attachment that a link's target means, ``""`` for others.

    Addresses, absolute paths and paths to anything else are none; ``../attachments/rose.png`` is, as exported notes
    of a subfolder have it.
    """
    written = unquote(target.strip()).partition("#")[0]
    match = _LINK.fullmatch(written)
    name = match[1] if match else ""
    is_plain = name.isprintable() and not name.startswith(".") and ":" not in name and len(name) <= 2 * MAX_NAME
    return name if is_plain else ""


def suffix_of(name: str) -> str:
    """Return the ending of a file name in lower case, with its dot."""
    stem, _, ending = name.rpartition(".")
    return f".{ending.lower()}" if ending and stem else ""


def kind_of(name: str) -> AttachmentKind:
    """Return whether the file called ``name`` is shown or led to."""
    return "picture" if suffix_of(name) in PICTURES else "file"


def clean_name(name: str) -> str:
    """Return a file name that is valid everywhere and in Markdown links."""
    name = re.split(r"[/\\]", name)[-1]
    suffix = suffix_of(name)
    stem = _UNSAFE.sub("-", name[: len(name) - len(suffix)]).strip("-._")
    stem = stem[: MAX_NAME - len(suffix)].encode()[: MAX_NAME - len(suffix)].decode(errors="ignore") or "attachment"
    return f"{'_' if _RESERVED.fullmatch(stem) else ''}{stem}{suffix}"
