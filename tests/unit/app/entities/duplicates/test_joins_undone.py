"""Joins of names that upkeep made are undone and done again among what a person did, in any order."""

import random

import pytest

from app.errors import KeepsakeError
from app.host import Host

TEXTS = (
    "Kenji Tanaka came to dinner, and Kenji brought tea.",
    "Kenji said it was good. Kenji Tanaka laughed.",
    "Kenji Tanaka and Lotte went to Ghent. Kenji slept.",
)


def names(host: Host) -> list[tuple[str, int]]:
    host.ask("vault.settle", names=True)
    return sorted((entity.name, entity.mentions) for entity in host.ask("entity.list", limit=200))


@pytest.mark.parametrize("seed", range(4))
def test_undoing_all_and_redoing_all_comes_to_the_same(host: Host, seed: int) -> None:
    order = random.Random(seed)
    for number, text in enumerate(TEXTS):
        host.ask("note.save", title=f"Note {number}", content=text)
    apart = names(host)
    assert ("Kenji", 3) in apart
    host.ask("upkeep.run", job="enrichment")
    assert ("Kenji Tanaka", 6) in names(host)
    joined = next(entity for entity in host.ask("entity.list") if entity.name == "Kenji Tanaka")
    host.ask("entity.rename", id=joined.id, name="Kenji T.")
    host.ask("note.save", title="Later", content="Kenji called Lotte about Ghent.")
    whole = names(host)

    def undo(*, is_redo: bool) -> int:
        """Undo one act that can be undone, or do one again; return how many were left to try."""
        acts = [act for act in host.ask("history.list", limit=200).acts if act.step is None]
        open_acts = [act for act in acts if (act.is_to_redo if is_redo else act.state == "done")]
        order.shuffle(open_acts)
        for act in open_acts:
            try:
                host.ask("history.undo", id=act.undone_by if is_redo else act.id)
            except KeepsakeError:
                continue  # another one has to be undone first, which its sentence names
            break
        else:
            assert open_acts == []
        return len(open_acts)

    while undo(is_redo=False):
        pass
    assert names(host) == []
    while undo(is_redo=True):
        pass
    assert names(host) == whole
    assert len(host.ask("note.list")) == len(TEXTS) + 1
    assert not [finding for finding in host.ask("vault.check").findings if finding.severity == "error"]
