"""Sentences about a WebDAV server that refuses, fails or is none."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from app.core.network.http_requests import RequestError, RequestFault, untrusted
from app.errors import DiskFullError, ExchangeError, InputError, KeepsakeError
from app.sentence import Sentence
from app.sync.exchanges.webdav_address import NO_ADDRESS

NO_FOLDER: Final = "{server} has no such folder. Make it there first, and see whether the address is right."
NO_WEBDAV: Final = (
    "{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server."
)
LOST: Final = "{server} did not keep a file that it took. See whether the address is right; nothing is lost meanwhile."
TOO_MUCH: Final = (
    "{server} sent far more than was requested, so nothing of it was read. See whether the address is right."
)
REDIRECTED: Final = (
    "{server} refers to another address on {other}, to which Keepsake sends no password. Name that address if it is the"
    " right one."
)
_UNREACHABLE: Final = (
    "{server} cannot be reached. See whether this machine is online and the address is right; nothing is lost"
    " meanwhile."
)
_SLOW: Final = "{server} did not answer in time. It is tried again by itself; nothing is lost meanwhile."
_FAILING: Final = (
    "{server} takes no requests at the moment (status {status}). It is tried again by itself; nothing is lost"
    " meanwhile."
)
_UNEXPECTED: Final = "{server} sent an unexpected answer (status {status}). See whether the address is right."
_FULL: Final = "{server} has no room left for you. Make room there; nothing is lost meanwhile."
_REFUSALS: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "{server} does not accept the name or the password. Correct them in the address; where the"
    " server asks for a second factor, make a password for apps there.",
    HTTPStatus.FORBIDDEN: "{server} does not let this name do that in the folder. Allow it to read and write there, or"
    " name another folder.",
    HTTPStatus.NOT_FOUND: NO_FOLDER,
    HTTPStatus.CONFLICT: NO_FOLDER,
    HTTPStatus.METHOD_NOT_ALLOWED: NO_WEBDAV,
    HTTPStatus.NOT_IMPLEMENTED: NO_WEBDAV,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "{server} takes no file of that size. Allow larger ones there; nothing is lost"
    " meanwhile.",
    HTTPStatus.LOCKED: "Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost"
    " meanwhile.",
}
_FAULTS: Final = {RequestFault.SLOW: _SLOW, RequestFault.USELESS: NO_WEBDAV}


def refusal(server: str, template: str, **values: object) -> ExchangeError:
    """Return an error about a server.

    Args:
        server: The name of the server.
        template: The template of the sentence.
        values: What stands in it besides the server.
    """
    return ExchangeError(Sentence(template, server=server, **values))


def refusal_of(server: str, status: int) -> KeepsakeError:
    """Return the error for a status that is no success.

    Args:
        server: The name of the server.
        status: The status.
    """
    if status == HTTPStatus.INSUFFICIENT_STORAGE:
        return DiskFullError(Sentence(_FULL, server=server))
    if (template := _REFUSALS.get(status)) is not None:
        return refusal(server, template)
    return refusal(server, _UNEXPECTED, status=status)


def failure_of(server: str, error: RequestError) -> KeepsakeError:
    """Return the error for a request that failed at each attempt.

    Args:
        server: The name of the server.
        error: What was wrong with the last attempt.
    """
    match error.fault:
        case RequestFault.BUSY if error.status in _REFUSALS:
            return refusal_of(server, error.status)
        case RequestFault.BUSY:
            return refusal(server, _FAILING, status=error.status)
        case RequestFault.UNTRUSTED:
            return ExchangeError(untrusted(server))
        case RequestFault.NO_ADDRESS:
            return InputError(NO_ADDRESS, field="place")
        case _:
            return refusal(server, _FAULTS.get(error.fault, _UNREACHABLE))
