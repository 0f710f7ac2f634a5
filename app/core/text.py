"""Text as it may be stored, compared and hashed."""

import hashlib
import re
import unicodedata

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# C0 and C1 control characters, and those that turn the direction of the text around them.
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]|!?\[([^\[\]]*)\]\([^()\s]*\)")
_TABLE_RULE = re.compile(r"\|[\s:|-]*--[\s:|-]*(?:\||$)")
_HEADING = re.compile(r"(?:^|(?<=\s))#{1,6}\s+")
_LINE_SIGNS = re.compile(r"(?m)^\s*(?:>|[-*+] (?:\[[ xX]\] )?)\s*")
_INLINE_SIGNS = re.compile(r"\*\*|__|`+|\[\[|\]\]|^\s*\*(?=\S)")


def storable(text: str) -> tuple[str, int]:
    """Make ``text`` fit for UTF-8 and SQLite.

    A NUL becomes its visible symbol U+2400 and a lone surrogate U+FFFD; surrogate pairs are joined first.

    Returns:
        The text and how many characters were replaced.
    """
    if (text.isascii() and "\x00" not in text) or not _UNSTORABLE.search(text):
        return text, 0
    joined = _join(text)
    replaced = len(_UNSTORABLE.findall(joined))
    return _UNSTORABLE.sub(lambda m: "\u2400" if m[0] == "\x00" else "\ufffd", joined), replaced


def _join(text: str) -> str:
    """Join surrogate pairs that a sloppy decoder left apart."""
    return re.sub(
        "[\ud800-\udbff][\udc00-\udfff]",
        lambda m: m[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le"),
        text,
    )


def has_controls(text: str) -> bool:
    """Return whether control characters stand in ``text``: C0, C1, or those that turn its direction."""
    return _CONTROLS.search(text) is not None


def without_controls(text: str) -> str:
    """Return ``text`` with U+FFFD in place of each control character (see ``has_controls``)."""
    return _CONTROLS.sub("\ufffd", text)


def collapse(text: str) -> str:
    """Return ``text`` in NFC with every run of white space as one blank, trimmed."""
    # Printable ASCII has no white space but blanks. Nearly every message is such a text.
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip(" ")
    # Several times as quick as a pattern for white space, and of the same opinion what that is.
    return " ".join(unicodedata.normalize("NFC", text).split())


def content_hash(*parts: str) -> str:
    """Return a 128-bit hex digest of the collapsed, case-folded ``parts``.

    It is equal for texts that read the same.
    """
    text = "".join([f"{collapse(part).casefold()}\x1f" for part in parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def plural(noun: str) -> str:
    """Return the plural of a regular English noun."""
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def replaced_words(number: int) -> str:
    """Return the sentence about characters that ``storable`` replaced."""
    return (
        f"{counted(number, 'character that cannot be stored was', 'characters that cannot be stored were')} replaced."
    )


def counted(number: int, single: str, many: str = "") -> str:
    """Return a number with what it counts, such as ``1 note`` or ``1,234 notes``.

    Args:
        number: How many there are.
        single: What one of them is called, and the verb that follows, as in ``note was``.
        many: What several are called; the plural of the noun ``single`` if left out.
    """
    return f"{number:,} {single if number == 1 else many or plural(single)}"


def excerpt(text: str, length: int) -> str:
    """Return the first ``length`` characters of the collapsed text.

    A text that is cut at a word ends with an ellipsis.
    """
    flat = collapse(text[: length * 4 + 64])
    if len(flat) <= length:
        return flat
    cut = flat[:length]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > length // 2 else cut).rstrip() + "…"


def without_markup(markdown: str) -> str:
    """Return the words of Markdown in one line, without markup.

    Signs of headings, tables, links, quotes, lists and emphasis are removed.
    """
    text = _LINK.sub(lambda match: match[1] or match[2] or "", markdown)
    text = _INLINE_SIGNS.sub("", _HEADING.sub("", _LINE_SIGNS.sub("", text)))
    if text.count("|") > 1:
        text = _TABLE_RULE.sub(" ", text).replace("|", " ")
    return collapse(text)
