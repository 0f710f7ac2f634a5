"""Ids in answers: found by field and by shape, never in texts."""

from dataclasses import dataclass, field, is_dataclass
from typing import Any, get_args

import pytest

from app.agents.ledger.item_ids import MAX_ITEMS, _fields, is_item, item_of, items_of
from app.api.catalogue import declared
from app.api.registry import to_builtins
from app.core.ids import new_id
from app.memories.model import Link, Links

NOTE, FACT, SESSION, ENTITY = (new_id(kind) for kind in ("note", "fact", "session", "entity"))


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with an id, a text that holds one, and more answers."""

    id: str
    text: str = ""
    session_id: str | None = None
    left_out: tuple[str, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict)
    inner: "tuple[Answer, ...]" = ()


@pytest.mark.parametrize(
    "value",
    [None, 0, 1.5, True, b"note", "", "a text", [], {}, (1, 2), [["x"]], object(), Answer],
)
def test_what_has_no_ids_gives_none(value: object) -> None:
    assert items_of(value) == ((), 0)


def test_a_text_with_an_id_in_it_is_no_id() -> None:
    assert items_of([f"see {NOTE}", f"{NOTE}x", f"{NOTE}\n"]) == ((), 0)


def test_ids_are_found_by_field_and_texts_are_not_looked_at() -> None:
    inner = Answer("my-own-id", inner=(Answer(ENTITY),))
    answer = Answer(NOTE, f"- ⟦{FACT}⟧ {FACT}", SESSION, (FACT,), {"id": FACT}, (inner, inner))
    assert items_of(answer) == ((NOTE, SESSION, "my-own-id", ENTITY), 0)
    assert items_of(to_builtins({**to_builtins(answer), "attributes": {}}))[0] == (NOTE, SESSION, "my-own-id", ENTITY)
    assert items_of(Links((Link(NOTE, "one"),), (Link(FACT, "two"),))) == ((NOTE, FACT), 0)


def test_ids_that_are_the_whole_answer_are_known_by_their_shape() -> None:
    assert items_of([NOTE, "a tag", FACT]) == ((NOTE, FACT), 0)
    assert items_of(SESSION) == ((SESSION,), 0)


def test_a_turn_counts_as_its_conversation() -> None:
    assert items_of([Answer(f"{SESSION}#{seq}", session_id=SESSION) for seq in range(9)]) == ((SESSION,), 0)
    assert item_of(f"{SESSION}#3") == SESSION


def test_more_than_are_named_are_counted() -> None:
    many = [new_id("note") for _ in range(1_000)]
    assert items_of(many) == (tuple(many[:MAX_ITEMS]), 1_000 - MAX_ITEMS)
    assert items_of([Answer(SESSION)] * 100_000) == ((SESSION,), 0)


def test_runs_and_agents_are_no_items() -> None:
    assert not any(map(is_item, (new_id("run"), new_id("agent"), "note-1", "", None, f"{NOTE} ")))
    assert all(map(is_item, (NOTE, FACT, SESSION, ENTITY, f"{SESSION}#12")))


def test_the_type_of_every_answer_can_be_walked() -> None:
    kinds: set[Any] = set()
    for item in declared():
        kinds.update(kind for kind in (item.returns, *get_args(item.returns)) if is_dataclass(kind))
    assert Links in kinds
    for kind in kinds:
        assert _fields(kind) is not None
