"""The order of undoing is a stack, made again from what was recorded."""

from hypothesis import given
from hypothesis import strategies as st

from app.history.acts.undo_order import OwnAct, next_steps

CHOICES = st.lists(st.sampled_from(["do", "undo", "redo"]), max_size=40)


def test_undoing_goes_back_step_by_step_and_forward_again() -> None:
    acts = [OwnAct("a"), OwnAct("b"), OwnAct("undo-b", "b"), OwnAct("undo-a", "a")]
    assert next_steps(acts) == ([], ["undo-b", "undo-a"])
    acts.append(OwnAct("redo-a", "undo-a"))
    assert next_steps(acts) == (["redo-a"], ["undo-b"])
    acts.append(OwnAct("c"))
    assert next_steps(acts) == (["redo-a", "c"], [])


def test_undoing_an_older_act_is_an_act_of_its_own() -> None:
    acts = [OwnAct("a"), OwnAct("b"), OwnAct("undo-a", "a")]
    assert next_steps(acts) == (["b", "undo-a"], [])


def test_undoing_what_another_did_is_an_act_of_its_own() -> None:
    assert next_steps([OwnAct("a"), OwnAct("undo-run", "run")]) == (["a", "undo-run"], [])


@given(CHOICES)
def test_it_agrees_with_two_stacks(choices: list[str]) -> None:
    acts: list[OwnAct] = []
    undo: list[str] = []
    redo: list[str] = []
    for number, choice in enumerate(choices):
        name = str(number)
        if choice == "do":
            acts.append(OwnAct(name))
            undo.append(name)
            redo.clear()
        elif choice == "undo" and undo:
            acts.append(OwnAct(name, undo.pop()))
            redo.append(name)
        elif choice == "redo" and redo:
            acts.append(OwnAct(name, redo.pop()))
            undo.append(name)
    assert next_steps(acts) == (undo, redo)
