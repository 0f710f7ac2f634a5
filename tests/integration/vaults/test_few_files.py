"""A process that may open few files says so, whatever it was opening."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import MachineError

resource = pytest.importorskip("resource")
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("count", [7, 8, 10, 11])
def test_what_cannot_be_opened_for_lack_of_files_is_no_fault_of_the_vault(vault: Path, count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "--vault", str(vault), "note", "list"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count)),
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == MachineError.exit_status, done.stderr
    assert re.search("too many (open )?files", done.stderr, re.IGNORECASE)
    assert "yours" not in done.stderr
