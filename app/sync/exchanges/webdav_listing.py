"""Listing of a folder, as a WebDAV server answers it."""

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import unquote, urljoin, urlsplit
from xml.parsers import expat

from app.core.safe_xml import UnsafeXmlError, safe_parser
from app.sync.exchanges.server_refusals import NoListingError

_ROOT, _ENTRY = "DAV: multistatus", "DAV: response"
_HREF, _CHANGED = "DAV: href", "DAV: getlastmodified"
_MOST_CHARACTERS: Final = 8_192
"""No address or date of ours is longer."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """File or folder directly within a folder.

    Args:
        name: The last part of its address, decoded.
        age: How long ago it was changed, by the server's own clock; zero where the server does not say.
    """

    name: str
    age: timedelta


class WebdavListing:
    """Parser of the answer to PROPFIND, which keeps what is wanted.

    Args:
        address: The address of the folder.
        date: When the server answered, as it says so.
        is_wanted: Whether a name is wanted.
    """

    def __init__(self, address: str, date: str, is_wanted: Callable[[str], re.Match[str] | None]) -> None:
        self._address = address
        self._now = _time(date)
        self._folder = _segments(address)[-1:]
        self._is_wanted = is_wanted
        self._files: dict[str, ListedFile] = {}
        self._depth = 0
        self._text: list[str] | None = None
        self._texts: dict[str, str] = {}
        self._parser = safe_parser(has_namespaces=True)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, data: bytes) -> None:
        """Read the next part of the answer.

        Raises:
            NoListingError: It is something else.
        """
        self._parse(data, is_last=False)

    def finish(self) -> list[ListedFile]:
        """Return the files in the order of their names.

        Raises:
            NoListingError: The answer is not whole.
        """
        self._parse(b"", is_last=True)
        return [self._files[name] for name in sorted(self._files)]

    def _parse(self, data: bytes, *, is_last: bool) -> None:
        try:
            self._parser.Parse(data, is_last)
        except (expat.ExpatError, UnsafeXmlError) as error:
            raise NoListingError from error

    def _start(self, tag: str, _attributes: dict[str, str]) -> None:
        if not self._depth and tag != _ROOT:
            raise NoListingError
        self._depth += 1
        if tag == _ENTRY:
            self._texts = {}
        self._text = [] if tag in (_HREF, _CHANGED) else None

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if self._text is not None:
            text = "".join(self._text).strip()
            self._texts.setdefault(tag, text if len(text) <= _MOST_CHARACTERS else "")
        self._text = None
        if tag == _ENTRY:
            self._keep()

    def _keep(self) -> None:
        """Keep what was read last where it lies in the folder and is wanted."""
        with suppress(ValueError):  # no address at all
            *_, folder, name = ["", "", *_segments(urljoin(self._address, self._texts.get(_HREF, "")))]
            if [folder] == self._folder and self._is_wanted(name):
                self._files[name] = ListedFile(name, self._age())

    def _age(self) -> timedelta:
        changed = _time(self._texts.get(_CHANGED, ""))
        return timedelta() if changed is None or self._now is None else self._now - changed


def _segments(address: str) -> list[str]:
    return [unquote(segment) for segment in urlsplit(address).path.rstrip("/").split("/")]


def _time(text: str) -> datetime | None:
    try:
        time = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time
