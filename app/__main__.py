"""``keepsake`` and ``python -m app``."""

import os
import sys
from collections.abc import Sequence
from types import FrameType

from app import __version__

_COMPLETING = "_KEEPSAKE_COMPLETE"  # set by a shell that asks what may stand next


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        # What scripts ask most is answered before anything is loaded.
        sys.stdout.write(f"keepsake {__version__}\n")
        return 0
    if "mcp" in arguments[:3]:
        from app.mcp.options import quick_options  # noqa: PLC0415

        if (options := quick_options(arguments)) is not None:
            from app.mcp.command import serve_mcp  # noqa: PLC0415

            return serve_mcp(options)
    if _COMPLETING in os.environ:
        from app.cli.completion import print_candidates  # noqa: PLC0415

        print_candidates(os.environ[_COMPLETING].removeprefix("complete_"))
        return 0
    from app.cli.quick.quick_start import run_quickly  # noqa: PLC0415

    if (status := run_quickly(arguments)) is not None:
        return status
    from app.cli import terminal  # noqa: PLC0415
    from app.cli.command_line import run  # noqa: PLC0415
    from app.cli.error_output import Boundary  # noqa: PLC0415

    debug = "--debug" in arguments
    _prepare(debug=debug)
    terminal.prepare()
    with Boundary(debug=debug) as boundary:
        boundary.status = run(arguments)
        terminal.flush()
    return boundary.status


def _prepare(*, debug: bool) -> None:
    import logging  # noqa: PLC0415
    import signal  # noqa: PLC0415
    import warnings  # noqa: PLC0415

    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, format="keepsake: %(message)s")
    if not debug and not sys.warnoptions:
        warnings.simplefilter("ignore")
    signal.signal(signal.SIGTERM, _on_terminated)


def _on_terminated(number: int, _frame: FrameType | None) -> None:
    # As an exception, so that an open vault is closed on the way out.
    sys.exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
