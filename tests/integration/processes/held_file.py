"""Program that is not Keepsake and holds a lock on a file, until its standard input is closed.

Run as ``python -m tests.integration.processes.held_file HOW PATH``. It writes a line once it holds the file.
"""

import fcntl
import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def main() -> None:
    """Take the lock, and hold it."""
    how, path = sys.argv[1:]
    if how == "transaction":
        with closing(sqlite3.connect(path, isolation_level=None, timeout=60)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            wait()
            connection.execute("ROLLBACK")
        return
    with Path(path).open("rb+") as file:
        lock = fcntl.flock if how == "flock" else fcntl.lockf
        lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        wait()


def wait() -> None:
    """Say that it is held, and wait for the end."""
    sys.stdout.write("held\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
