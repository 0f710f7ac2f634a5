"""Random vaults for trust: one with everything, one as if what a caller may not see had never been."""

import contextlib
import random
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from app.api.caller import OWNER, Caller
from app.core.stores import STORES, StoreName, sees_all
from app.errors import KeepsakeError
from app.host import Host
from app.memories.model import Kind, NewMemory, Source
from app.memories.notes.note_files import FILE_TAG
from tests.helpers.access import EVERYTHING

READER = "reader"  # the agent whose answers are compared
_DAILY = {"kind": "interval", "seconds": 86_400}
HOUR_MS = 3_600_000
START_MS = 1_700_000_000_000
PEOPLE = ("Alice Jones", "Bob Miller", "Clara Weber", "David Frey")
PLACES = ("Berlin", "Rome", "Zurich", "Oslo")
FIRMS = ("Vortexa", "Tarrowmont")  # names of two types each
LISTED = ("Quillon", "Brackmoor", "Tessaly", "Ondine")  # entities of the knowledge graph that somebody made
NAMED = ("Farrow", "Hesperine", "ann@ferrous.io", "https://wiki.ferrous.io/team")  # those that only relations name
JOINS = ("guards", "owes")

Fate = Literal["", "edited", "deleted", "hidden", "archived", "pinned", "corrected"]
_KINDS: tuple[Kind, ...] = ("note", "note", "fact", "observation", "reflection")
_STORES: tuple[StoreName | Literal[""], ...] = ("private", "private", "shared", "social", "")
_QUIET = {"backup.daily": False, "sessions.after_turn": False, "schedule.poll": 3600}  # nothing happens by the clock
_AGENTS = ("", READER, "other")


class SetClock:
    """A clock that says what it was set to."""

    def __init__(self) -> None:
        self.ms = START_MS

    def now_ms(self) -> int:
        """Return the time that was set."""
        return self.ms


@dataclass(frozen=True, slots=True)
class Item:
    """A memory or, without a store, a conversation with ``agent``; its words are unlike all others'.

    A memory was drawn from the conversation ``session`` and the memory ``origin``, which may be hidden.
    """

    number: int
    store: StoreName | Literal[""]
    kind: Kind
    agent: str
    person: int
    link: int
    fate: Fate
    session: str | None = None
    origin: str = ""

    @property
    def marker(self) -> str:
        """Return the word that stands in every field of it."""
        return marker_of(self.number)

    @property
    def id(self) -> str:
        """Return its id, with its marker."""
        return f"{self.kind}-{self.marker}" if self.store else f"talk-{self.marker}"

    @property
    def key(self) -> str:
        """Return the key of a fact."""
        return f"k{self.number % 2}"

    @property
    def text(self) -> str:
        """Return its words: a person, a place, links to a title and a person's note, a tag and the marker."""
        who, where = PEOPLE[self.person], PLACES[self.number % len(PLACES)]
        own = f"Olga {self.marker.capitalize()}"
        # The same two names as a person's and as a company's, in letters of either case, in all kinds of stores.
        firm = FIRMS[self.person % len(FIRMS)]
        both = (f"Mr. {firm} said so", f"in {firm} Street", f"the company {firm}", f"{firm} and {who.lower()}".upper())
        # Names that only a registry tells from other words.
        stated = " or ".join(name.lower() for name in (*LISTED, *NAMED)[self.number % 4 :: 4])
        return (
            f"heron {self.marker} {who} met {own} in {where}; {both[self.number % len(both)]}, {who.lower()} too"
            f" with {stated}"
            f" [[Title {self.link}]] [[{PEOPLE[self.link % len(PEOPLE)]}]] #tag{self.number % 3}/{self.marker}"
        )

    def is_visible_to(self, caller: Caller) -> bool:
        """Return whether a caller may know of it."""
        if not self.store:
            return "private" in caller.stores or (caller.reaches("familiar") and self.agent == caller.name)
        return ("private" if self.fate == "hidden" else self.store) in caller.stores


