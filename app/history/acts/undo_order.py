"""Order of undoing: the acts that a person would undo next, and do again.

A pure function over the recorded acts, so that it gives the same after a restart.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OwnAct:
    """An act of the person, and the one that it undid, if any."""

    id: str
    undoes: str = ""


def next_steps(acts: Iterable[OwnAct]) -> tuple[list[str], list[str]]:
    """Return the acts to undo and to do again, the next one last.

    Undoing the latest own act is a step back, which can be done again until something else is done. Undoing anything
    else, such as an older act or that of an agent, is an act of its own.

    Args:
        acts: What the person did, oldest first.
    """
    undo: list[str] = []
    redo: list[str] = []
    for act in acts:
        if undo and act.undoes == undo[-1]:
            undo.pop()
            redo.append(act.id)
        elif redo and act.undoes == redo[-1]:
            redo.pop()
            undo.append(act.id)
        else:
            undo = [one for one in undo if one != act.undoes]
            undo.append(act.id)
            redo.clear()
    return undo, redo
