"""``keepsake mcp``: serves memory to an MCP client."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from app.mcp.early_answers import EarlyAnswers
from app.mcp.options import McpOptions
from app.mcp.stdio_front import StdioFront


def serve_mcp(options: McpOptions) -> int:
    """Serve until the client leaves or a signal comes; return the exit status.

    Raises:
        KeepsakeError: HTTP cannot be served at the address.
    """
    if options.http:
        with _without_collection():
            from app.mcp.http_server import run as run_http  # noqa: PLC0415

        run_http(options)
        return 0
    front = StdioFront(EarlyAnswers(options.profile))
    front.start()
    # The library is loaded once the first request is answered: loading would hold the answer up.
    front.has_input.wait()
    with _without_collection():
        from app.mcp.stdio_server import run  # noqa: PLC0415

    run(front, options)
    return 0


@contextmanager
def _without_collection() -> Iterator[None]:
    """Load modules without a search for garbage, a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