@dataclass(frozen=True, slots=True)
class Statement:
    """An entity of the knowledge graph that the person made or, with a ``target``, a relation that somebody stated."""

    by: Caller
    name: str
    store: StoreName
    target: str = ""
    join: str = ""

    def is_visible_to(self, caller: Caller) -> bool:
        """Return whether a caller may know of it: of relations those that it stated."""
        return self.by.name == caller.name if self.target else self.store in caller.stores


def random_statements(chance: random.Random, reader: Caller, count: int) -> list[Statement]:
    """Return the entities of a knowledge graph, and relations that the person and agents state, often the same."""
    made = [Statement(OWNER, name, chance.choice(STORES)) for name in LISTED]
    writers = [one for one in (OWNER, Caller("other", "inner"), reader) if one.reaches("inner") and one.stores]
    for _ in range(count):
        by = chance.choice(writers)
        name, target = chance.choices((*LISTED, *NAMED), k=2)
        made.append(Statement(by, name, chance.choice(by.stores), target, chance.choice(JOINS)))
    return made


def marker_of(number: int) -> str:
    """Return a word that only one item has."""
    return f"zq{number}marker{'abcdefgh'[number % 8]}"


def random_items(chance: random.Random, count: int) -> list[Item]:
    """Return what a vault is to hold; every memory that is hidden later, or superseded, is of one store alone."""
    items = []
    for number in range(count):
        store = chance.choice(_STORES)
        item = Item(
            number,
            store,
            chance.choice(_KINDS),
            chance.choice(_AGENTS),
            chance.randrange(len(PEOPLE)),
            chance.randrange(count),
            chance.choice(("", "", "edited", "deleted", "hidden", "archived", "pinned", "corrected")),
        )
        # A fact that another one supersedes cannot change its store any more.
        items.append(replace(item, fate="edited") if item.kind == "fact" and item.fate == "hidden" else item)
    memories = [item.id for item in items if item.store]
    return [
        # Of an earlier conversation, whose digest then says nothing of it.
        replace(
            item,
            session=chance.choice([*(talk.id for talk in items[:place] if not talk.store), None]),
            origin=chance.choice(memories),
        )
        for place, item in enumerate(items)
    ]


@contextmanager
def vault(
    items: list[Item], kept: Collection[int], statements: Sequence[Statement | None], order: str, *, owners: bool
) -> Iterator["TrustVault"]:
    """Run a host on a vault that received the statements, of the items those of ``kept``, and the ``owners`` schedule.

    What was stated comes anywhere among the items, as ``order`` chooses. The clock says the same, whatever is left out.
    """
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o700)
        clock = SetClock()
        host = Host(Path(folder), serve=False, clock=clock, overrides=_QUIET)
        host.start()
        try:
            vault = TrustVault(host, clock)
            host.ask("schedule.pause_all", until="2100-01-01")
            vault.schedule(Caller(READER, "full"))
            if owners:
                vault.schedule(OWNER)
            happening = [
                *(partial(vault.add, item) if item.number in kept else None for item in items),
                *(partial(vault.befall, item) if item.number in kept else None for item in items),
            ]
            chance = random.Random(order)
            for statement in statements:
                said = None if statement is None else partial(vault.state, statement)
                happening.insert(chance.randint(0, len(happening)), said)
            for one in happening:
                clock.ms += HOUR_MS
                if one is not None:
                    one()
            vault.settle()
            yield vault
        finally:
            host.stop()


