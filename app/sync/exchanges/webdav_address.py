"""Address of a folder on a WebDAV server, with its login."""

import base64
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from app.errors import InputError
from app.sync.exchanges.server_caller import require_encryption

SCHEMES: Final = ("https://", "http://", "webdavs://", "webdav://")
NO_ADDRESS: Final = (
    "This is no address of a WebDAV server. It looks like https://name:password@server/path; write @, /, # and ? within"
    " the password as %40, %2F, %23 and %3F."
)


@dataclass(frozen=True, slots=True)
class WebdavAddress:
    """Address of a folder on a WebDAV server.

    Args:
        url: The address without the login, with a slash at its end.
        server: The name of the server.
        login: The name and the password, as they are sent; ``""`` for none.
    """

    url: str
    server: str
    login: str = field(repr=False)


def webdav_address(address: str) -> WebdavAddress:
    """Return the parts of an address that a person named.

    Raises:
        InputError: It is none, or a password would be sent without encryption.
    """
    try:
        parts = urlsplit(address.strip())
        server, port = parts.hostname, parts.port
    except ValueError:
        raise InputError(NO_ADDRESS, field="place") from None
    login, _, _ = parts.netloc.rpartition("@")
    if not server or parts.query or parts.fragment or "@" in parts.path:
        raise InputError(NO_ADDRESS, field="place")
    scheme = "http" if parts.scheme in ("http", "webdav") else "https"
    require_encryption(scheme, server)
    host = f"[{server}]" if ":" in server else server
    path = quote(parts.path.strip("/"), safe="/%:!$&'()*+,;=~")
    url = f"{scheme}://{host}{f':{port}' if port else ''}/{path}{'/' if path else ''}"
    name, _, password = (unquote(part) for part in login.partition(":"))
    token = base64.b64encode(f"{name}:{password}".encode()).decode("ascii")
    return WebdavAddress(url, server, f"Basic {token}" if login else "")
