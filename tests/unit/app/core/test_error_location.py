"""Where a failure happened is told, what it said is not."""

from app.core.error_location import error_location


def _fails() -> None:
    try:
        {}["a person's words"]
    except KeyError as error:
        raise ValueError("more of them") from error


def test_kind_place_and_cause_without_text() -> None:
    try:
        _fails()
    except ValueError as error:
        reported = error_location(error)
    assert reported.startswith("ValueError at tests/unit/app/core/test_error_location.py:")
    assert "in _fails < tests/" in reported
    assert ", after KeyError at " in reported
    assert "words" not in reported.replace("whereabouts", "")
    assert "them" not in reported


def test_a_failure_that_never_happened() -> None:
    assert error_location(ValueError("x")) == "ValueError"
