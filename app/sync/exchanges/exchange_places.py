"""Places that a person can name as an exchange point."""

from pathlib import Path

from app.sync.exchanges.exchange_folder import FolderPlace
from app.sync.exchanges.exchange_point import ExchangePlace
from app.sync.exchanges.postgresql_exchange import SCHEMES, PostgresqlPlace


def place_of(address: str) -> ExchangePlace:
    """Return the place with an address: that of a database, or a folder's path.

    Raises:
        InputError: It begins like the address of a database and is none.
    """
    if address.startswith(SCHEMES):
        return PostgresqlPlace(address)
    return FolderPlace(Path(address).expanduser().absolute())
