"""Lazy modules are imported when they are first used, and not before."""

import subprocess
import sys

import pytest

from app.core.process.lazy_module import LazyModule


def test_names_of_the_module_are_found() -> None:
    assert LazyModule("json").dumps([1]) == "[1]"
    with pytest.raises(AttributeError):
        _ = LazyModule("json").nothing


def test_the_search_service_does_not_load_numpy() -> None:
    code = "import sys, app.engine; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
