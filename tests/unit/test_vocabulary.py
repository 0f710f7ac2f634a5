"""Names and first lines of docstrings keep to the glossary."""

import pytest

from tests.helpers.vocabulary import ROOT, problems

# Folders with older sentences; each leaves this list when it is put in order.
OLDER = frozenset(("memories", "jobs.py", "changes.py", "errors.py", "schedule", "mcp", "llm"))
FOLDERS = sorted(
    path.relative_to(ROOT).as_posix()
    for top in ("app", "ui")
    for path in (ROOT / top).iterdir()
    if (path.is_dir() or path.suffix == ".py") and path.name not in OLDER and path.name != "__pycache__"
)


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_and_docstrings_keep_to_the_glossary(folder: str) -> None:
    assert "\n".join(problems(folder)) == ""
