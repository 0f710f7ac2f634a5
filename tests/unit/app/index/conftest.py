"""An index with one model that serves."""

import pytest

from tests.unit.app.index.index_harness import IndexHarness
from tests.unit.app.vault_harness import VaultHarness


@pytest.fixture
def harness(vault_harness: VaultHarness) -> IndexHarness:
    vault_harness.say(*[f"turn {number}" for number in range(100)])
    made = IndexHarness(vault_harness)
    made.start()
    made.run()
    assert made.states() == [("old", "serving", 100)]
    return made
