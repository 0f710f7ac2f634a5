"""A vault whose shared store agents on a server read and propose to, through a real PostgreSQL."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from app.core.clock import DAY_MS
from app.errors import ExchangeError, InputError
from app.host import Host
from app.projection.model import ProjectionState
from tests.helpers.engine import engine_of
from tests.helpers.guards.unexpected_logs import AllowLogs
from tests.helpers.servers.postgresql import PASSWORD, PostgresqlServer, binaries
from tests.helpers.vaults import make_vault
from tests.integration.sync.machines import QUIET

LONGEST_S: Final = 60
CANARY: Final = "Zanzibarkumquat"
TABLES: Final = ("projector", "shared_memory", "erased", "departed", "proposal")


class Vault:
    """A vault of the person whose shared store is projected."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        make_vault(folder)
        self.start()

    def start(self) -> None:
        """Open the vault."""
        self.host = Host(self.folder, serve=False, overrides=QUIET)
        self.host.start()

    def ask(self, operation: str, **arguments: Any) -> Any:
        """Call an operation as the person."""
        return self.host.ask(operation, **arguments)

    def share(self, content: str, **more: Any) -> str:
        """Save a shared note and return its id."""
        return str(self.ask("note.save", content=content, store="shared", **more).id)

    def begin(self, place: str) -> ProjectionState:
        """Begin the projection."""
        state: ProjectionState = self.ask("projection.begin", place=place, in_plain_text=True)
        return state

    def project(self, changed: set[str] | None = None) -> None:
        """Bring the tables up to date; with ids of changed memories, those alone are looked at."""
        while self.host.submit(engine_of(self.host).projection.service.project(changed)).result():
            pass


class Agent:
    """A database role that is an agent, or only reads."""

    def __init__(self, server: PostgresqlServer, place: str, group: str) -> None:
        self.name = f"agent_{uuid4().hex[:10]}"
        server.ask(f"CREATE ROLE {self.name} LOGIN PASSWORD '{PASSWORD}' IN ROLE {group}")
        database = place.partition("@/")[2].partition("?")[0]
        self.in_vault = f"{self.name}@{database}"
        self.address = f"postgresql://{self.name}:{quote(PASSWORD)}@/{database}?host={quote(str(server.folder))}"

    def sql(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a statement gives."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            cursor = connection.execute(statement.encode(), values or None)
            return cursor.fetchall() if cursor.description is not None else []

    def propose(self, key: str, operation: str, arguments: object) -> None:
        """Propose an operation."""
        self.sql(
            "INSERT INTO keepsake.proposal (key, operation, arguments) VALUES (%s, %s, %s)",
            key, operation, Jsonb(arguments),
        )  # fmt: skip

    def answer(self, key: str) -> Any:
        """Return the answer of a proposal."""
        return self.sql("SELECT answer FROM keepsake.proposal WHERE key = %s", key)[0][0]

    def contents(self) -> list[str]:
        """Return what the shared memories say."""
        return [text for (text,) in self.sql("SELECT content FROM keepsake.shared_memory ORDER BY content")]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    if binaries() is None:
        pytest.skip("PostgreSQL's server is not on this machine")
    process = PostgresqlServer()
    yield process
    process.close()


@pytest.fixture
def place(server: PostgresqlServer) -> str:
    """Return the address of an empty database."""
    return server.new_place()


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Vault]:
    """Return an open vault."""
    opened = Vault(tmp_path / "vault")
    yield opened
    opened.host.stop()


@pytest.fixture
def agent(server: PostgresqlServer, place: str, vault: Vault) -> Agent:
    """Return an agent that the person let in, in a database that the vault is projected to."""
    vault.begin(place)
    role = Agent(server, place, "keepsake_agent")
    vault.ask("agent.add", name=role.in_vault, trust="full")
    return role


def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LONGEST_S
    while not is_so():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.05)


