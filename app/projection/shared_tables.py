"""Tables that agents on servers query, in one schema of a PostgreSQL database.

Each method is one transaction of the server. An agent is the database role that it connects as: row-level security
shows it its own proposals alone, and it can name neither another agent nor an answer.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec

from app.errors import ExchangeError, InputError
from app.projection.model import DatabaseProposal, SharedRow
from app.sentence import Sentence
from app.sync.exchanges.postgresql_exchange import CHANNEL, NoTableError, PostgresqlDatabase, PostgresqlExchange

READERS: Final = "keepsake_reader"
AGENTS: Final = "keepsake_agent"
LONGEST_DAYS: Final = 90
"""An answered proposal is kept so long, and its key counts so long."""
MAX_ARGUMENTS: Final = 1024 * 1024
"""Bytes of a proposal's arguments that are read."""
_SCHEMA: Final = re.compile(r"(?!pg_)[a-z_][a-z0-9_]{0,39}")
_OF_ONE_AGENT: Final = 20
_AT_ONCE: Final = 200
_TABLES: Final = """
SELECT pg_advisory_xact_lock(1262835025);
DO $do$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = '{schema}') THEN CREATE SCHEMA {schema}; END IF;
END $do$;
CREATE TABLE IF NOT EXISTS {schema}.projector (single boolean PRIMARY KEY DEFAULT true CHECK (single),
  id text NOT NULL);
CREATE TABLE IF NOT EXISTS {schema}.shared_memory (id text PRIMARY KEY, kind text NOT NULL, title text NOT NULL,
  content text NOT NULL, tags text[] NOT NULL, category text NOT NULL, key text NOT NULL, confidence real,
  event_time timestamptz, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, version text NOT NULL,
  words tsvector GENERATED ALWAYS AS (to_tsvector('simple', left(title || ' ' || content, 100000))) STORED);
CREATE INDEX IF NOT EXISTS shared_memory_words ON {schema}.shared_memory USING gin (words);
CREATE TABLE IF NOT EXISTS {schema}.erased (id text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS {schema}.departed (id text PRIMARY KEY);
CREATE TABLE IF NOT EXISTS {schema}.proposal (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  agent name NOT NULL DEFAULT current_user, key text NOT NULL DEFAULT gen_random_uuid()::text, operation text NOT NULL,
  arguments jsonb NOT NULL DEFAULT '{{}}', at timestamptz NOT NULL DEFAULT now(), answer jsonb, answered_at timestamptz,
  UNIQUE (agent, key));
CREATE INDEX IF NOT EXISTS proposal_open ON {schema}.proposal (agent, at) WHERE answer IS NULL;
CREATE OR REPLACE FUNCTION {schema}.tell_of_proposal() RETURNS trigger LANGUAGE plpgsql AS $do$
BEGIN PERFORM pg_notify('{channel}', '{payload}'); RETURN NULL; END $do$;
DROP TRIGGER IF EXISTS tell_of_proposal ON {schema}.proposal;
CREATE TRIGGER tell_of_proposal AFTER INSERT ON {schema}.proposal
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.tell_of_proposal();
ALTER TABLE {schema}.proposal ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS own_proposals ON {schema}.proposal;
CREATE POLICY own_proposals ON {schema}.proposal USING (agent = current_user) WITH CHECK (agent = current_user);
DO $do$ DECLARE readers text := '{readers}, {agents}'; agents text := '{agents}'; BEGIN
  BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{readers}') THEN CREATE ROLE {readers}; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{agents}') THEN CREATE ROLE {agents}; END IF;
  EXCEPTION WHEN insufficient_privilege THEN readers := 'PUBLIC'; agents := 'PUBLIC';
  END;
  EXECUTE 'GRANT USAGE ON SCHEMA {schema} TO ' || readers;
  EXECUTE 'GRANT SELECT ON {schema}.shared_memory, {schema}.erased TO ' || readers;
  EXECUTE 'GRANT SELECT, INSERT (id, key, operation, arguments) ON {schema}.proposal TO ' || agents;
END $do$
"""
_OF_OTHERS: Final = (
    "SELECT 1 FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind IN ('r', 'v', 'p', 'f')"
    " AND relname IN ('projector', 'shared_memory', 'erased', 'departed', 'proposal')"
    " AND (relkind <> 'r' OR relowner <> (SELECT oid FROM pg_roles WHERE rolname = current_user))"
)
_COLUMNS: Final = (
    "id, kind, title, content, tags, category, key, confidence, event_time, created_at, updated_at, version"
)
_UPSERT: Final = (
    "INSERT INTO {schema}.shared_memory (" + _COLUMNS + ") SELECT id, kind, title, content, tags, category, key,"
    " confidence, to_timestamp(event_time / 1000.0), to_timestamp(created_at / 1000.0),"
    " to_timestamp(updated_at / 1000.0), version FROM jsonb_to_recordset(%s::jsonb) AS r (id text, kind text,"
    " title text, content text, tags text[], category text, key text, confidence real, event_time bigint,"
    " created_at bigint, updated_at bigint, version text) ON CONFLICT (id) DO UPDATE SET ("
    + _COLUMNS
    + ") = ROW ("
    + ", ".join(f"excluded.{name}" for name in _COLUMNS.split(", "))
    + ") WHERE shared_memory.version <> excluded.version"
)
# Proposals and answers say what a memory said. An agent is told that one was forgotten though it had left before.
_REMOVE: Final = (
    "WITH gone AS (DELETE FROM {schema}.shared_memory WHERE id = ANY(%s::text[]) RETURNING id), blank AS ("
    "UPDATE {schema}.proposal SET arguments = '{{}}', answer = jsonb_strip_nulls(jsonb_build_object('outcome',"
    " answer -> 'outcome', 'proposed', answer -> 'proposed', 'removed', true)) WHERE answer IS NOT NULL"
    " AND EXISTS (SELECT FROM unnest(%s::text[]) AS one WHERE position(one IN answer::text || arguments::text) > 0)),"
    " known AS (DELETE FROM {schema}.departed WHERE id = ANY(%s::text[]) RETURNING id),"
    " leaving AS (INSERT INTO {schema}.departed (id) SELECT id FROM gone WHERE id <> ALL(%s::text[])"
    " ON CONFLICT DO NOTHING)"
    " INSERT INTO {schema}.erased (id) SELECT id FROM gone WHERE id = ANY(%s::text[]) UNION SELECT id FROM known"
    " ON CONFLICT DO NOTHING"
)
_OPEN: Final = (
    "SELECT id::text, agent::text, left(operation, 200), CASE WHEN length(arguments::text) <= {longest}"
    " THEN arguments::text END, answer IS NOT NULL FROM (SELECT *, row_number() OVER (PARTITION BY agent"
    " ORDER BY at, id) AS place FROM {schema}.proposal WHERE answer IS NULL OR answer ->> 'outcome' = 'begun') AS open"
    " WHERE place <= {each} ORDER BY at, id LIMIT {most}"
)


