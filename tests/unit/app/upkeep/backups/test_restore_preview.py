"""What a restore would change is told before it is done."""

from pathlib import Path

import pytest

from app.errors import InputError, NotFoundError
from app.host import Host


def test_no_such_backup(host: Host) -> None:
    with pytest.raises(NotFoundError):
        host.ask("backup.preview", name="nowhere.db")


def test_a_damaged_backup_is_refused(host: Host) -> None:
    backup = host.ask("backup.now")
    Path(backup.path).write_bytes(b"no database")
    with pytest.raises(InputError, match="cannot be restored"):
        host.ask("backup.preview", name=backup.name)


def test_nothing_changes_right_after_a_backup(host: Host) -> None:
    host.ask("note.save", title="Kept", content="words")
    made = host.ask("backup.now")
    found = host.ask("backup.preview", name=made.name)
    assert found.backup.memories == 1
    assert found.changed == 0
    assert found.lost == found.regained
    assert (found.lost.sessions, found.lost.messages, found.lost.memories, found.lost.titles) == (0, 0, 0, ())


def test_what_came_went_and_changed_since(host: Host) -> None:
    gone = host.ask("note.save", title="Deleted since", content="words")
    edited = host.ask("note.save", title="Edited since", content="words")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "one"}])
    made = host.ask("backup.now")
    host.ask("note.delete", id=gone.id)
    host.ask("note.update", id=edited.id, version=edited.version, content="other words")
    host.ask("note.save", title="New since", content="words")
    host.ask("session.append", session="s", messages=[{"role": "user", "content": "two"}])
    host.ask("session.append", session="t", messages=[{"role": "user", "content": "A new talk"}])
    found = host.ask("backup.preview", name=made.name)
    assert (found.lost.sessions, found.lost.messages, found.lost.memories) == (1, 2, 1)
    assert set(found.lost.titles) == {"New since", "A new talk"}
    assert (found.regained.sessions, found.regained.messages, found.regained.memories) == (0, 0, 1)
    assert found.regained.titles == ("Deleted since",)
    assert found.changed == 1
    assert not host.ask("backup.status").restore_waits
    host.ask("backup.restore", name=made.name)
    assert host.ask("backup.status").restore_waits