def dump(server: PostgresqlServer, place: str) -> str:
    """Return all that stands in the tables."""
    return repr([server.ask(f"SELECT t::text FROM keepsake.{table} AS t", place) for table in TABLES])


def test_only_live_shared_memories_are_there_and_found_by_words(
    server: PostgresqlServer, place: str, vault: Vault
) -> None:
    kept = vault.share("The boiler is serviced in May", title="Boiler", tags=["house"])
    deleted = vault.share("soon deleted")
    vault.ask("note.save", content="mine alone")
    vault.ask("note.delete", id=deleted)
    fact = vault.ask("fact.remember", content="The cat is called Miso", store="shared")
    vault.begin(place)
    vault.project()
    reader = Agent(server, place, "keepsake_reader")
    assert reader.contents() == ["The boiler is serviced in May", "The cat is called Miso"]
    found = reader.sql(
        "SELECT id, tags FROM keepsake.shared_memory WHERE words @@ to_tsquery('simple', 'boiler & may')"
    )
    assert found == [(kept, ["house"])]
    assert fact is not None


def test_nothing_private_is_in_any_table(server: PostgresqlServer, place: str, vault: Vault, agent: Agent) -> None:
    vault.ask("note.save", content=f"{CANARY} content", title=f"{CANARY} title", tags=[CANARY.lower()])
    vault.ask("note.save", content=f"{CANARY} social", store="social")
    vault.ask("fact.set", category=CANARY, key=CANARY, value=f"{CANARY} fact")
    vault.ask("session.append", messages=[{"role": "user", "content": f"{CANARY} said"}], title=CANARY)
    vault.ask("graph.create_entities", entities=[{"name": CANARY, "type": "person", "observations": [CANARY]}])
    moved = vault.share(f"{CANARY} was shared")
    vault.project()
    assert CANARY in dump(server, place)
    vault.ask("note.update", id=moved, version=1, store="private")
    private = [note.id for note in vault.ask("note.list")]
    for number, (operation, arguments) in enumerate([
        ("memory.search", {"query": "x"}), ("note.get", {"id": moved}), ("note.list", {}), ("session.list", {}),
        ("note.pin", {"id": moved}), ("note.merge", {"ids": private}),
        ("memory.write", {"content": "x", "store": "private"}),
        ("fact.set", {"category": "a", "key": "b", "value": "c", "store": "private"}),
        ("memory.write", {"content": f"{CANARY[:4]} open", "sources": []}),
        ("fact.remember", {"content": "fact of the agent"}),
    ]):  # fmt: skip
        agent.propose(str(number), operation, arguments)
    vault.project()
    answers = [agent.answer(str(number))["outcome"] for number in range(10)]
    assert answers == ["refused"] * 8 + ["done"] * 2
    assert CANARY.lower() not in dump(server, place).lower()


def test_what_goes_from_the_store_goes_from_the_tables(server: PostgresqlServer, place: str, vault: Vault) -> None:
    vault.begin(place)
    names = [vault.share(f"memory {number}") for number in range(4)]
    vault.project()
    reader = Agent(server, place, "keepsake_reader")
    assert len(reader.contents()) == 4
    vault.ask("note.update", id=names[0], version=1, store="private")
    vault.ask("note.delete", id=names[1])
    vault.ask("memory.forget_forever", ids=[names[2]], confirm=True)
    vault.ask("note.update", id=names[3], version=1, content="memory changed")
    vault.project(set())
    assert reader.contents() == ["memory changed"]
    assert reader.sql("SELECT id FROM keepsake.erased") == [(names[2],)]
    vault.ask("note.restore", id=names[1])
    vault.project(set())
    assert reader.contents() == ["memory 1", "memory changed"]


