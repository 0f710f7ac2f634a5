"""How fast and how large: appending, bulk import, search, start-up and memory, beside plain SQLite in the same run."""

from app.core.process.matrix_threads import use_one_thread

use_one_thread()  # as a host does; here numpy is loaded before there is one
