"""Addresses of resources, and the changes that concern them."""

import pytest

from app.errors import NotFoundError
from app.mcp.resources import check, is_touched, touched


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        ("memory://note/note-1", ("note", "note-1")),
        ("memory://entity/Ana%20Maria", ("entity", "Ana Maria")),
        ("memory://session/ses-1", ("session", "ses-1")),
        ("memory://today", ("today", "")),
        ("memory://profile/", ("profile", "")),
        ("memory://knowledge-graph", ("knowledge-graph", "")),
    ],
)
def test_addresses(uri: str, wanted: tuple[str, str]) -> None:
    assert check(uri) == wanted


@pytest.mark.parametrize("uri", ["", "memory://", "memory://note/", "memory://today/x", "file:///etc/passwd", "note/1"])
def test_other_addresses_are_refused(uri: str) -> None:
    with pytest.raises(NotFoundError):
        check(uri)


def test_a_change_concerns_what_it_names() -> None:
    event = {"areas": ["memories"], "ids": ["note-1", "ses-2#4"]}
    assert touched(event) == [
        "memory://today",
        "memory://profile",
        "memory://knowledge-graph",
        "memory://note/note-1",
        "memory://session/ses-2",
    ]
    assert is_touched("memory://note/note-1", event)
    assert is_touched("memory://session/ses-2", event)
    assert not is_touched("memory://note/note-9", event)
    assert is_touched("memory://entity/Ana", event)
    assert not is_touched("nonsense", event)


def test_a_change_without_ids_may_concern_everything_in_its_areas() -> None:
    assert is_touched("memory://note/note-1", {"areas": ["memories"], "ids": []})
    assert not is_touched("memory://note/note-1", {"areas": ["settings"], "ids": []})
    assert touched({"areas": ["settings"]}) == []