def test_what_left_the_store_before_it_was_forgotten_is_listed_too(
    server: PostgresqlServer, place: str, vault: Vault
) -> None:
    vault.begin(place)
    left, deleted = (vault.share(f"memory {number}") for number in range(2))
    never = vault.ask("note.save", content="never there", store="private").id
    vault.project()
    vault.ask("note.update", id=left, version=1, store="private")
    vault.ask("note.delete", id=deleted)
    vault.project(set())
    reader = Agent(server, place, "keepsake_reader")
    assert (reader.contents(), reader.sql("SELECT id FROM keepsake.erased")) == ([], [])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.sql("SELECT id FROM keepsake.departed")
    vault.ask("memory.forget_forever", ids=[left, never], confirm=True)
    vault.project(set())
    assert reader.sql("SELECT id FROM keepsake.erased") == [(left,)]
    vault.ask("memory.forget_forever", ids=[deleted], confirm=True)
    vault.project(set())
    assert reader.sql("SELECT id FROM keepsake.erased ORDER BY id") == sorted([(left,), (deleted,)])


def test_old_answered_proposals_go(server: PostgresqlServer, place: str, vault: Vault, agent: Agent) -> None:
    for key in ("old", "recent"):
        agent.propose(key, "memory.write", {"content": f"said {key}"})
    vault.project()
    agent.propose("open", "memory.write", {"content": "said later"})
    server.ask("UPDATE keepsake.proposal SET answered_at = now() - interval '91 days' WHERE key = 'old'", place)
    server.ask("UPDATE keepsake.proposal SET at = now() - interval '91 days'", place)
    vault.project()
    assert agent.sql("SELECT key FROM keepsake.proposal ORDER BY key") == [("open",), ("recent",)]
    assert agent.answer("open")["outcome"] == "done"


def test_rows_that_are_kept_belong_to_whoever_begins_there_next(
    server: PostgresqlServer, place: str, vault: Vault, tmp_path: Path
) -> None:
    vault.begin(place)
    vault.share("kept")
    vault.project()
    reader = Agent(server, place, "keepsake_reader")
    vault.ask("projection.end", keep_rows=True)
    assert reader.contents() == ["kept"]
    vault.begin(place)
    vault.project()
    assert reader.contents() == ["kept"]
    vault.ask("projection.end", keep_rows=True)
    other = Vault(tmp_path / "other")
    try:
        other.begin(place)
        other.share("of the other")
        other.project()
        assert reader.contents() == ["of the other"]
        with pytest.raises(InputError, match="another vault"):
            vault.begin(place)
    finally:
        other.host.stop()


def test_tables_that_could_not_be_given_back_are_taken_up_again(
    server: PostgresqlServer, place: str, vault: Vault, allow_logs: AllowLogs
) -> None:
    allow_logs("projection failed")
    vault.begin(place)
    vault.share("kept")
    vault.project()
    server.kill()
    try:
        vault.ask("projection.end", keep_rows=True)
    finally:
        server.start()
    vault.begin(place)
    vault.project()
    assert Agent(server, place, "keepsake_reader").contents() == ["kept"]


def test_what_expires_goes_and_what_was_changed_by_hand_is_set_right(
    server: PostgresqlServer, place: str, vault: Vault
) -> None:
    vault.begin(place)
    vault.share("stays")
    soon = time.time() + 2
    expires = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(soon))
    passing = vault.ask("memory.write", content="passes", store="shared", expires_at=expires).memory.id
    vault.project()
    server.ask("UPDATE keepsake.shared_memory SET content = 'forged', version = '' WHERE content = 'stays'", place)
    server.ask("INSERT INTO keepsake.shared_memory SELECT 'x', kind, title, content, tags, category, key, confidence,"
               " event_time, created_at, updated_at, version FROM keepsake.shared_memory LIMIT 1", place)  # fmt: skip
    until(lambda: time.time() > soon)
    vault.project(set())
    reader = Agent(server, place, "keepsake_reader")
    assert passing not in [name for (name,) in reader.sql("SELECT id FROM keepsake.shared_memory")]
    service = engine_of(vault.host).projection.service
    service._compared_ms -= DAY_MS
    vault.project(set())
    assert reader.contents() == ["stays"]


