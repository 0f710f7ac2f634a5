"""Answers of S3 storage: listings and errors."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_plus
from xml.parsers import expat

from app.core.safe_xml import UnsafeXmlError, local, safe_parser
from app.sync.exchanges.server_refusals import NoListingError

_KEY, _FOLDER = "Contents/Key", "CommonPrefixes/Prefix"
_MOST_CHARACTERS: Final = 8_192
"""No key or token is longer."""


class XmlTexts:
    """Parser of the texts of an answer.

    Each comes with the names of the two elements around it.

    Args:
        root: The name of the outermost element.
        take: Takes the names, such as ``Contents/Key``, and the text.
    """

    def __init__(self, root: str, take: Callable[[str, str], None]) -> None:
        self._root = root
        self._take = take
        self._tags: list[str] = []
        self._text: list[str] = []
        self._parser = safe_parser(has_namespaces=True)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, data: bytes, *, is_last: bool = False) -> None:
        """Read the next part.

        Raises:
            NoListingError: It is something else.
        """
        try:
            self._parser.Parse(data, is_last)
        except (expat.ExpatError, UnsafeXmlError) as error:
            raise NoListingError from error

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        if not self._tags and local(tag) != self._root:
            raise NoListingError
        self._tags.append(local(tag))
        self._text = []

    def _characters(self, text: str) -> None:
        self._text.append(text)

    def _end(self, tag: str) -> None:
        text = "".join(self._text)
        self._tags.pop()
        around = self._tags[-1] if self._tags else ""
        if len(text) <= _MOST_CHARACTERS:
            self._take(f"{around}/{local(tag)}", text)
        self._text = []


@dataclass(slots=True)
class S3Page:
    """Page of a listing.

    Args:
        prefix: What all keys begin with.
        is_wanted: Whether a name is wanted.
        names: What follows the prefix in the keys and folders that are wanted.
        following: The token of the next page, ``""`` for none.
    """

    prefix: str
    is_wanted: Callable[[str], re.Match[str] | None]
    names: set[str] = field(default_factory=set)
    following: str = ""
    _is_truncated: bool = False

    def take(self, place: str, text: str) -> None:
        """Take a text of the page."""
        match place.partition("/")[2]:
            case "IsTruncated":
                self._is_truncated = text.strip() == "true"
            case "NextContinuationToken":
                self.following = text
        if place in (_KEY, _FOLDER):
            for key in (text, unquote_plus(text)):  # a server may send them encoded or not, whatever was asked for
                name = key.removeprefix(self.prefix).removesuffix("/" if place == _FOLDER else "")
                if key.startswith(self.prefix) and self.is_wanted(name):
                    self.names.add(name)

    def finish(self) -> None:
        """Check that the page says whether there is another one.

        Raises:
            NoListingError: It does not say where that is.
        """
        if not self._is_truncated:
            self.following = ""
        elif not self.following:
            raise NoListingError


def error_texts(data: bytes) -> dict[str, str]:
    """Return the texts of an error, such as ``Code``.

    There are none where it is no error of S3 storage.
    """
    texts: dict[str, str] = {}
    parser = XmlTexts("Error", lambda place, text: texts.update({place.partition("/")[2]: text}))
    try:
        parser.feed(data, is_last=True)
    except NoListingError:
        return {}
    return texts
