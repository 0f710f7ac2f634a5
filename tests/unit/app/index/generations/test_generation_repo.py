"""Stored generations: their state, how long they are kept, and whether they can be searched."""

from functools import partial
from typing import Any

import apsw
import pytest

from app.embed.embedder_source import EmbedderSource
from app.embed.model import EmbeddingIdentity
from app.errors import InputError, KeepsakeError, NotFoundError
from app.index import repo
from app.index.generations import generation_repo
from app.index.vectors import vector_repo
from app.index.vectors.vector_repo import Generation
from tests.unit.app.index.index_harness import DAY_MS
from tests.unit.app.vault_harness import MoodyEmbedder, VaultHarness

OLD, NEW = EmbeddingIdentity("test", "old", 512, "1"), EmbeddingIdentity("test", "new", 512, "1")


class Books:
    """Generations of a vault, by name."""

    def __init__(self, vault_harness: VaultHarness) -> None:
        self.vault_harness = vault_harness
        self.old = self.write(lambda c: vector_repo.open_generation(c, OLD, self.now))
        self.write(lambda c: generation_repo.note_source(c, self.old, EmbedderSource("old")))

    @property
    def now(self) -> int:
        return self.vault_harness.clock.ms

    def write(self, work: Any) -> Any:
        return self.vault_harness.do(self.vault_harness.store.write(work))

    def read(self, work: Any) -> Any:
        return self.vault_harness.do(self.vault_harness.store.read(work))

    def begin(self, identity: EmbeddingIdentity = NEW, **known: Any) -> Generation:
        source = EmbedderSource(identity.model)
        made: Generation = self.write(
            partial(generation_repo.begin_building, identity=identity, source=source, now_ms=self.now, **known)
        )
        return made

    def fill(self, generation: Generation) -> None:
        """Give a generation all its vectors."""
        embedder = MoodyEmbedder()

        def work(connection: apsw.Connection) -> None:
            texts, _ = generation_repo.chunks_without_vector(connection, generation, 0, 10_000, may_send=True)
            made = [row.tobytes() for row in embedder.embed([text.text for text in texts])]
            generation_repo.store_built(connection, generation, texts, made)

        self.write(work)

    def serve(self, generation: Generation) -> None:
        self.write(partial(vector_repo.activate, generation=generation, now_ms=self.now))

    def states(self) -> dict[str, str]:
        return {row.source.model: row.state for row in self.read(generation_repo.rows)}

    def comparable(self, number: int) -> generation_repo.GenerationRow:
        row: generation_repo.GenerationRow = self.read(
            partial(generation_repo.generation_to_compare, number=number, now_ms=self.now)
        )
        return row


@pytest.fixture
def books(vault_harness: VaultHarness) -> Books:
    vault_harness.say(*[f"turn {number}" for number in range(20)])
    made = Books(vault_harness)
    made.fill(made.old)
    return made


# What cannot be searched --------------------------------------------------------------------------------------------


def test_no_such_vectors(books: Books) -> None:
    for number in (0, -1, 99):
        with pytest.raises(NotFoundError, match="no vectors with the number"):
            books.comparable(number)


def test_what_serves_is_not_compared_with_itself(books: Books) -> None:
    with pytest.raises(InputError, match="answer searches already"):
        books.comparable(books.old.id)


def test_what_is_not_complete_is_not_compared(books: Books) -> None:
    new = books.begin(waits=True)
    with pytest.raises(InputError, match=r"not complete: 0 of 20"):
        books.comparable(new.id)
    books.fill(new)
    with pytest.raises(InputError, match=r"not complete: 20 of 20"):
        books.comparable(new.id)
    assert books.write(partial(generation_repo.note_ready, generation=new))
    assert books.comparable(new.id).source.model == "new"


def test_what_was_given_up_is_not_compared(books: Books) -> None:
    new = books.begin(waits=True)
    books.fill(new)
    books.write(partial(generation_repo.note_ready, generation=new))
    books.write(generation_repo.abandon_building)
    assert books.states() == {"old": "serving", "new": "retired"}
    with pytest.raises(InputError, match="not complete"):
        books.comparable(new.id)


def test_what_lost_its_vectors_is_not_compared(books: Books) -> None:
    books.serve(books.begin())
    books.write(lambda c: c.execute(f"DELETE FROM {books.old.table}"))
    with pytest.raises(InputError, match="not complete"):
        books.comparable(books.old.id)
    books.write(lambda c: c.execute(f"DROP TABLE {books.old.table}"))
    with pytest.raises(InputError, match="not complete"):
        books.comparable(books.old.id)


@pytest.mark.parametrize(("days", "is_kept"), [(0, True), (6.99, True), (7, False), (8, False)])
def test_a_week_and_not_longer(books: Books, days: float, is_kept: bool) -> None:
    books.serve(books.begin())
    books.vault_harness.clock.ms += round(days * DAY_MS)
    assert (books.read(partial(generation_repo.previous_generation, now_ms=books.now)) is not None) == is_kept
    assert (
        books.read(partial(generation_repo.previous_generation, now_ms=books.now, number=books.old.id)) is not None
    ) == is_kept
    if is_kept:
        assert books.comparable(books.old.id).generation == books.old
    else:
        with pytest.raises(NotFoundError):
            books.comparable(books.old.id)
    assert books.write(partial(generation_repo.drop_one_expired, now_ms=books.now)) == (not is_kept)
    assert set(books.states()) == ({"old", "new"} if is_kept else {"new"})


