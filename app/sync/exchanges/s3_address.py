"""Address of a bucket of S3 storage, with its key."""

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from app.errors import InputError
from app.sync.exchanges.server_caller import require_encryption

SCHEMES: Final = ("s3://",)
DEFAULT_REGION: Final = "us-east-1"
"""The region of servers that know none."""
_NO_ADDRESS: Final = (
    "This is no address of S3 storage. It looks like s3://KEY:SECRET@bucket/prefix?region=…&endpoint=https://…; write /"
    " and + within the secret as %2F and %2B."
)
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")
_REGION: Final = re.compile(r"[A-Za-z0-9-]{1,40}")


@dataclass(frozen=True, slots=True)
class S3Address:
    """Address of what a bucket keeps under a prefix.

    Args:
        host: The host, with its port where that is not the usual one.
        url: The address of the bucket, with a slash at its end.
        prefix: What all keys begin with, with a slash at its end or empty.
        region: The region of the bucket.
        server: The name of the server.
        key: The id of the key.
        secret: Its secret.
    """

    host: str
    url: str
    prefix: str
    region: str
    server: str
    key: str
    secret: str = field(repr=False)


def s3_address(address: str) -> S3Address:
    """Return the parts of an address that a person named.

    Raises:
        InputError: It is none, lacks the key, or would be reached without encryption.
    """
    try:
        parts = urlsplit(address.strip())
        options = dict(parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query)))
        login, _, bucket = parts.netloc.rpartition("@")
        region = options.pop("region", DEFAULT_REGION)
        scheme, host, server, path = _endpoint(options.pop("endpoint", ""), bucket, region)
    except ValueError:
        raise InputError(_NO_ADDRESS, field="place") from None
    key, _, secret = (unquote(part) for part in login.partition(":"))
    is_whole = bool(key and secret and _BUCKET.fullmatch(bucket) and _REGION.fullmatch(region))
    if not is_whole or options or parts.fragment or "@" in parts.path:
        raise InputError(_NO_ADDRESS, field="place")
    require_encryption(scheme, server)
    prefix = unquote(parts.path.strip("/"))
    return S3Address(host, f"{scheme}://{host}{path}", f"{prefix}/" if prefix else "", region, server, key, secret)


def _endpoint(endpoint: str, bucket: str, region: str) -> tuple[str, str, str, str]:
    """Return scheme, host, name and path by which a bucket is reached."""
    if not endpoint:
        own = f"s3.{region}.amazonaws.com"
        if "." in bucket:  # no certificate holds for such a name
            return "https", own, own, f"/{bucket}/"
        return "https", f"{bucket}.{own}", f"{bucket}.{own}", "/"
    parts = urlsplit(endpoint)
    server = parts.hostname
    if parts.scheme not in ("https", "http") or not server or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError
    host = f"[{server}]" if ":" in server else server
    if parts.port not in (None, 443 if parts.scheme == "https" else 80):
        host = f"{host}:{parts.port}"
    path = quote(parts.path.strip("/"), safe="/%")
    return parts.scheme, host, server, f"/{path}/{bucket}/" if path else f"/{bucket}/"
