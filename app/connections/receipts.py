"""Receipts of connections, in ``connections.json`` of the vault; they hold no token, only digests."""

from pathlib import Path
from typing import Final

import msgspec

from app.connections.model import ConnectionReceipt
from app.core.files import from_os, replace_file
from app.core.regular_files import UnsafeFileError, open_for_reading
from app.errors import FormatError
from app.sentence import Sentence

FILE: Final = "connections.json"


def read_receipts(vault: Path) -> dict[str, ConnectionReceipt]:
    """Return the connections that were made, by client.

    Raises:
        FormatError: The file is damaged.
    """
    try:
        with open_for_reading(vault / FILE) as file:
            return msgspec.json.decode(file.read(), type=dict[str, ConnectionReceipt])
    except FileNotFoundError:
        return {}
    except UnsafeFileError as error:
        raise from_os(error, vault / FILE) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(
            Sentence("{path} is damaged. Remove it, and the entries named 'keepsake' by hand.", path=vault / FILE),
            path=str(vault / FILE),
        ) from error


def write_receipts(vault: Path, receipts: dict[str, ConnectionReceipt]) -> None:
    """Store the connections that were made."""
    replace_file(vault / FILE, msgspec.json.format(msgspec.json.encode(receipts)) + b"\n")