def test_it_happens_by_itself(place: str, vault: Vault, agent: Agent) -> None:
    vault.share("written here")
    until(lambda: agent.contents() == ["written here"])
    agent.propose("a", "memory.write", {"content": "written there"})
    until(lambda: agent.answer("a") is not None)
    until(lambda: agent.contents() == ["written here", "written there"])
    vault.host.stop()
    vault.start()
    agent.propose("b", "memory.write", {"content": "while it was closed"})
    until(lambda: len(agent.contents()) == 3)
    assert vault.ask("projection.state").projected_at is not None


def test_who_may_do_what_in_the_database(server: PostgresqlServer, place: str, vault: Vault, agent: Agent) -> None:
    reader, other = Agent(server, place, "keepsake_reader"), Agent(server, place, "keepsake_agent")
    agent.propose("mine", "memory.write", {"content": "x"})
    assert other.sql("SELECT * FROM keepsake.proposal") == []
    assert len(agent.sql("SELECT * FROM keepsake.proposal")) == 1
    with pytest.raises(psycopg.errors.UniqueViolation):
        agent.propose("mine", "memory.write", {"content": "y"})
    other.propose("mine", "memory.write", {"content": "z"})
    for role, statement in [
        (reader, "SELECT * FROM keepsake.proposal"),
        (reader, "INSERT INTO keepsake.proposal (key, operation) VALUES ('a', 'b')"),
        (reader, "DELETE FROM keepsake.shared_memory"),
        (agent, "UPDATE keepsake.shared_memory SET content = ''"),
        (agent, "INSERT INTO keepsake.erased (id) VALUES ('a')"),
        (agent, "INSERT INTO keepsake.proposal (agent, key, operation) VALUES ('person', 'a', 'b')"),
        (agent, "INSERT INTO keepsake.proposal (key, operation, answer) VALUES ('a', 'b', '{}')"),
        (agent, "UPDATE keepsake.proposal SET operation = 'note.save'"),
        (agent, "DELETE FROM keepsake.proposal"),
        (agent, "SELECT * FROM keepsake.projector"),
        (agent, "CREATE TABLE keepsake.own (a text)"),
    ]:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            role.sql(statement)


def test_a_role_that_makes_no_roles_lets_all_of_the_database_read(server: PostgresqlServer, vault: Vault) -> None:
    server.ask("DROP ROLE IF EXISTS plain_owner")
    server.ask(f"CREATE ROLE plain_owner LOGIN PASSWORD '{PASSWORD}'")
    server.ask("CREATE DATABASE plain OWNER plain_owner")
    groups = server.ask("SELECT rolname FROM pg_roles WHERE rolname LIKE 'keepsake%'")
    for (group,) in groups:
        server.ask(f"ALTER ROLE {group} RENAME TO away_{group}")
    try:
        vault.begin(server.address("plain", "plain_owner"))
    finally:
        for (group,) in groups:
            server.ask(f"ALTER ROLE away_{group} RENAME TO {group}")
    vault.share("for all")
    vault.project()
    server.ask("DROP ROLE IF EXISTS anybody")
    server.ask("CREATE ROLE anybody")
    role = Agent(server, server.address("plain"), "anybody")
    assert role.contents() == ["for all"]
    role.propose("a", "memory.write", {"content": "x"})
    vault.project()
    assert role.answer("a")["code"] == "access_required"


