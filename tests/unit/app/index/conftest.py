"""An index with one model that serves."""

import pytest

from tests.unit.app.index.bench import Bench
from tests.unit.app.shelf import Shelf


@pytest.fixture
def bench(shelf: Shelf) -> Bench:
    shelf.say(*[f"turn {number}" for number in range(100)])
    made = Bench(shelf)
    made.start()
    made.run()
    assert made.states() == [("old", "serving", 100)]
    return made
