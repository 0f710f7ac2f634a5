"""Agents of conversations, read once and then known."""

import apsw
import numpy as np

from app.index.columns.chunk_columns import last_chunk
from app.index.columns.index_cache import IndexCache
from app.index.columns.session_agents import SessionAgents
from tests.unit.app.vault_harness import VaultHarness


def agents_of(vault_harness: VaultHarness, index_cache: IndexCache, agents: SessionAgents, *sessions: str) -> list[str]:
    def work(connection: apsw.Connection) -> list[str]:
        columns = index_cache.columns(connection, last_chunk(connection))
        owner = np.array([columns.numbers[session] for session in sessions], dtype=np.int64)
        return [agents.names[place] for place in agents.of(connection, columns, owner).tolist()]

    return vault_harness.do(vault_harness.store.read(work))


def test_each_is_known_and_later_ones_too(vault_harness: VaultHarness) -> None:
    index_cache, agents = IndexCache(), SessionAgents()
    vault_harness.say("one", session="a", agent="Atlas")
    vault_harness.say("two", session="b")
    assert agents_of(vault_harness, index_cache, agents, "b", "a", "b") == ["", "Atlas", ""]
    vault_harness.say("three", session="c", agent="Juniper")
    vault_harness.say("four", session="d", agent="Atlas")
    assert agents_of(vault_harness, index_cache, agents, "d", "c", "a", "b") == ["Atlas", "Juniper", "Atlas", ""]
    assert agents_of(vault_harness, index_cache, agents) == []
    assert agents.names == ["", "Atlas", "Juniper"]


def test_what_was_read_is_not_read_again(vault_harness: VaultHarness) -> None:
    index_cache, agents = IndexCache(), SessionAgents()
    vault_harness.say("one", session="a", agent="Atlas")
    assert agents_of(vault_harness, index_cache, agents, "a") == ["Atlas"]
    vault_harness.do(
        vault_harness.store.write(lambda connection: connection.execute("UPDATE sessions SET agent = 'Juniper'"))
    )
    assert agents_of(vault_harness, index_cache, agents, "a") == ["Atlas"]