def test_an_unknown_role_asks_to_be_let_in(server: PostgresqlServer, place: str, vault: Vault) -> None:
    vault.begin(place)
    role = Agent(server, place, "keepsake_agent")
    role.propose("1", "memory.write", {"content": "hello"})
    role.propose("2", "agent.request_access", {"name": "person", "trust": "inner", "reason": "I help"})
    role.propose("3", "agent.request_access", {"trust": "full"})
    vault.project()
    assert role.answer("1")["outcome"] == "refused"
    assert "agent.request_access" in role.answer("1")["message"]
    assert (role.answer("2")["outcome"], role.answer("3")["outcome"]) == ("asked", "asked")
    assert [request.name for request in vault.ask("agent.requests")] == [role.in_vault]
    assert '"token"' not in dump(server, place)
    vault.ask("agent.allow", request=role.in_vault)
    role.propose("4", "memory.write", {"content": "hello"})
    vault.project()
    assert role.answer("4")["outcome"] == "done"
    assert role.contents() == ["hello"]
    vault.ask("agent.revoke", name=role.in_vault)
    role.propose("5", "memory.write", {"content": "again"})
    vault.project()
    assert role.answer("5")["outcome"] == "refused"
    assert role.contents() == ["hello"]


def test_a_role_is_no_agent_of_this_machine(server: PostgresqlServer, place: str, vault: Vault) -> None:
    vault.begin(place)
    role = Agent(server, place, "keepsake_agent")
    vault.ask("agent.add", name=role.name, trust="full")
    role.propose("1", "memory.write", {"content": "hello"})
    vault.project()
    assert (role.answer("1")["outcome"], role.answer("1")["code"]) == ("refused", "access_required")
    assert role.contents() == []


def test_a_proposal_under_review_waits_in_the_inbox_and_is_answered_once_more(
    server: PostgresqlServer, place: str, vault: Vault
) -> None:
    vault.begin(place)
    role = Agent(server, place, "keepsake_agent")
    vault.ask("agent.add", name=role.in_vault, trust="full", review=True)
    for key in ("yes", "no"):
        role.propose(key, "memory.write", {"content": f"said {key}"})
    vault.project()
    assert [role.answer(key)["outcome"] for key in ("yes", "no")] == ["waiting", "waiting"]
    assert role.contents() == []
    vault.ask("inbox.accept", id=role.answer("yes")["proposed"])
    vault.ask("inbox.reject", id=role.answer("no")["proposed"], reason="Not that")
    vault.project()
    assert role.contents() == ["said yes"]
    (name,) = role.sql("SELECT id FROM keepsake.shared_memory")[0]
    assert role.answer("yes") == {"outcome": "accepted", "ids": [name], "note": ""}
    assert role.answer("no") == {"outcome": "rejected", "ids": [], "note": "Not that"}
    vault.ask("memory.forget_forever", ids=[name], confirm=True)
    vault.project(set())
    assert "said yes" not in dump(server, place)


def test_hostile_rows_are_each_answered_and_stop_nothing(vault: Vault, agent: Agent) -> None:
    rows: list[tuple[str, object]] = [
        ("memory.write", []), ("memory.write", "text"), ("memory.write", None), ("memory.write", {"content": 5}),
        ("memory.write", {"content": "x" * 2_000_000}), ("memory.write", {"content": "x", "more": {}}),
        ("memory.write", {}), ("", {}), ("x" * 100_000, {}), ("projection.end", {}), ("settings.set", {"name": "a"}),
        ("agent.request_access", {"trust": 7}), ("note.delete", {"id": "note-none"}), ("vault.check", {}),
        ("memory.write", {"content": "x", "expires_at": 10**400}),
    ]  # fmt: skip
    for number, (operation, arguments) in enumerate(rows):
        agent.propose(str(number), operation, arguments)
    deep = "[" * 3000 + "]" * 3000
    agent.sql(
        "INSERT INTO keepsake.proposal (key, operation, arguments) VALUES ('deep', 'memory.write', %s::jsonb)", deep
    )
    with pytest.raises(psycopg.errors.UntranslatableCharacter):
        agent.sql("INSERT INTO keepsake.proposal (operation, arguments) VALUES ('a', '{\"a\": \"\\u0000\"}')")
    agent.propose("last", "memory.write", {"content": "fine"})
    vault.project()
    keys = [*map(str, range(len(rows))), "deep"]
    assert {key: agent.answer(key)["outcome"] for key in keys} == dict.fromkeys(keys, "refused")
    assert agent.answer("last")["outcome"] == "done"
    assert agent.contents() == ["fine"]


