"""Prose: how many sentences a text has."""

import pytest

from app.retrieval.query.intent import count_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("...", 1),
        ("oak tables", 1),
        ("When did Ana go to Lisbon?", 1),
        ("How often do I see Dr. Johnson?", 1),
        ("It costs 3.50 at example.com", 1),
        ("I'm back. What's next", 2),
        ('He said "stop!" Then he left.', 2),
        ("Hi! I am done... What now?!", 3),
        ("我回来了。接下来做什么？", 2),
        ("Done.\n\nNext, please!", 2),
        ("Is it red? No. Then what?", 3),
    ],
)
def test_sentences_are_counted(text: str, count: int) -> None:
    assert count_sentences(text) == count
