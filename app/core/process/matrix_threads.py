"""Threads of numpy's matrix products: one.

OpenBLAS would start one for each processor. They wait for one another in busy loops, which takes the processor from
the database and from searches, and the products here are small.
"""

import os


def use_one_thread() -> None:
    """Let matrix products run in their caller's thread, unless the environment says otherwise.

    Only before numpy is loaded.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