class SharedTables:
    """Tables of one vault's shared memories.

    Any thread may use it; every method waits for the server.

    Args:
        database: The database.
        schema: The schema, made where there is none.
        projector: The id of the projection, which alone may write them.

    Raises:
        InputError: There can be no such schema.
    """

    def __init__(self, database: PostgresqlDatabase, schema: str, projector: str) -> None:
        if not _SCHEMA.fullmatch(schema):
            raise InputError("A schema's name has 1 to 40 lower-case letters, digits and underscores.", field="schema")
        self.schema = schema
        self.projector = projector
        self._database = database
        self._proposed = PostgresqlExchange(database, _payload(schema))

    def make(self) -> None:
        """Make the tables, and take them for this projection.

        Raises:
            InputError: Another projection writes them.
            MachineError: The server cannot be reached, or refuses it.
        """
        self._rows(_TABLES, channel=CHANNEL, payload=_payload(self.schema), readers=READERS, agents=AGENTS)
        if self._rows(_OF_OTHERS):
            raise ExchangeError("Tables of these names belong to another role of the database. Name another schema.")
        self._rows("INSERT INTO {schema}.projector (id) VALUES (%s) ON CONFLICT DO NOTHING", self.projector)
        if not self._is_own():
            raise InputError(
                Sentence(
                    "The schema '{schema}' holds what another vault shares. Name another schema, or end it there.",
                    schema=self.schema,
                ),
                field="schema",
            )

    def require_own(self) -> None:
        """Refuse where the tables are gone, or another projection writes them."""
        try:
            is_own = self._is_own()
        except NoTableError:
            is_own = False
        if not is_own:
            raise ExchangeError("The tables of the shared store are gone, or another vault has taken them.")

    def versions(self) -> dict[str, str]:
        """Return the version of each memory that is there."""
        return {str(key): str(value) for key, value in self._rows("SELECT id, version FROM {schema}.shared_memory")}

    def put(self, rows: Sequence[SharedRow]) -> None:
        """Add memories, or change those that are there."""
        if rows:
            self._rows(_UPSERT, msgspec.json.encode([row.values for row in rows]).decode())

    def remove(self, ids: Sequence[str], erased: Collection[str]) -> None:
        """Remove memories and what proposals say of them; list those that were forgotten for ever."""
        if ids:
            listed = [memory for memory in ids if memory in erased]
            self._rows(_REMOVE, list(ids), list(ids), listed, listed, listed)

    def open_proposals(self) -> list[DatabaseProposal]:
        """Return proposals without an answer, the oldest first and few of each agent."""
        rows = self._rows(_OPEN, longest=MAX_ARGUMENTS, each=_OF_ONE_AGENT, most=_AT_ONCE)
        return [
            DatabaseProposal(key, self._agent_of(role), operation, arguments, has_begun)
            for key, role, operation, arguments, has_begun in rows
        ]

    def waiting(self) -> list[tuple[str, str, int]]:
        """Return the proposals that wait in the inbox: id, agent and the number there."""
        rows = self._rows(
            "SELECT id::text, agent::text, (answer ->> 'proposed')::bigint FROM {schema}.proposal"
            " WHERE answer ->> 'outcome' = 'waiting'"
        )
        return [(str(key), self._agent_of(role), int(number)) for key, role, number in rows]

    def answer(self, proposal: str, answer: dict[str, Any]) -> None:
        """Answer a proposal."""
        self._rows(
            "UPDATE {schema}.proposal SET answer = %s::jsonb, answered_at = now() WHERE id = %s::uuid",
            msgspec.json.encode(answer).decode(), proposal,
        )  # fmt: skip

    def prune(self) -> None:
        """Remove proposals that were answered long ago."""
        self._rows(
            "DELETE FROM {schema}.proposal WHERE answer ->> 'outcome' NOT IN ('begun', 'waiting')"
            f" AND answered_at < now() - interval '{LONGEST_DAYS} days'"
        )

    def empty(self) -> None:
        """Empty the tables, and give them back."""
        self._rows(
            "TRUNCATE {schema}.shared_memory, {schema}.erased, {schema}.departed, {schema}.proposal, {schema}.projector"
        )

    def give_back(self) -> None:
        """Let another projection take the tables, with what is in them."""
        self._rows("DELETE FROM {schema}.projector WHERE id = %s", self.projector)

    @property
    def hears(self) -> bool:
        """Return whether notifications come through, True while that is not known."""
        return self._proposed.hears

    def wait(self, seconds: float) -> bool:
        """Wait until an agent proposes something, or some seconds; return whether one did."""
        return self._proposed.wait(seconds)

    def close(self) -> None:
        """End the connections for good."""
        self._proposed.close()

    def _agent_of(self, role: str) -> str:
        """Return the name of a role as an agent.

        It names the database too, so that no agent of the person's machine is meant.
        """
        return f"{role}@{self._database.name}"

    def _is_own(self) -> bool:
        return self._rows("SELECT id FROM {schema}.projector") == [(self.projector,)]

    def _rows(self, statement: str, *values: object, **names: object) -> list[tuple[Any, ...]]:
        return self._database.rows(statement.format(schema=self.schema, **names), *values)


def _payload(schema: str) -> str:
    return f"proposal {schema}"
