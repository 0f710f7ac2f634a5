"""Signature of a request to S3 storage, by AWS Signature Version 4.

See https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
"""

import hashlib
import hmac
from datetime import datetime
from typing import Final
from urllib.parse import quote, urlsplit

from app.sync.exchanges.s3_address import S3Address

_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SIGNED: Final = "host;x-amz-content-sha256;x-amz-date"
_UNCHANGED: Final = "-_.~"


def path_of(key: str) -> str:
    """Return a key as it stands in an address."""
    return quote(key, safe=f"/{_UNCHANGED}")


def query_of(options: dict[str, str]) -> str:
    """Return the options of a request in the order that is signed."""
    parts = sorted((quote(name, safe=_UNCHANGED), quote(value, safe=_UNCHANGED)) for name, value in options.items())
    return "&".join(f"{name}={value}" for name, value in parts)


def signed_headers(address: S3Address, method: str, url: str, data: bytes, at: datetime) -> dict[str, str]:
    """Return the headers that sign a request.

    Args:
        address: The bucket, with the key that signs.
        method: The method.
        url: The address of the request, as ``path_of`` and ``query_of`` give it.
        data: The body.
        at: The time of the request.
    """
    time, content = at.strftime("%Y%m%dT%H%M%SZ"), hashlib.sha256(data).hexdigest()
    parts = urlsplit(url)
    canonical = "\n".join(
        (
            method,
            parts.path,
            parts.query,
            f"host:{address.host}\nx-amz-content-sha256:{content}\nx-amz-date:{time}\n",
            _SIGNED,
            content,
        )
    )
    scope = f"{time[:8]}/{address.region}/s3/aws4_request"
    text = f"{_ALGORITHM}\n{time}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
    key = f"AWS4{address.secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.digest(key, text.encode(), "sha256").hex()
    return {
        "x-amz-date": time,
        "x-amz-content-sha256": content,
        "Authorization": f"{_ALGORITHM} Credential={address.key}/{scope},SignedHeaders={_SIGNED},Signature={signature}",
    }
