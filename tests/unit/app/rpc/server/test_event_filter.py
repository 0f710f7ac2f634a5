from typing import Any

import pytest

from app.changes import ChangeSet, Progress
from app.errors import InputError
from app.rpc.event_codec import event_from_wire
from app.rpc.messages import CHANGED
from app.rpc.server.event_filter import EventFilter, event_filter


@pytest.mark.parametrize(
    "params",
    [
        {"area": ["memories"]},
        {"areas": "memories"},
        {"areas": [1]},
        {"areas": {"memories": True}},
        {"areas": ["memories", "nonsense"]},
        {"stores": ["nowhere"]},
        {"stores": [["social"]]},
        {"progress": 1},
        {"progress": None},
    ],
)
def test_wrong_filters_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="subscribe"):
        event_filter(params)


def test_a_filter_accepts_its_areas_and_progress_where_wanted() -> None:
    memories, settings = (ChangeSet(frozenset({area})) for area in ("memories", "settings"))
    wanted = event_filter({"areas": ["memories", "inbox"], "progress": False})
    assert wanted.accepts(memories)
    assert not wanted.accepts(settings)
    assert not wanted.accepts(Progress("run-1", "Importing", 1))
    assert EventFilter().accepts(Progress("run-1", "Importing", 1))
    assert not event_filter({"areas": []}).accepts(memories)


def test_a_change_without_stores_is_in_any() -> None:
    assert event_filter({"stores": ["social"]}).accepts(ChangeSet(frozenset({"memories"})))


def test_an_area_of_a_newer_version_is_left_out() -> None:
    members = {"areas": ["dreams", "memories"], "ids": [], "actor": "person", "operation": "", "history_ids": []}
    event = event_from_wire(CHANGED, members)
    assert isinstance(event, ChangeSet)
    assert event.areas == {"memories"}
