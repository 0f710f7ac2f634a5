"""S3 servers that are thrown away: one on files, and moto, which keeps everything in memory."""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import quote
from uuid import uuid4

from app.sync.exchanges.s3_address import s3_address
from app.sync.exchanges.s3_client import S3Client
from tests.helpers.sample_data import ROOT
from tests.helpers.servers.ports import free_port, until_it_listens

KEY, SECRET = "AKIAKEEPSAKE", "an open secret: @/+#"
ANY: Final = re.compile(r".+").fullmatch
_PROGRAM: Final = "import sys; from moto.server import main; main(sys.argv[1:])"


def has_moto() -> bool:
    """Return whether moto and what serves it are in this environment."""
    return find_spec("moto") is not None and find_spec("flask_cors") is not None


class S3Server:
    """A server on files; nothing is kept after ``close``."""

    def __init__(self) -> None:
        self._base = Path(tempfile.mkdtemp(prefix="kt-s3-"))
        self.port = free_port()
        try:
            self.start()
        except BaseException:
            self.close()
            raise

    def command(self) -> list[str]:
        """Return the server's command line."""
        return [sys.executable, "-m", "tests.helpers.servers.s3_process", str(self._base), str(self.port), KEY, SECRET]

    def make_bucket(self, bucket: str) -> None:
        """Make an empty bucket."""
        (self._base / bucket).mkdir()

    def start(self) -> None:
        """Start the server, and return once it answers."""
        self._process = subprocess.Popen(self.command(), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_it_listens(self.port, self._process)

    def kill(self) -> None:
        """End the server at once, as a crash does."""
        self._process.kill()
        self._process.wait()

    @contextmanager
    def silent(self) -> Iterator[None]:
        """Let the server take connections and say nothing in a block."""
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def address(self, bucket: str, prefix: str = "", port: int = 0, secret: str = SECRET) -> str:
        """Return the address of a bucket."""
        endpoint = quote(f"http://127.0.0.1:{port or self.port}", safe="")
        return f"s3://{KEY}:{quote(secret, safe='')}@{bucket}/{prefix}?endpoint={endpoint}"

    def new_place(self, port: int = 0) -> str:
        """Make an empty bucket and return the address of a prefix in it."""
        bucket = f"memory-{uuid4().hex[:12]}"
        self.make_bucket(bucket)
        return self.address(bucket, "our%20memory/für", port)

    def contents(self, address: str) -> Iterator[tuple[str, bytes]]:
        """Yield the names and bytes of what stands under an address."""
        with S3Client(s3_address(address)) as client:
            for vault in client.names("keepsake-v1/", ANY):
                for lane in client.names(f"keepsake-v1/{vault}/", ANY):
                    for name in client.names(f"keepsake-v1/{vault}/{lane}/", ANY):
                        key = f"keepsake-v1/{vault}/{lane}/{name}"
                        yield key, client.get(key) or b""

    def close(self) -> None:
        """End the server and remove what it kept."""
        self.kill()
        shutil.rmtree(self._base, ignore_errors=True)


class MotoServer(S3Server):
    """Moto, which answers in Amazon's own words and looks at no signature."""

    def command(self) -> list[str]:
        """Return the server's command line."""
        return [sys.executable, "-c", _PROGRAM, "-H", "127.0.0.1", "-p", str(self.port)]

    def make_bucket(self, bucket: str) -> None:
        """Make an empty bucket."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{bucket}", method="PUT")
        urllib.request.urlopen(request).close()
