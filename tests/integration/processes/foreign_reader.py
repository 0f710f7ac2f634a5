"""Program that is not Keepsake and reads the database, again and again, with Python's own SQLite.

Run as ``python -m tests.integration.processes.foreign_reader DATABASE LOG``, until it is killed. LOG has a line for
each time that the database was not whole for it.
"""

import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

PAUSE_S = 0.1


def main() -> None:
    """Open, count and close."""
    database, log = sys.argv[1:]
    with Path(log).open("a", encoding="utf-8") as file:
        while True:
            try:
                with closing(sqlite3.connect(database, timeout=5)) as connection:
                    connection.execute("SELECT count(*) FROM memories").fetchone()
            except sqlite3.OperationalError:
                pass  # it is locked, or not there yet
            except sqlite3.DatabaseError as error:
                file.write(f"fault\tforeign reader\t{error}\n")
                file.flush()
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
