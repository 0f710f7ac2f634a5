"""Facts of one key and searches of one query on two machines: one holds."""

from tests.integration.sync.machines import Machine, settle

FACTS = "SELECT content FROM memories WHERE kind = 'fact' AND valid_until IS NULL"
SEARCHES = "SELECT name FROM saved_searches WHERE deleted_at IS NULL"


def fact(machine: Machine, value: str) -> str:
    machine.ask("fact.set", category="home", key="city", value=value)
    [(identity,)] = machine.rows("SELECT id FROM memories WHERE kind = 'fact' AND valid_until IS NULL")
    return str(identity)


def test_a_fact_whose_key_another_one_has_is_archived(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    first = fact(one, "Riga")
    fact(one, "Oslo")
    settle(one, other)
    one.ask("archive.put", ids=[first])
    settle(one, other)
    assert one.rows(FACTS) == other.rows(FACTS) == [("Oslo",)]
    assert [row[0] for row in other.rows("SELECT id FROM memory_archive")] == [first]
    assert [found.preview for found in other.ask("archive.list")] == ["Riga"]


def test_a_fact_leaves_the_archive_of_a_machine_where_its_key_is_another_ones(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    first = fact(one, "Riga")
    one.ask("archive.put", ids=[first])
    settle(one, other)
    other.ask("archive.restore", id=first)
    fact(one, "Oslo")
    settle(one, other)
    assert len(one.rows(FACTS)) == 1
    assert one.rows("SELECT 1 FROM memory_archive") == other.rows("SELECT 1 FROM memory_archive") == []


def test_a_fact_takes_the_key_of_one_that_is_forgotten_for_ever(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    first = fact(one, "Riga")
    settle(one, other)
    one.ask("memory.forget_forever", ids=[first], confirm=True)
    fact(one, "Oslo")
    one.sync()
    assert other.sync().waiting == ""
    settle(one, other)
    assert other.rows(FACTS) == [("Oslo",)]


def test_who_deletes_a_search_deletes_all_of_its_query_that_they_know_of(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    for machine in joined:
        machine.ask("saved_search.save", query="heron", name=machine.vault.name)
    settle(one, other)
    [(search,)] = one.rows("SELECT id FROM saved_searches WHERE deleted_at IS NULL")
    one.ask("saved_search.delete", id=search)
    settle(one, other)
    assert one.rows(SEARCHES) == other.rows(SEARCHES) == []
    [(entry,)] = other.rows("SELECT max(id) FROM memory_history WHERE target = ?", search)
    other.ask("memory.undo", history_ids=[entry])
    settle(one, other)
    assert len(one.rows(SEARCHES)) == 1


def test_a_search_that_was_saved_beside_the_deletion_of_another_stays(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("saved_search.save", query="heron", name="of one")
    [(search,)] = one.rows("SELECT id FROM saved_searches")
    one.ask("saved_search.delete", id=search)
    other.ask("saved_search.save", query="heron", name="of other")
    settle(one, other)
    assert one.rows(SEARCHES) == other.rows(SEARCHES) == [("of other",)]
