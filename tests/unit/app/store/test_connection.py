"""Connections load the vector extension, and nothing besides."""

import subprocess
import sys

_CODE = """
import sys
import apsw
from app.store.connection import load_vectors
connection = apsw.Connection(":memory:")
load_vectors(connection)
print(connection.execute("select vec_version()").get, bool({"numpy", "sqlite3"} & set(sys.modules)))
"""


def test_the_extension_comes_without_numpy() -> None:
    # Another thread may be importing numpy just then; two at once leave it in pieces.
    done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, text=True, check=True)
    version, has_more = done.stdout.split()
    assert version.startswith("v")
    assert has_more == "False"
