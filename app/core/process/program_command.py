"""Command that starts this program as another process."""

import sys


def program_command() -> list[str]:
    """Return the packaged program, or Python and the module that it runs."""
    if getattr(sys, "frozen", False):
        return [sys.executable]
    return [sys.executable, "-m", __name__.removesuffix(".core.process.program_command")]
