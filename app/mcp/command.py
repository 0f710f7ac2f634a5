"""``keepsake mcp``: serves memory to an MCP client."""

from app.mcp.early_answers import EarlyAnswers
from app.mcp.options import McpOptions
from app.mcp.stdio_front import StdioFront


def serve_mcp(options: McpOptions) -> int:
    """Serve until the client leaves or a signal comes; return the exit status.

    Raises:
        KeepsakeError: HTTP cannot be served at the address.
    """
    if options.http:
        from app.mcp.http_server import run as run_http  # noqa: PLC0415

        run_http(options)
        return 0
    front = StdioFront(EarlyAnswers(options.profile))
    front.start()
    # The library is loaded once the first request is answered: loading would hold the answer up.
    front.has_input.wait()
    from app.mcp.stdio_server import run  # noqa: PLC0415

    run(front, options)
    return 0