# Waiting ------------------------------------------------------------------------------------------------------------


def test_only_what_is_to_wait_waits(books: Books) -> None:
    new = books.begin()
    assert not books.read(partial(generation_repo.waits_for_switch, generation=new))
    assert not books.write(partial(generation_repo.note_ready, generation=new))
    assert not books.read(partial(generation_repo.is_ready, generation=new))


def test_beginning_again_remembers_what_was_decided(books: Books) -> None:
    new = books.begin(waits=True)
    books.write(partial(generation_repo.note_ready, generation=new))
    assert books.begin() == new
    assert books.read(partial(generation_repo.is_ready, generation=new))
    assert books.begin(waits=False) == new
    assert not books.read(partial(generation_repo.waits_for_switch, generation=new))
    assert not books.read(partial(generation_repo.is_ready, generation=new))


def test_another_one_does_not_inherit_the_waiting(books: Books) -> None:
    books.begin(waits=True)
    other = books.begin(EmbeddingIdentity("test", "other", 16, "1"))
    assert not books.read(partial(generation_repo.waits_for_switch, generation=other))
    assert books.states() == {"old": "serving", "new": "retired", "other": "building"}


def test_let_serve_forgets_that_it_was_ready(books: Books) -> None:
    new = books.begin(waits=True)
    books.write(partial(generation_repo.note_ready, generation=new))
    books.write(generation_repo.allow_activation)
    assert not books.read(partial(generation_repo.is_ready, generation=new))


# States -------------------------------------------------------------------------------------------------------------


def test_from_beginning_to_the_way_back(books: Books) -> None:
    new = books.begin()
    assert books.states() == {"old": "serving", "new": "building"}
    assert books.read(partial(generation_repo.previous_generation, now_ms=books.now)) is None
    books.fill(new)
    books.serve(new)
    assert books.states() == {"old": "retired", "new": "serving"}
    assert books.vault_harness.rows("SELECT count(*) FROM pending_vectors") == [(0,)]
    books.vault_harness.clock.ms += DAY_MS
    books.serve(books.old)
    assert books.states() == {"old": "serving", "new": "retired"}
    former = books.read(partial(generation_repo.previous_generation, now_ms=books.now))
    assert (former.generation, former.retired_ms, former.until_ms) == (new, books.now, books.now + 7 * DAY_MS)


def test_the_way_back_to_one_of_several(books: Books) -> None:
    new = books.begin()
    books.fill(new)
    books.serve(new)
    books.vault_harness.clock.ms += DAY_MS
    other = books.begin(EmbeddingIdentity("test", "other", 512, "1"))
    books.fill(other)
    books.serve(other)
    requested = partial(generation_repo.previous_generation, now_ms=books.now)
    assert books.read(requested).generation == new
    assert books.read(partial(requested, number=books.old.id)).generation == books.old
    assert books.read(partial(requested, number=other.id)) is None
    assert books.read(partial(requested, number=99)) is None


def test_what_goes_leaves_every_generation(books: Books) -> None:
    new = books.begin()
    books.fill(new)
    books.vault_harness.forget("s")
    books.write(lambda connection: repo.delete_of_session(connection, "s"))
    assert [books.read(partial(generation_repo.count, generation=one)) for one in (books.old, new)] == [0, 0]


def test_vectors_of_a_chunk_that_went_meanwhile_are_not_stored(books: Books) -> None:
    new = books.begin()
    texts, _ = books.read(
        partial(generation_repo.chunks_without_vector, generation=new, after=0, limit=2, may_send=True)
    )
    books.write(lambda connection: repo.delete_chunks(connection, "id = ?", (texts[0].chunk_id,)))
    made = [row.tobytes() for row in MoodyEmbedder().embed([text.text for text in texts])]
    stored = books.write(partial(generation_repo.store_built, generation=new, texts=texts, made=made))
    assert [chunk for chunk, _ in stored] == [texts[1].chunk_id]


def test_a_vector_of_another_length_is_refused(books: Books) -> None:
    narrow = books.begin(EmbeddingIdentity("test", "narrow", 8, "1"))
    texts, _ = books.read(
        partial(generation_repo.chunks_without_vector, generation=narrow, after=0, limit=1, may_send=True)
    )
    made = [row.tobytes() for row in MoodyEmbedder().embed(["x"])]
    with pytest.raises((apsw.Error, KeepsakeError)):
        books.write(partial(generation_repo.store_built, generation=narrow, texts=texts, made=made))
    assert books.read(partial(generation_repo.count, generation=narrow)) == 0


def test_pausing_twice_is_pausing_once(books: Books) -> None:
    for is_paused in (True, True, False, False, True):
        books.write(partial(generation_repo.pause, is_paused=is_paused))
        assert books.read(generation_repo.is_paused) == is_paused


def test_a_source_from_another_version_is_guessed(books: Books) -> None:
    books.write(lambda c: c.execute("UPDATE generations SET source = 'nonsense'"))
    [row] = books.read(generation_repo.rows)
    assert row.source.model == "test:old"
    assert row.identity == OLD
