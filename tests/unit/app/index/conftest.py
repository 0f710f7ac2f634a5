"""An index with one model that serves."""

import pytest

from tests.unit.app.index.index_harness import IndexHarness
from tests.unit.app.shelf import Shelf


@pytest.fixture
def harness(shelf: Shelf) -> IndexHarness:
    shelf.say(*[f"turn {number}" for number in range(100)])
    made = IndexHarness(shelf)
    made.start()
    made.run()
    assert made.states() == [("old", "serving", 100)]
    return made
