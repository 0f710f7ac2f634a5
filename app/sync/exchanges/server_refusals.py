"""Sentences about a server between machines that refuses, fails or is of another kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from app.core.network.http_requests import RequestError, RequestFault, untrusted
from app.errors import DiskFullError, ExchangeError, KeepsakeError
from app.sentence import Sentence

NO_FOLDER: Final = "{server} has no such folder. Make it there first, and see whether the address is right."
NO_WEBDAV: Final = (
    "{server} does not speak WebDAV at that address. Copy the address for WebDAV from the settings of the server."
)
NO_S3: Final = "{server} does not speak S3 at that address. See whether the endpoint in the address is right."
NO_BUCKET: Final = "{server} has no such bucket. Make it there first, and see whether the address is right."
OTHER_REGION: Final = "The bucket is in the region {region}. Write region={region} into the address."
NOT_THERE: Final = "{server} does not hold what your machines share: the folder is another one, or was emptied."
SEVERAL: Final = "The folder on {server} is shared by more than one vault. Name another folder, or remove one of them."
_LOST: Final = "{server} did not keep a file that it took. See whether the address is right; nothing is lost meanwhile."
TOO_MUCH: Final = (
    "{server} sent far more than was requested, so nothing of it was read. See whether the address is right."
)
_REDIRECTED: Final = (
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
_TOO_LARGE: Final = "{server} takes no file of that size. Allow larger ones there; nothing is lost meanwhile."

WEBDAV_STATUSES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "{server} does not accept the name or the password. Correct them in the address; where the"
    " server asks for a second factor, make a password for apps there.",
    HTTPStatus.FORBIDDEN: "{server} does not let this name do that in the folder. Allow it to read and write there, or"
    " name another folder.",
    HTTPStatus.NOT_FOUND: NO_FOLDER,
    HTTPStatus.CONFLICT: NO_FOLDER,
    HTTPStatus.METHOD_NOT_ALLOWED: NO_WEBDAV,
    HTTPStatus.NOT_IMPLEMENTED: NO_WEBDAV,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _TOO_LARGE,
    HTTPStatus.LOCKED: "Another program keeps a file locked on {server}. It is tried again by itself; nothing is lost"
    " meanwhile.",
    HTTPStatus.INSUFFICIENT_STORAGE: _FULL,
}
_WRONG_KEY: Final = "{server} does not accept the key or its secret. Correct them in the address."
S3_STATUSES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: _WRONG_KEY,
    HTTPStatus.FORBIDDEN: "{server} does not let this key do that in the bucket. Allow it to list, read, write and"
    " remove there, or name another bucket.",
    HTTPStatus.METHOD_NOT_ALLOWED: NO_S3,
    HTTPStatus.NOT_FOUND: NO_S3,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: _TOO_LARGE,
    HTTPStatus.INSUFFICIENT_STORAGE: _FULL,
}
S3_CODES: Final[Mapping[str, str]] = {
    "InvalidAccessKeyId": _WRONG_KEY,
    "SignatureDoesNotMatch": _WRONG_KEY,
    "NoSuchBucket": NO_BUCKET,
    "InvalidBucketName": NO_BUCKET,
    "EntityTooLarge": _TOO_LARGE,
    "QuotaExceeded": _FULL,
    "RequestTimeTooSkewed": "The clock of this machine and that of {server} are too far apart. Set this one right;"
    " nothing is lost meanwhile.",
}


class NotKeptError(ExchangeError):
    """A server took an object that is not there.

    It was not kept, or another machine removed it since.
    """


class NoListingError(Exception):
    """An answer is no listing."""


@dataclass(frozen=True, slots=True)
class ServerRefusals:
    """Sentences about one server.

    Args:
        server: The name of the server.
        statuses: The templates for statuses.
        other_kind: The template for a server of another kind.
    """

    server: str
    statuses: Mapping[int, str]
    other_kind: str

    def error(self, template: str, **values: object) -> KeepsakeError:
        """Return an error about the server.

        Args:
            template: The template of the sentence.
            values: What stands in it besides the server.
        """
        sentence = Sentence(template, server=self.server, **values)
        return DiskFullError(sentence) if template == _FULL else ExchangeError(sentence)

    def lost(self) -> NotKeptError:
        """Return the error for an object that is not there although the server took it."""
        return NotKeptError(Sentence(_LOST, server=self.server))

    def of_status(self, status: int) -> KeepsakeError:
        """Return the error for a status that is no success."""
        template = self.statuses.get(status)
        return self.error(_UNEXPECTED, status=status) if template is None else self.error(template)

    def of_redirect(self, host: str) -> KeepsakeError:
        """Return the error for an answer that refers to another address.

        Args:
            host: The host of that address, ``""`` for the same.
        """
        return self.error(_REDIRECTED, other=host or self.server)

    def of_fault(self, error: RequestError) -> KeepsakeError:
        """Return the error for a request that failed at each attempt."""
        match error.fault:
            case RequestFault.BUSY if error.status in self.statuses:
                return self.of_status(error.status)
            case RequestFault.BUSY:
                return self.error(_FAILING, status=error.status)
            case RequestFault.SLOW:
                return self.error(_SLOW)
            case RequestFault.USELESS:
                return self.error(self.other_kind)
            case RequestFault.UNTRUSTED:
                return ExchangeError(untrusted(self.server))
            case _:
                return self.error(_UNREACHABLE)