class TrustVault:
    """A running vault and its clock."""

    def __init__(self, host: Host, clock: SetClock) -> None:
        self.host = host
        self.clock = clock
        self.engine = cast("Any", host.catalogue)._engine

    def settle(self) -> None:
        """Wait until the background work is done."""
        self.host.submit(_queue_of(self.engine)).result(30)
        self.host.submit(self.engine.memories.access.flush()).result(30)
        self.host.ask("vault.settle", names=True)

    def schedules(self) -> dict[str, str]:
        """Return the name of every schedule by its id; the second of a name gets a number."""
        rows = sorted(self.host.ask("schedule.search", limit=1000).schedules, key=lambda row: row.id)
        seen: Counter[str] = Counter()
        found = {}
        for row in rows:
            seen[row.name] += 1
            found[row.id] = f"schedule {row.name} {seen[row.name]}"
        return found

    def entities(self) -> list[str]:
        """Return the ids of all entities as the person sees them."""
        return sorted(self.host.ask("entity.ids"))

    def decide(self, chance: random.Random) -> None:
        """Decide about entities as the person: other types, names and summaries, merges and splits."""
        ask = self.host.ask
        for row in ask("entity.list", limit=1000):
            if row.name in (*LISTED, *NAMED):  # who sees them sees what becomes of them
                continue
            choice = chance.randrange(6)
            with contextlib.suppress(KeepsakeError):  # it was merged meanwhile, or another has the name
                if choice == 0:
                    ask("entity.rename", id=row.id, type="project", summary="known to the person alone")
                elif choice == 1:
                    ask("entity.rename", id=row.id, name=f"{row.name} the Second")
                elif choice == 2:
                    ask("entity.merge", ids=[row.id], into=chance.choice(self.entities()))
                elif choice == 3:
                    ask("entity.protect", id=row.id)
        self.settle()

    def read_again(self) -> None:
        """Let all texts be read for names again, by what is known by then."""
        self.host.submit(self.engine.entities.worker.start_over()).result(30)
        self.settle()

    def relate(self, chance: random.Random) -> None:
        """State relations between entities as the person, who alone sees them."""
        entities = self.entities()
        for _ in range(6):
            subject, target = chance.sample(entities, k=2)
            self.host.ask("entity.relate", subject=subject, predicate=chance.choice(JOINS), target=target)
        self.settle()

    def protect(self, names: Collection[str]) -> None:
        """Protect entities of some names as the person."""
        for row in self.host.ask("entity.list", limit=1000):
            if row.name in names:
                self.host.ask("entity.protect", id=row.id)
        self.settle()

    def schedule(self, caller: Caller) -> None:
        """Make a schedule of a caller."""
        goal = {"goal": f"goal of {caller.name}", "name": f"of {caller.name}", "cadence": dict(_DAILY)}
        self.host.call("schedule.create", goal, caller).result(30)

    def add(self, item: Item) -> None:
        """Store an item as the person."""
        if item.store:
            self.host.submit(_save(self.engine, _draft(item))).result(30)
            return
        turns = [{"role": "user", "content": item.text, "author": PEOPLE[item.person]}] * 2
        heading = {
            "title": f"Title {item.marker}",
            "agent": item.agent,
            "channel": f"chat:{item.marker}",
            "project": _project(item),
        }
        self.host.ask("session.append", session=item.id, messages=turns, **heading)
        other_id = [{"role": "assistant", "content": f"under another id {item.marker}"}]
        self.host.ask("session.append", session=f"alias-{item.marker}", messages=other_id, channel=heading["channel"])
        self.host.ask("session.scratchpad.write", session=item.id, items=[f"pad {item.marker}"])
        self.host.ask("session.summary.set", session=item.id, summary=f"summary {item.marker}", upper_seq=1)
        self.host.ask("session.digest.roll", session=item.id)

    def state(self, statement: Statement) -> None:
        """State an entity or a relation of the knowledge graph."""
        if statement.target:
            relation = {"source": statement.name, "target": statement.target, "type": statement.join}
            name, arguments = "graph.create_relations", {"relations": [relation], "store": statement.store}
        else:
            name = "graph.create_entities"
            arguments = {"entities": [{"name": statement.name, "type": "place"}], "store": statement.store}
        self.host.call(name, arguments, statement.by).result(30)

    def befall(self, item: Item) -> None:
        """Do to an item what its fate is."""
        ask = self.host.ask
        if not item.store:
            if item.fate == "deleted":
                ask("session.forget", session=item.id)
            return
        there = ask("note.get", id=item.id)
        if there.deleted_at is not None:  # superseded meanwhile
            return
        if item.fate == "edited":
            ask("note.update", id=item.id, version=there.version, content=f"{item.text} later")
        elif item.fate == "hidden":
            ask("note.update", id=item.id, version=there.version, store="private")
        elif item.fate == "deleted":
            ask("note.delete", id=item.id)
        elif item.fate == "archived":
            ask("archive.put", ids=[item.id], reason=f"reason {item.marker}")
        elif item.fate == "pinned":
            ask("note.pin", id=item.id)
        elif item.fate == "corrected" and item.kind == "fact":
            ask("fact.correct", id=item.id, content=f"{item.text} corrected")

    def hidden_rows(self, caller: Caller, own: Collection[str]) -> Mapping[str, list[Any]]:
        """Return all rows that a caller may not reach, other than those of the ``own`` conversations."""
        stores = [store for store in ("private", "shared", "social") if store not in caller.stores]
        kept = () if "private" in caller.stores else ("sessions", "messages", "session_state", "session_aliases")
        source = None if sees_all(caller.stores) else caller.name
        return self.host.submit(_hidden(self.engine, stores, kept, tuple(own), source)).result(30)


