"""Feature switching of PySide: names such as ``snake_case``, which Keepsake never switches on."""

import sys
from typing import Final

_SEARCH: Final = "_mod_uses_pyside"


def ignore_features() -> None:
    """Let imports pass without the search for modules that could switch features.

    For that search PySide reads the source of each module imported after it and keeps it in memory: a tenth of a
    second and some megabytes. A module without source, as in a bundle, gets the same answer as all get here.
    """
    feature = sys.modules.get("shibokensupport.feature")
    if feature is not None and hasattr(feature, _SEARCH):
        setattr(feature, _SEARCH, _has_features)


def _has_features(_module: object) -> bool:
    return False
