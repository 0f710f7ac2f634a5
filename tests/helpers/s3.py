"""An S3 server that is thrown away: moto, as a process that keeps everything in memory."""

import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final
from urllib.parse import quote
from uuid import uuid4

from app.sync.exchanges.s3_address import s3_address
from app.sync.exchanges.s3_client import S3Client
from tests.helpers.ports import free_port, until_it_listens
from tests.helpers.sample_data import ROOT

KEY, SECRET = "AKIAKEEPSAKE", "an open secret: @/+#"
ANY: Final = re.compile(r".+").fullmatch
_PROGRAM: Final = "import sys; from moto.server import main; main(sys.argv[1:])"


def can_serve() -> bool:
    """Return whether the server is in this environment."""
    return find_spec("moto") is not None and find_spec("flask_cors") is not None


class S3Server:
    """A server without buckets; nothing is kept after ``close``."""

    def __init__(self) -> None:
        self.port = free_port()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, "-H", "127.0.0.1", "-p", str(self.port)],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            until_it_listens(self.port, self._process)
        except BaseException:
            self.close()
            raise

    def address(self, bucket: str, prefix: str = "", port: int = 0) -> str:
        """Return the address of a bucket."""
        endpoint = quote(f"http://127.0.0.1:{port or self.port}", safe="")
        return f"s3://{KEY}:{quote(SECRET, safe='')}@{bucket}/{prefix}?endpoint={endpoint}"

    def new_place(self) -> str:
        """Make an empty bucket and return the address of a prefix in it."""
        bucket = f"memory-{uuid4().hex[:12]}"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{bucket}", method="PUT")
        urllib.request.urlopen(request).close()
        return self.address(bucket, "our%20memory/für")

    def contents(self, address: str) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of what stands under an address."""
        with S3Client(s3_address(address)) as client:
            for vault in client.names("keepsake-v1/", ANY):
                for lane in client.names(f"keepsake-v1/{vault}/", ANY):
                    for name in client.names(f"keepsake-v1/{vault}/{lane}/", ANY):
                        key = f"keepsake-v1/{vault}/{lane}/{name}"
                        yield key, client.get(key) or b""

    def close(self) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()
