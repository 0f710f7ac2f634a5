"""Receipts are kept for a month, the newest ones."""

import asyncio
from functools import partial
from pathlib import Path

from app.core.paths import migrations
from app.receipts import repo
from app.receipts.model import Receipt
from app.receipts.repo import StoredReceipt
from app.receipts.service import KEPT_MS, WriteReceipts
from app.store.store import Store


class Time:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


def test_a_key_is_free_again_after_a_month(vault: Path) -> None:
    async def work() -> None:
        time = Time()
        receipts = WriteReceipts(store, time)  # type: ignore[arg-type]
        for moved, is_earlier in ((0, False), (KEPT_MS, True), (1, False)):
            time.ms += moved
            await receipts.tidy()
            async with receipts.claim("Atlas", "k", "note.save", {"content": "x"}, f"note-{moved}") as claim:
                assert claim.is_earlier is is_earlier
                if not claim.is_earlier:
                    claim.fulfil(Receipt(claim.receipt.memory_id, is_done=True))
        time.ms += KEPT_MS + 1
        await receipts.tidy()
        assert await keys(store) == []

    store = Store.open(vault, migrations())
    try:
        asyncio.run(work())
    finally:
        store.close()


def test_the_newest_receipts_of_each_operation_and_actor_are_kept(vault: Path) -> None:
    async def work() -> None:
        time = Time()
        receipts = WriteReceipts(store, time, most=600)  # type: ignore[arg-type]
        for actor, operation in (("Atlas", "memory.write"), ("Nadia", "note.save")):
            stored = StoredReceipt(operation, "", "{}", time.ms)
            await store.write(partial(repo.put, actor=actor, key=operation, stored=stored))
        for number in range(1_200):
            time.ms += 1
            stored = StoredReceipt("note.save", "", "{}", time.ms)
            await store.write(partial(repo.put, actor="Atlas", key=f"k{number}", stored=stored))
        await receipts.tidy()
        assert await keys(store) == ["memory.write", "note.save", *(f"k{number}" for number in range(600, 1_200))]

    store = Store.open(vault, migrations())
    try:
        asyncio.run(work())
    finally:
        store.close()


async def keys(store: Store) -> list[object]:
    return await store.read(lambda conn: [key for (key,) in conn.execute("SELECT key FROM write_receipts ORDER BY at")])
