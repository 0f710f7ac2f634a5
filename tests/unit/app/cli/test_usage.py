"""Mistyped commands."""

import pytest

from app.__main__ import main


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [(["serch", "x"], "search"), (["backup", "vrify"], "verify"), (["note", "lst"], "list"), (["qqq"], "")],
)
def test_a_mistyped_command_names_the_one_that_is_like_it(
    typed: list[str], wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(typed) == 2
    said = capsys.readouterr().err
    assert said.startswith("keepsake: No such command ")
    assert ("(did you mean " in said) == bool(wanted)
    assert f"(did you mean {wanted}?)" in said or not wanted
