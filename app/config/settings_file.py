"""Copies of a vault's settings file."""

from pathlib import Path

from app.config.layers import MAX_BYTES
from app.core.files import from_os, replace_file
from app.core.regular_files import open_for_reading
from app.store.backup import keep_name


def copy_settings(source: Path, target: Path) -> None:
    """Copy a settings file to ``target``, whole or not at all, for its owner only."""
    try:
        with open_for_reading(source) as file:
            data = file.read(MAX_BYTES)
        replace_file(target, data)
        keep_name(target)
    except OSError as error:
        raise from_os(error, target) from error