def _title(item: Item) -> str:
    """Return a title that others link to, as a number or a person, or one with the marker."""
    return (f"Title {item.marker}", f"Title {item.number}", PEOPLE[item.person])[item.number % 3]


def _project(item: Item) -> str:
    """Return a project that others may belong to as well, or one with the marker."""
    return f"team/{item.number % 2}" if item.number % 3 else f"team/{item.marker}"


def _draft(item: Item) -> NewMemory:
    is_fact = item.kind == "fact"
    return NewMemory(
        item.text,
        title=_title(item),
        kind=item.kind,
        store=cast("StoreName", item.store),
        tags=(f"tag{item.number % 3}", item.marker, *([FILE_TAG] if item.number % 2 else [])),
        id=item.id,
        source=f"agent {item.marker}",
        category=("c" if item.number % 3 else item.marker) if is_fact else "",
        key=item.key if is_fact else "",
        type=item.marker if item.kind == "observation" else "",
        facts=(f"single {item.marker}",) if item.kind == "observation" else (),
        decay_rate=0.01 if is_fact else 0.0,
        files=(f"/files/{item.marker}.txt",),
        people=(f"Olga {item.marker.capitalize()}",),
        attributes={"colour": item.marker, "project": _project(item)},
        session_id=item.session,
        sources=(Source("memory", item.origin), Source("message", f"{item.session}#1")),
    )


async def _save(engine: Any, draft: NewMemory) -> None:
    engine.publish((await engine.memories.service.save(EVERYTHING, draft)).changes)


async def _queue_of(engine: Any) -> None:
    task = engine.sessions.write_behind._task
    if task is not None:
        await task


async def _hidden(
    engine: Any, stores: list[str], tables: tuple[str, ...], own: tuple[str, ...], source: str | None
) -> dict[str, list[Any]]:
    named = ", ".join(repr(store) for store in stores) or "''"
    marks = ", ".join("?" for _ in own) or "''"

    def work(connection: Any) -> dict[str, list[Any]]:
        def rows(sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
            return sorted(connection.execute(sql, values).fetchall(), key=repr)

        memories = f"SELECT id FROM memories WHERE store IN ({named})"
        found = {
            "memories": rows(f"SELECT * FROM memories WHERE store IN ({named})"),
            "tags": rows(f"SELECT * FROM memory_tags WHERE memory_id IN ({memories})"),
            "sources": rows(f"SELECT * FROM memory_sources WHERE memory_id IN ({memories})"),
            "history": rows(f"SELECT * FROM memory_history WHERE target IN ({memories})"),
        }
        if source is not None:
            found["relations"] = rows("SELECT * FROM relations WHERE source <> ?", (source,))
        for table in tables:
            column = "id" if table == "sessions" else "session_id"
            found[table] = rows(f"SELECT * FROM {table} WHERE {column} NOT IN ({marks})", own)
        return found

    return cast("dict[str, list[Any]]", await engine.store.read(work))
