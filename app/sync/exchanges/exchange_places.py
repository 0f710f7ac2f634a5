"""Places that a person can name as an exchange point."""

import os
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from app.core.paths import user_path
from app.errors import InputError
from app.sync.exchanges.exchange_folder import FolderPlace
from app.sync.exchanges.exchange_point import ExchangePlace
from app.sync.exchanges.postgresql_exchange import SCHEMES, PostgresqlPlace


def place_of(address: str) -> ExchangePlace:
    """Return the place with an address: that of a database, or a folder's path.

    Raises:
        InputError: It is neither the address of a database nor a whole path.
    """
    if address.startswith(SCHEMES):
        return PostgresqlPlace(address)
    path = user_path(address)
    if not Path(os.path.expanduser(address)).is_absolute():  # noqa: PTH111  (``user_path`` saw that there is one)
        raise InputError("Name the folder by its whole path, from the top.", field="place")
    return FolderPlace(path)


def without_password(address: str) -> str:
    """Return an address as it may be shown: that of a database without its password."""
    if not address.startswith(SCHEMES):
        return address
    parts = urlsplit(address)
    name, at, server = parts.netloc.rpartition("@")
    query = urlencode([(key, value) for key, value in parse_qsl(parts.query) if "password" not in key])
    return urlunsplit(parts._replace(netloc=f"{name.partition(':')[0]}{at}{server}", query=query))
