"""A question that mixes people up is told to have no answer here."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from app.host import Host
from app.retrieval.model import RankedCandidate, Why
from app.retrieval.results.unanswered import NOTE, is_unanswered


def ranked(*results: tuple[float, float]) -> Sequence[RankedCandidate]:
    return [
        RankedCandidate(f"s#{number}", number, score, Why(features={"speaker": speaker} if speaker else {}))
        for number, (score, speaker) in enumerate(results)
    ]


@pytest.mark.parametrize(
    ("results", "is_flagged"),
    [
        ([(8.0, 0.0), (7.0, 1.1)], True),  # 8 against 5.9
        ([(8.0, 0.0), (7.9, 1.1)], False),
        ([(8.0, 1.1), (4.0, 0.0)], False),
        ([(8.0, 0.0), (4.0, 0.0)], False),  # nobody who is named speaks here
        ([], False),
    ],
)
def test_what_others_said_is_no_answer(results: list[tuple[float, float]], is_flagged: bool) -> None:
    assert is_unanswered(ranked(*results)) == is_flagged


def test_the_note_stands_with_the_hits(vault: Path) -> None:
    said = [
        ("Rosa", "My charity race on Sunday was hard, and it made me think about looking after myself."),
        ("Iben", "Well done! I painted the kitchen green."),
        ("Rosa", "Green is a lovely colour. How did you mix it?"),
        ("Iben", "Two pots, and a lot of luck with the weather."),
    ]
    host = Host(vault, serve=False)
    host.start()
    try:
        messages = [{"role": "user", "author": author, "content": text} for author, text in said]
        host.ask("session.append", session="race", messages=messages)
        host.ask("vault.settle")
        mixed_up = host.ask("memory.search", query="What did Iben think about after the charity race on Sunday?")
        right = host.ask("memory.search", query="What did Rosa think about after the charity race on Sunday?")
    finally:
        host.stop()
    assert (NOTE in mixed_up.notes, NOTE in right.notes) == (True, False)
    assert mixed_up.hits[0].author == "Rosa"
