"""S3 storage on files as a process: ``python -m tests.helpers.servers.s3_process FOLDER PORT KEY SECRET``.

It knows what Keepsake asks for, checks each signature, and gives listings in small pages.
"""

import hashlib
import os
import sys
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit
from uuid import uuid4

from app.sync.exchanges.s3_address import S3Address
from app.sync.exchanges.s3_signature import signed_headers
from tests.helpers.servers.http_between import answered

MOST_KEYS: Final = 20
"""Keys on one page of a listing."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request after another of a connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    folder: Path
    key: str
    secret: str

    def answer(self) -> None:
        """Answer a request, if it is signed."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        bucket, _, key = urlsplit(self.path).path[1:].partition("/")
        if not self._is_signed(data):
            self._refuse(403, "SignatureDoesNotMatch")
        elif not (self.folder / bucket).is_dir():
            self._refuse(404, "NoSuchBucket")
        elif not key:
            self._list(self.folder / bucket)
        else:
            self._serve(self.folder / bucket / quote(unquote(key), safe=""), data)

    do_GET = do_PUT = do_DELETE = answer  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""
        del format, args

    def _is_signed(self, data: bytes) -> bool:
        with suppress(ValueError):
            at = datetime.strptime(self.headers.get("x-amz-date", ""), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            host = self.headers["Host"]
            signer = S3Address(host, "", "", "us-east-1", "", self.key, self.secret)
            headers = signed_headers(signer, self.command, f"http://{host}{self.path}", data, at)
            return all(self.headers.get(name) == value for name, value in headers.items())
        return False

    def _serve(self, path: Path, data: bytes) -> None:
        if self.command == "GET":
            try:
                answered(self, 200, path.read_bytes(), {"Content-Type": "binary/octet-stream"})
            except FileNotFoundError:
                self._refuse(404, "NoSuchKey")
        elif self.command == "DELETE":
            path.unlink(missing_ok=True)
            answered(self, 204)
        else:
            self._put(path, data)

    def _put(self, path: Path, data: bytes) -> None:
        unfinished = path.parent.parent / uuid4().hex
        unfinished.write_bytes(data)
        try:
            if self.headers.get("If-None-Match") == "*":
                os.link(unfinished, path)
                unfinished.unlink()
            else:
                unfinished.replace(path)
        except FileExistsError:
            unfinished.unlink()
            self._refuse(412, "PreconditionFailed")
        else:
            answered(self, 200, headers={"ETag": f'"{hashlib.md5(data).hexdigest()}"'})

    def _list(self, folder: Path) -> None:
        options = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        prefix, after = options.get("prefix", ""), options.get("continuation-token", "")
        keys = (unquote(path.name) for path in folder.iterdir())
        rests = {key.removeprefix(prefix) for key in keys if key.startswith(prefix)}
        entries = sorted({rest.partition("/")[0] + rest.partition("/")[1] for rest in rests} - {""})
        entries = [entry for entry in entries if entry > after]
        parts = [
            f"<CommonPrefixes><Prefix>{quote(prefix + entry)}</Prefix></CommonPrefixes>"
            if entry.endswith("/")
            else f"<Contents><Key>{quote(prefix + entry)}</Key></Contents>"
            for entry in entries[:MOST_KEYS]
        ]
        if len(entries) > MOST_KEYS:
            parts.append(f"<IsTruncated>true</IsTruncated><NextContinuationToken>{entries[MOST_KEYS - 1]}"
                         "</NextContinuationToken>")  # fmt: skip
        answered(self, 200, f"<ListBucketResult>{''.join(parts)}</ListBucketResult>".encode())

    def _refuse(self, status: int, code: str) -> None:
        answered(self, status, f"<Error><Code>{code}</Code></Error>".encode(), {"Content-Type": "application/xml"})


def main(folder: str, port: str, key: str, secret: str) -> None:
    """Serve the buckets in a folder until the process is killed."""
    Handler.folder, Handler.key, Handler.secret = Path(folder), key, secret
    ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
