"""Receipts are kept for a day."""

import asyncio
from pathlib import Path

from app.core.paths import migrations
from app.receipts.model import KEPT_MS, Receipt
from app.receipts.service import WriteReceipts
from app.store.store import Store


class Time:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.ms = 1_700_000_000_000

    def now_ms(self) -> int:
        return self.ms


def test_a_key_is_free_again_after_a_day(vault: Path) -> None:
    async def work() -> None:
        time = Time()
        receipts = WriteReceipts(store, time)  # type: ignore[arg-type]
        for moved, is_earlier in ((0, False), (KEPT_MS, True), (1, False)):
            time.ms += moved
            async with receipts.claim("Atlas", "k", "note.save", {"content": "x"}, f"note-{moved}") as claim:
                assert claim.is_earlier is is_earlier
                if not claim.is_earlier:
                    claim.fulfil(Receipt(claim.receipt.memory_id, is_done=True))
        time.ms += KEPT_MS + 1
        await receipts.tidy()
        rows = await store.read(lambda conn: conn.execute("SELECT count(*) FROM write_receipts").fetchone())
        assert rows == (0,)

    store = Store.open(vault, migrations())
    try:
        asyncio.run(work())
    finally:
        store.close()
