"""The bad pair of Qt and Python is refused, and this one does not lose references."""

import sys

import pytest

from ui.process import runtime_check


@pytest.mark.parametrize(
    ("qt", "python", "refused"),
    [
        ("6.11.3", (3, 11, 7), False),
        ("6.12.0", (3, 11, 7), True),
        ("6.12.4", (3, 10, 13), True),
        ("6.12.0", (3, 12, 1), False),
        ("7.0.0", (3, 11, 9), True),
        ("7.0.0", (3, 14, 0), False),
    ],
)
def test_refusal(qt: str, python: tuple[int, ...], refused: bool) -> None:
    assert bool(runtime_check.refusal(qt, python)) is refused


def test_sentence_names_both_ways_out() -> None:
    sentence = runtime_check.refusal("6.12.0", (3, 11, 7))
    assert "6.11.2" in sentence
    assert "3.12" in sentence


def test_this_pair_runs() -> None:
    runtime_check.check()


def test_void_calls_keep_their_references(qtbot: object) -> None:
    from PySide6.QtWidgets import QLabel

    label = QLabel()
    before = sys.getrefcount(None)
    for number in range(1000):
        label.setText(str(number))
    assert sys.getrefcount(None) - before >= -5
    label.deleteLater()
