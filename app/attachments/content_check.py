"""Check of a file's first bytes: a picture is one, and text is text."""

from collections.abc import Callable
from typing import Final

from app.attachments.model import DOCUMENTS, MAX_BYTES, MAX_PICTURE_BYTES, PICTURES, kind_of, suffix_of
from app.errors import InputError
from app.sentence import Sentence

_MIB: Final = 1024 * 1024
_HEAD: Final = 4096
_ZIPPED: Final = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".zip", ".epub")
_TEXTS: Final = frozenset({".txt", ".md", ".csv", ".tsv", ".json", ".ics", ".vcf", ".svg"})
_PROGRAMS: Final = (b"MZ", b"\x7fELF", b"#!", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe")


def _starts(*marks: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.startswith(marks)


_CHECKS: Final[dict[str, Callable[[bytes], bool]]] = {
    ".png": _starts(b"\x89PNG\r\n\x1a\n"),
    ".jpg": _starts(b"\xff\xd8\xff"),
    ".jpeg": _starts(b"\xff\xd8\xff"),
    ".gif": _starts(b"GIF87a", b"GIF89a"),
    ".bmp": _starts(b"BM"),
    ".webp": lambda head: head[:4] == b"RIFF" and head[8:12] == b"WEBP",
    ".pdf": lambda head: b"%PDF-" in head[:1024],
    **dict.fromkeys(_ZIPPED, _starts(b"PK")),
    **dict.fromkeys(_TEXTS, lambda head: b"\0" not in head),
}


def picture_suffix(data: bytes) -> str:
    """Return the ending that fits the bytes of a picture, ``""`` when they are none."""
    return next((suffix for suffix in sorted(PICTURES) if _CHECKS[suffix](data[:_HEAD])), "")


def require_attachable(name: str, data: bytes) -> None:
    """Refuse a file that cannot be kept as an attachment.

    Raises:
        InputError: It is empty, too large, of a type that is not kept, or not what its name says.
    """
    suffix = suffix_of(name)
    if suffix not in PICTURES | DOCUMENTS:
        raise InputError("A file of this type cannot be attached; pack it into a zip file first.")
    if not data:
        raise InputError("This file is empty, so there is nothing to attach.")
    require_size(name, len(data))
    check = _CHECKS.get(suffix)
    if data.startswith(_PROGRAMS) or (check is not None and not check(data[:_HEAD])):
        raise InputError("It is damaged, or something other than its name says.")


def require_size(name: str, size: int) -> None:
    """Refuse a file that is larger than an attachment may be.

    Raises:
        InputError: It is.
    """
    allowed = MAX_PICTURE_BYTES if kind_of(name) == "picture" else MAX_BYTES
    if size > allowed:
        raise InputError(
            Sentence(
                "This file has {size} MB; one of its kind may have {allowed} MB.",
                size=f"{size / _MIB:.0f}",
                allowed=allowed // _MIB,
            ),
            bytes=size,
            allowed=allowed,
        )
