"""Statistics of the vault: everything stored is counted, and every file is measured."""

from app.core.facets import Facet
from app.host import Host


def test_an_empty_vault_holds_nothing(host: Host) -> None:
    stats = host.ask("vault.stats")
    assert (stats.sessions, stats.messages, stats.memories, stats.kinds, stats.stores) == (0, 0, 0, (), ())
    assert (stats.entities, stats.chunks, stats.embedded, stats.pending) == (0, 0, 0, 0)


def test_all_that_is_stored_is_counted(host: Host) -> None:
    said = [{"role": "user", "content": "Hello, Rosa"}, {"role": "assistant", "content": "Hello"}]
    host.ask("session.append", messages=said)
    for number in range(3):
        host.ask("note.save", content=f"Note {number}", store="shared")
    gone = host.ask("note.save", content="Deleted")
    host.ask("note.delete", id=gone.id)
    host.ask("fact.set", category="garden", key="soil", value="clay")
    host.ask("vault.settle", names=True)
    stats = host.ask("vault.stats")
    assert (stats.sessions, stats.messages, stats.memories) == (1, 2, 4)
    assert stats.kinds == (Facet("note", 3), Facet("fact", 1))
    assert stats.stores == (Facet("shared", 3), Facet("private", 1))
    assert stats.chunks == stats.embedded == 6
    assert stats.pending == 0
    assert stats.entities == len(host.ask("entity.list"))


def test_every_file_of_the_vault_is_measured(host: Host) -> None:
    host.ask("backup.now")
    stats = host.ask("vault.stats")
    sizes = {file.name: file.bytes for file in stats.files}
    assert sizes["memory.db"] > 0
    assert sizes["backups"] > 0
    assert list(sizes.values()) == sorted(sizes.values(), reverse=True)
    assert stats.disk_bytes == sum(size for name, size in sizes.items() if name.startswith("memory.db"))
