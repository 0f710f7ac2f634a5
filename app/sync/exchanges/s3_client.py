"""Client of one bucket of S3 storage.

obstore 0.12.1 was tried: it goes where a server refers to, reads listings of any length into memory, lists nothing
where one foreign key has ``..`` in it, and tells errors only as texts of its own parts.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Final, Self, TypeVar

from app.core.network.http_requests import BUSY
from app.errors import KeepsakeError
from app.sync.exchanges.exchange_point import MOST_BYTES
from app.sync.exchanges.s3_address import S3Address
from app.sync.exchanges.s3_answers import S3Page, XmlTexts, error_texts
from app.sync.exchanges.s3_signature import path_of, query_of, signed_headers
from app.sync.exchanges.server_caller import ServerCaller
from app.sync.exchanges.server_refusals import (
    NO_BUCKET,
    NO_S3,
    OTHER_REGION,
    S3_CODES,
    S3_STATUSES,
    TOO_MUCH,
    NoListingError,
    ServerRefusals,
)

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")

MOST_PAGE_BYTES: Final = 8 << 20
MOST_PAGES: Final = 10_000
_MOST_ANSWER_BYTES: Final = 1 << 16
_REGION: Final = re.compile(r"[a-z0-9-]{1,40}")
_OTHER_REGION_CODES: Final = frozenset({"PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed"})


class S3Client:
    """Client of one bucket. Any thread may use it.

    Args:
        address: The address of the bucket, with the key.
    """

    def __init__(self, address: S3Address) -> None:
        self._address = address
        self.refusals = ServerRefusals(address.server, S3_STATUSES, NO_S3)
        self._caller = ServerCaller(self.refusals, {}, BUSY)

    def __enter__(self) -> Self:
        """Return the client, which is closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def names(self, prefix: str, is_wanted: Callable[[str], re.Match[str] | None]) -> list[str]:
        """Return what follows a prefix up to the next slash.

        Args:
            prefix: The prefix, with a slash at its end.
            is_wanted: Whether a name is wanted.
        """
        names: set[str] = set()
        following = ""
        for _ in range(MOST_PAGES):
            page = self._page(self._address.prefix + prefix, is_wanted, following)
            names |= page.names
            following = page.following
            if not following:
                return sorted(names)
        raise self.refusals.error(TOO_MUCH)

    def get(self, key: str) -> bytes | None:
        """Return an object, ``None`` where there is none."""

        async def read(response: "httpx.Response") -> bytes | None:
            if response.status_code == HTTPStatus.OK:
                if response.headers.get("Content-Type", "").startswith("text/html"):
                    raise self.refusals.error(NO_S3)
                return await self._caller.body(response, MOST_BYTES)
            await self._unless(response, {HTTPStatus.NOT_FOUND})
            return None

        return self._ask("GET", self._url(key), read)

    def put(self, key: str, data: bytes, *, is_new: bool = False) -> bool:
        """Write an object; return False where its key is taken.

        Args:
            key: The key.
            data: The bytes.
            is_new: Whether a key that is taken is left alone. A server that cannot be asked so writes nothing.
        """
        refusals = {HTTPStatus.PRECONDITION_FAILED, HTTPStatus.NOT_IMPLEMENTED} if is_new else set()

        async def read(response: "httpx.Response") -> bool:
            if response.status_code != HTTPStatus.OK:
                await self._unless(response, refusals)
                return False
            # A page of a login has no such header.
            if "ETag" not in response.headers:
                raise self.refusals.error(NO_S3)
            await self._caller.body(response, _MOST_ANSWER_BYTES)
            return True

        return self._ask("PUT", self._url(key), read, data, {"If-None-Match": "*"} if is_new else {})

    def remove(self, key: str) -> None:
        """Remove an object, if it is there."""

        async def read(response: "httpx.Response") -> None:
            if response.status_code not in (HTTPStatus.NO_CONTENT, HTTPStatus.OK):
                await self._unless(response, {HTTPStatus.NOT_FOUND})

        self._ask("DELETE", self._url(key), read)

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._caller.close()

    def _page(self, prefix: str, is_wanted: Callable[[str], re.Match[str] | None], token: str) -> S3Page:
        options = {"list-type": "2", "delimiter": "/", "encoding-type": "url", "prefix": prefix}
        if token:
            options["continuation-token"] = token

        async def read(response: "httpx.Response") -> S3Page:
            if response.status_code != HTTPStatus.OK:
                raise await self._refusal(response)
            page = S3Page(prefix, is_wanted)
            parser = XmlTexts("ListBucketResult", page.take)
            async for piece in self._caller.pieces(response, MOST_PAGE_BYTES):
                parser.feed(piece)
            parser.feed(b"", is_last=True)
            page.finish()
            return page

        try:
            return self._ask("GET", f"{self._address.url}?{query_of(options)}", read)
        except NoListingError:
            raise self.refusals.error(NO_S3) from None

    async def _unless(self, response: "httpx.Response", statuses: AbstractSet[int]) -> None:
        """Refuse an answer whose status is none of some.

        One that lacks the whole bucket is always refused.
        """
        error = await self._refusal(response)
        if response.status_code not in statuses or error.sentence.template == NO_BUCKET:
            raise error

    async def _refusal(self, response: "httpx.Response") -> KeepsakeError:
        """Return the error for an answer that is no success."""
        texts = error_texts(await self._caller.body(response, _MOST_ANSWER_BYTES))
        code = texts.get("Code", "")
        region = response.headers.get("x-amz-bucket-region") or texts.get("Region", "")
        if code in _OTHER_REGION_CODES and _REGION.fullmatch(region) and region != self._address.region:
            return self.refusals.error(OTHER_REGION, region=region)
        if (template := S3_CODES.get(code)) is not None:
            return self.refusals.error(template)
        return self.refusals.of_status(response.status_code)

    def _url(self, key: str) -> str:
        return self._address.url + path_of(self._address.prefix + key)

    def _ask(
        self,
        method: str,
        url: str,
        read: "Callable[[httpx.Response], Awaitable[T]]",
        data: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> T:
        def sign() -> Mapping[str, str]:
            return signed_headers(self._address, method, url, data, datetime.now(UTC))

        return self._caller.ask(method, url, read, data if method == "PUT" else None, headers, sign)
