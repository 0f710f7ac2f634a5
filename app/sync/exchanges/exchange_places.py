"""Places that a person can name as an exchange point."""

from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from app.core.paths import whole_path
from app.sync.exchanges.exchange_folder import FolderPlace
from app.sync.exchanges.exchange_point import ExchangePlace
from app.sync.exchanges.postgresql_exchange import SCHEMES as POSTGRESQL
from app.sync.exchanges.postgresql_exchange import PostgresqlPlace
from app.sync.exchanges.s3_address import SCHEMES as S3
from app.sync.exchanges.s3_exchange import S3Place
from app.sync.exchanges.webdav_address import SCHEMES as WEBDAV
from app.sync.exchanges.webdav_exchange import WebdavPlace

_PLACES: Final[dict[tuple[str, ...], Callable[[str], ExchangePlace]]] = {
    POSTGRESQL: PostgresqlPlace,
    WEBDAV: WebdavPlace,
    S3: S3Place,
}
_SECRET: Final = ("password", "secret", "token", "access_key")
"""Parts of the names of options in an address whose values are secret."""


def place_of(address: str) -> ExchangePlace:
    """Return the place with an address: that of a server, or a folder's path.

    Raises:
        InputError: It is neither the address of a server nor a whole path.
    """
    for schemes, place in _PLACES.items():
        if address.startswith(schemes):
            return place(address)
    return FolderPlace(whole_path(address, "place"))


def without_password(address: str) -> str:
    """Return an address as it may be shown: that of a server without its password."""
    if not any(address.startswith(schemes) for schemes in _PLACES):
        return address
    parts = urlsplit(address)
    name, at, server = parts.netloc.rpartition("@")
    options = parse_qsl(parts.query)
    query = urlencode([(key, value) for key, value in options if not any(word in key.lower() for word in _SECRET)])
    return urlunsplit(parts._replace(netloc=f"{name.partition(':')[0]}{at}{server}", query=query))