def test_many_memories_at_once_and_texts_that_no_index_holds(vault: Vault, agent: Agent) -> None:
    texts = [f"number {number}" for number in range(450)]
    vault.ask("note.save", content="a" * 5000 + " " + " ".join(f"w{n}" for n in range(90_000)), store="shared")
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(vault.share, texts))
    vault.project()
    assert len(agent.contents()) == 451


def test_the_server_dies_in_between(
    server: PostgresqlServer, vault: Vault, agent: Agent, allow_logs: AllowLogs
) -> None:
    allow_logs("projection failed")
    agent.propose("a", "memory.write", {"content": "of the agent"})
    vault.project()
    server.kill()
    vault.share("meanwhile")
    with pytest.raises(ExchangeError):
        vault.project(set())
    assert vault.ask("projection.state").problem != ""
    server.start()
    vault.project(set())
    assert agent.contents() == ["meanwhile", "of the agent"]
    assert vault.ask("projection.state").problem == ""


def test_what_was_cut_off_is_done_once(server: PostgresqlServer, place: str, vault: Vault, agent: Agent) -> None:
    agent.propose("a", "memory.write", {"content": "once"})
    agent.propose("b", "note.from_template", {"template": "Meeting"})
    vault.project()
    server.ask(
        "UPDATE keepsake.proposal SET answer = CASE key WHEN 'b' THEN '{\"outcome\": \"begun\"}'::jsonb END", place
    )
    vault.project()
    assert agent.answer("a")["outcome"] == "done"
    assert agent.answer("b")["outcome"] == "unknown"
    assert agent.contents().count("once") == 1


def test_two_vaults_never_share_a_schema(server: PostgresqlServer, place: str, vault: Vault, tmp_path: Path) -> None:
    vault.begin(place)
    vault.share("of the first")
    vault.project()
    other = Vault(tmp_path / "other")
    try:
        with pytest.raises(InputError, match="another vault"):
            other.begin(place)
        assert other.ask("projection.state") == ProjectionState()
        other.ask("projection.begin", place=place, in_plain_text=True, schema="second")
        vault.ask("projection.end")
        assert dump(server, place).count("[]") == len(TABLES)
        other.ask("projection.end", keep_rows=True)
        other.begin(place)
    finally:
        other.host.stop()


def test_the_person_says_that_it_is_plain_text(place: str, vault: Vault) -> None:
    with pytest.raises(InputError, match="plain text"):
        vault.ask("projection.begin", place=place)
    with pytest.raises(InputError, match="plain text"):
        vault.ask("projection.begin", place=place, in_plain_text=False)
    for wrong in ("/a/folder", "https://server/x"):
        with pytest.raises(InputError, match="no address"):
            vault.begin(wrong)
    for schema in ("", "A", "a; DROP", "pg_x", 'x"y'):
        with pytest.raises(InputError, match="schema"):
            vault.ask("projection.begin", place=place, in_plain_text=True, schema=schema)
    with pytest.raises(InputError, match="not projected"):
        vault.ask("projection.end")
    state = vault.begin(place)
    assert "open" not in state.place
    assert state.schema == "keepsake"
    with pytest.raises(InputError, match="already"):
        vault.begin(place)


def test_tables_that_another_role_laid_there_are_not_taken(server: PostgresqlServer, place: str, vault: Vault) -> None:
    server.ask("DROP ROLE IF EXISTS thief")
    server.ask("CREATE ROLE thief")
    server.ask("CREATE SCHEMA keepsake; CREATE TABLE keepsake.erased (id text PRIMARY KEY, at timestamptz);"
               "ALTER TABLE keepsake.erased OWNER TO thief", place)  # fmt: skip
    with pytest.raises(ExchangeError, match="another role"):
        vault.begin(place)
