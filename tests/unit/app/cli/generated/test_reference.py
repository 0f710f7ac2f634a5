"""Reference pages: generated from the declarations and up to date."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from app.api.catalogue import declared
from app.cli.generated import window_calls
from app.cli.generated.man_page import man_page
from app.cli.generated.reference import (
    command_declarations,
    operation_declarations,
    operation_lines,
    pages,
    verbs,
    write_reference,
)
from app.cli.root import commands_by_hand
from app.cli.verbs import declarations
from app.config.schema import SETTINGS
from app.core import declared_operations
from app.core.paths import resources
from app.errors import UnknownOperationError
from app.retrieval.query.parser import operators, parse

HELP = resources() / "help"
NOW_MS = 1_790_000_000_000


@pytest.mark.parametrize("name", ["operations", "settings", "commands"])
def test_the_committed_page_is_current(name: str) -> None:
    committed = (HELP / f"{name}.md").read_text(encoding="utf-8")
    assert committed == pages(commands_by_hand())[name], "run 'keepsake docs'"


def test_the_committed_calls_of_the_window_are_current() -> None:
    assert window_calls.path().read_text(encoding="utf-8") == window_calls.window_calls(), "run 'keepsake docs'"


def test_the_committed_manual_page_is_current() -> None:
    committed = (resources() / "man" / "keepsake.1").read_text(encoding="utf-8")
    assert committed == man_page(commands_by_hand(), verbs()), "run 'keepsake docs'"


@pytest.mark.skipif(shutil.which("man") is None, reason="needs man")
def test_the_manual_page_is_shown_without_a_warning() -> None:
    page = str(resources() / "man" / "keepsake.1")
    done = subprocess.run(["man", "--warnings", "-l", page], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "keepsake note save" in done.stdout


def test_the_committed_declarations_of_commands_are_current() -> None:
    committed = declarations.path().read_text(encoding="utf-8")
    assert committed == command_declarations(commands_by_hand()), "run 'keepsake docs'"


def test_the_committed_declarations_for_clients_are_current() -> None:
    committed = declared_operations.path().read_text(encoding="utf-8")
    assert committed == operation_declarations(), "run 'keepsake docs'"


def test_everything_declared_is_documented(tmp_path: Path) -> None:
    written = {path.stem: path.read_text(encoding="utf-8") for path in write_reference(tmp_path / "new")}
    for item in declared():
        assert f"### {item.name}\n" in written["operations"]
        assert item.summary
    for setting in SETTINGS:
        assert f"### {setting.name}\n" in written["settings"]


def test_one_operation_is_explained_and_all_are_listed() -> None:
    assert operation_lines("note.get")[0].startswith("note.get: ")
    assert len(operation_lines()) == len(list(declared()))
    with pytest.raises(UnknownOperationError):
        operation_lines("no.such")


def test_every_example_of_a_search_is_understood() -> None:
    text = (HELP / "search.md").read_text(encoding="utf-8")
    examples = re.findall(r"^\| `(.+?)` \|", text, re.MULTILINE)
    for example in examples:
        assert parse(example, NOW_MS).hints == ()
    for operator in operators():
        # People and things are not linked yet, so their operator is not advertised.
        assert operator.name == "entity" or any(f"{operator.name}:" in example for example in examples)


def test_every_link_between_pages_leads_somewhere() -> None:
    for page in HELP.glob("*.md"):
        for target in re.findall(r"\]\((\w[\w-]*\.md)\)", page.read_text(encoding="utf-8")):
            assert (HELP / target).is_file(), f"{page.name} links to {target}"


def test_every_page_has_a_title() -> None:
    for page in HELP.glob("*.md"):
        assert page.read_text(encoding="utf-8").startswith("# ")
