"""Session frequencies count messages that contain a term, whenever these arrived."""

import apsw
import pytest

from app.index.columns import posting_cache as module
from app.index.columns.chunk_columns import last_chunk
from app.index.columns.index_cache import IndexCache
from app.retrieval.query.match_expression import quote
from tests.unit.app.vault_harness import VaultHarness


def counted(vault_harness: VaultHarness, index_cache: IndexCache, word: str) -> dict[str, tuple[int, int]]:
    """Return for each session how many messages, and how many user messages, contain a word."""

    def work(connection: apsw.Connection) -> dict[str, tuple[int, int]]:
        last = last_chunk(connection)
        columns = index_cache.columns(connection, last)
        found = index_cache.posting(connection, quote(word), word, last).session_frequency(columns)
        pairs = zip(found.messages.tolist(), found.user_messages.tolist(), strict=True)
        return dict(zip(map(columns.name, found.owner.tolist()), pairs, strict=True))

    return vault_harness.do(vault_harness.store.read(work))


def test_turns_count_once_and_what_is_no_turn_not_at_all(vault_harness: VaultHarness) -> None:
    index_cache = IndexCache()
    vault_harness.say("a heron and a heron", "no such bird", "the heron", session="pond")
    vault_harness.say("nothing", "heron", session="brook")
    vault_harness.say("heron", session="pond", role="assistant")
    vault_harness.save("a heron on paper")
    vault_harness.sync()
    assert counted(vault_harness, index_cache, "heron") == {"pond": (3, 2), "brook": (1, 1)}
    assert counted(vault_harness, index_cache, "owl") == {}


@pytest.mark.parametrize("kept", [0, 1_000])
def test_what_comes_later_counts_too(vault_harness: VaultHarness, monkeypatch: pytest.MonkeyPatch, kept: int) -> None:
    monkeypatch.setattr(module, "KEPT_IDS", kept)
    monkeypatch.setattr(module, "KEPT_SHARE", 0)
    index_cache = IndexCache()
    for number in range(1, 4):
        vault_harness.say("heron", session="pond")
        assert counted(vault_harness, index_cache, "heron")["pond"][0] == number
        assert counted(vault_harness, index_cache, "heron")["pond"][0] == number
