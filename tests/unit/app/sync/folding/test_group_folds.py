"""Facts of one key, entities of one name and messages of one conversation are settled without a change of their own."""

from itertools import count

from app.sync.folding.group_folds import FactGroups, fold_entities, fold_facts, fold_messages
from app.sync.segments.change import ERASE, Change
from tests.unit.app.sync.devices import ENTITY, MEMORY, Device, exchange

TIMES = count(1_000)


def fact(device: Device, target: str, content: str, **fields: object) -> Change:
    state = {**MEMORY, "kind": "fact", "category": "home", "key": "city", "content": content, **fields}
    return device.write(next(TIMES), "memory", target, "ADD", state)


def facts(*devices: Device) -> FactGroups:
    exchange(*devices)
    assert devices[0].folded == devices[-1].folded
    return fold_facts(devices[0].folded.values())


def entity(device: Device, target: str, name: str, **fields: object) -> None:
    device.write(next(TIMES), "entity", target, "ADD", {**ENTITY, "name": name, **fields})


def entities(*devices: Device) -> dict[str, str]:
    exchange(*devices)
    return fold_entities(devices[0].folded.values(), str.casefold)


def test_of_two_facts_of_one_key_the_later_holds_until_it_is_deleted() -> None:
    one, other = Device(1), Device(2)
    fact(one, "a", "Rome")
    fact(other, "b", "Paris")
    fact(one, "c", "Bern", store="private")
    fact(one, "d", "Oslo", key="job")
    assert facts(one, other) == FactGroups({"a": "b"}, (("b", "a"),))
    other.write(next(TIMES), "memory", "b", "DELETE", None)
    assert facts(one, other) == FactGroups({}, ())


def test_a_fact_that_knew_the_other_does_not_contradict_it() -> None:
    one, other = Device(1), Device(2)
    fact(one, "a", "Rome")
    exchange(one, other)
    fact(other, "b", "Paris")
    assert facts(one, other) == FactGroups({"a": "b"}, ())
    other.edit(next(TIMES), "a", deleted_at=5, superseded_by="b")
    assert facts(one, other) == FactGroups({}, ())


def test_a_fact_holds_by_what_it_says_not_by_its_tags() -> None:
    one, other = Device(1), Device(2)
    fact(one, "a", "Rome")
    exchange(one, other)
    one.edit(next(TIMES), "a", deleted_at=5, superseded_by="b")
    fact(one, "b", "Paris")
    other.edit(next(TIMES), "a", tags=["x"])
    assert facts(one, other) == FactGroups({}, ())
    assert one.folded["memory", "a"].notices == ()


def test_a_fact_stated_anew_while_another_took_its_place_contradicts_it() -> None:
    one, other = Device(1), Device(2)
    fact(one, "a", "Rome")
    exchange(one, other)
    one.edit(next(TIMES), "a", deleted_at=5, superseded_by="b")
    fact(one, "b", "Paris")
    other.edit(next(TIMES), "a", content="Rome, Monti")
    assert facts(one, other) == FactGroups({"b": "a"}, (("a", "b"),))


def test_of_two_entities_of_one_name_the_smaller_id_stays() -> None:
    one, other = Device(1), Device(2)
    entity(one, "e2", "Ann")
    entity(other, "e1", "ANN")
    entity(other, "e3", "Ann", type="place")
    entity(other, "e0", "Ann", attributes={"retired": True})
    assert entities(one, other) == {"e2": "e1"}
    one.write(next(TIMES), "entity", "e1", ERASE, None)
    assert entities(one, other) == {}


def test_merges_lead_to_their_end_and_circles_to_the_smallest_id() -> None:
    one, other = Device(1), Device(2)
    for number in range(5):
        entity(one, f"e{number}", f"name {number}")
    exchange(one, other)
    one.edit(next(TIMES), "e1", kind="entity", merged_into="e2")
    other.edit(next(TIMES), "e2", kind="entity", merged_into="e1")
    one.edit(next(TIMES), "e0", kind="entity", merged_into="e2")
    other.edit(next(TIMES), "e3", kind="entity", merged_into="unknown")
    other.edit(next(TIMES), "e4", kind="entity", name="Name 1")
    assert entities(one, other) == {"e0": "e1", "e2": "e1", "e4": "e1"}


def test_messages_are_in_one_order_everywhere_and_an_import_is_one() -> None:
    one, other = Device(1), Device(2)

    def say(device: Device, target: str) -> Change:
        return device.write(next(TIMES), "message", target, "ADD", {"content": target})

    said = [say(one, "s#1")]
    exchange(one, other)
    said.append(say(other, "s#2"))
    order = fold_messages(other.log.values())
    assert (order.messages, order.is_mixed) == (tuple(said), False)
    say(one, "imported")
    say(other, "imported")
    exchange(one, other)
    orders = [fold_messages(device.log.values()) for device in (one, other)]
    assert orders[0] == orders[1]
    assert orders[0].is_mixed
    assert [change.target for change in orders[0].messages] == ["s#1", "s#2", "imported"]
    one.write(next(TIMES), "message", "s#2", ERASE, None)
    assert [change.target for change in fold_messages(one.log.values()).messages] == ["s#1", "imported"]
