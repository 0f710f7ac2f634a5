"""A PostgreSQL database as an exchange point: any server, one role, no extension.

Objects are rows that are added and removed, never changed. Who waits hears of new ones by LISTEN; a server between
that carries no notifications is noticed once, and then one looks from time to time. A server that does not answer is
given up after a while, also where the network says nothing of it.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from app.core.ids import new_vault_id
from app.errors import DiskFullError, ExchangeError, InputError, KeepsakeError, MachineError
from app.sentence import Sentence
from app.sync.exchanges.exchange_point import LANE_NAME, LEASES, MOST_BYTES, OBJECT_NAME, VAULT_ID
from app.sync.exchanges.kept_connection import KeptConnection, cut

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")

SCHEMES: Final = ("postgresql://", "postgres://")
CHANNEL: Final = "keepsake"
CONNECT_S: Final = 10
STATEMENT_S: Final = 60
"""Seconds after which the server ends a statement."""
ANSWER_S: Final = 2.0 * STATEMENT_S
"""Seconds after which a connection is given up whose server does not answer."""
PROBE_S: Final = 3.0
_LIMITED: Final[dict[str, str | int]] = {"options": f"-c statement_timeout={STATEMENT_S}s"}
_OPTIONS: Final[dict[str, str | int]] = {
    "connect_timeout": CONNECT_S,
    "application_name": "keepsake",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
# One transaction, which others that make them at this moment wait for. What is sealed cannot be compressed.
_TABLES: Final = (
    "SELECT pg_advisory_xact_lock(1262835024);"
    "CREATE TABLE IF NOT EXISTS keepsake_vault (vault text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());"
    "CREATE TABLE IF NOT EXISTS keepsake_object (vault text NOT NULL REFERENCES keepsake_vault, lane text NOT NULL,"
    " name text NOT NULL, data bytea NOT NULL, at timestamptz NOT NULL DEFAULT now(),"
    " PRIMARY KEY (vault, lane, name));"
    "ALTER TABLE keepsake_object ALTER data SET STORAGE EXTERNAL"
)
# Of PostgreSQL's SQLSTATE codes.
_FULL, _READ_ONLY, _FORBIDDEN = ("53100", "53200"), ("25006",), ("42501",)
_NO_TABLE: Final = ("42P01",)


def database_at(address: str) -> "PostgresqlDatabase":
    """Return the database at an address.

    Raises:
        InputError: It is no address of a database.
    """
    import psycopg  # noqa: PLC0415  (only who has such a place needs it)
    from psycopg import conninfo  # noqa: PLC0415

    try:
        given = conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError as error:
        raise InputError(
            "This is no address of a database. It looks like postgresql://name@server/database.", field="place"
        ) from error
    whole = conninfo.make_conninfo(address, **{**_OPTIONS, **given})
    limited = "" if "options" in given else conninfo.make_conninfo(whole, **_LIMITED)
    return PostgresqlDatabase(whole, limited, str(given.get("dbname") or given.get("user") or ""))


class PostgresqlPlace:
    """Database that a person names.

    Args:
        address: Its address, such as ``postgresql://keeper@server/memory``.

    Raises:
        InputError: It is no address of a database.
    """

    def __init__(self, address: str) -> None:
        database_at(address)
        self.address = address

    def vault(self) -> str | None:
        """Return the id of the vault that the database is for, ``None`` without one."""
        with database_at(self.address) as database, suppress(NoTableError):
            rows = database.rows("SELECT vault FROM keepsake_vault ORDER BY vault LIMIT 2")
            vaults = [str(row[0]) for row in rows if VAULT_ID.fullmatch(str(row[0]))]
            if len(vaults) > 1:
                raise ExchangeError("The database is shared by more than one vault. Name another database.")
            return vaults[0] if vaults else None
        return None

    def make_vault(self, vault: str) -> None:
        """Make the database the exchange point of a vault."""
        with database_at(self.address) as database:
            try:
                known = database.rows(
                    "SELECT 1 FROM keepsake_vault WHERE vault = %s AND NOT EXISTS (SELECT 1 FROM keepsake_object"
                    " WHERE FALSE)",
                    vault,
                )
            except NoTableError:  # or only one of them, where making them was cut off
                known = []
                database.rows(_TABLES)
            if not known:
                database.rows("INSERT INTO keepsake_vault (vault) VALUES (%s) ON CONFLICT DO NOTHING", vault)

    def point(self, vault: str) -> "PostgresqlExchange":
        """Return the exchange point of a vault."""
        return PostgresqlExchange(database_at(self.address), vault)


class PostgresqlExchange:
    """Exchange point of one vault within a database; any thread may use it.

    Args:
        database: The database.
        vault: The id of the vault.
    """

    def __init__(self, database: "PostgresqlDatabase", vault: str) -> None:
        self._database = database
        self._vault = vault
        self._listening = KeptConnection(database.connect)
        self._hears = True

    def require_there(self) -> None:
        """Refuse where the database no longer knows the vault.

        Raises:
            ExchangeError: It was emptied, or is another.
        """
        try:
            known = self._database.rows("SELECT 1 FROM keepsake_vault WHERE vault = %s", self._vault)
        except NoTableError:
            known = []
        if not known:
            raise ExchangeError(
                "The database does not hold what your machines share: it is another one, or was emptied."
            )

    def put_new(self, name: str, data: bytes) -> bool:
        """Keep an object under a new name; return False where another one has it."""
        lane, own = _parts(name)
        made = self._database.rows(
            "WITH made AS (INSERT INTO keepsake_object (vault, lane, name, data) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING vault, lane)"
            " SELECT CASE WHEN lane <> %s THEN pg_notify(%s, vault) END FROM made",
            self._vault, lane, own, data, LEASES, CHANNEL,
        )  # fmt: skip
        return bool(made) or self.get(name) == data

    def gives_names_once(self) -> bool:
        """Return True: the table has each name once."""
        return True

    def get(self, name: str) -> bytes | None:
        """Return an object by its name, ``None`` where there is none."""
        rows = self._database.rows(
            "SELECT CASE WHEN octet_length(data) <= %s THEN data END FROM keepsake_object"
            " WHERE vault = %s AND lane = %s AND name = %s",
            MOST_BYTES, self._vault, *_parts(name),
        )  # fmt: skip
        if rows and not isinstance(rows[0][0], bytes):
            raise ExchangeError("The tables of Keepsake in the database are not those that Keepsake made.")
        return rows[0][0] if rows else None

    def names(self, prefix: str) -> Sequence[str]:
        """Return the names that begin with a prefix and a slash, in order."""
        rows = self._database.rows(
            'SELECT name FROM keepsake_object WHERE vault = %s AND lane = %s ORDER BY name COLLATE "C"',
            self._vault, prefix,
        )  # fmt: skip
        return [f"{prefix}/{name}" for (name,) in rows if OBJECT_NAME.fullmatch(str(name))]

    def lanes(self) -> Sequence[str]:
        """Return what stands before the slash of the names."""
        rows = self._database.rows("SELECT DISTINCT lane FROM keepsake_object WHERE vault = %s", self._vault)
        return sorted(str(lane) for (lane,) in rows if LANE_NAME.fullmatch(str(lane)))

    def remove(self, name: str) -> None:
        """Remove an object, if it is there."""
        self._database.rows(
            "DELETE FROM keepsake_object WHERE vault = %s AND lane = %s AND name = %s", self._vault, *_parts(name)
        )

    @property
    def hears(self) -> bool:
        """Return whether notifications come through, True while that is not known."""
        return self._hears

    @property
    def is_near(self) -> bool:
        """Return False: each look is asked of a server."""
        return False

    def wait(self, seconds: float) -> bool:
        """Wait until another machine adds something, or some seconds; return whether it did."""
        if not self._hears:
            return False
        with self._listening.turn(), _translated():
            try:
                self._hears = self._listening.current is not None or self._can_listen()
                if self._hears:
                    return _is_notified(self._listening.get(), self._vault, seconds, self._database.process)
            except BaseException:
                self._listening.drop()
                raise
            self._listening.drop()
            return False

    def close(self) -> None:
        """End the connections; safe to call twice."""
        self._listening.close()
        self._database.close()

    def _can_listen(self) -> bool:
        """Begin to listen; return whether notifications come through."""
        connection = self._listening.get()
        probe = f"probe {new_vault_id()}"
        with _answering(connection):
            connection.execute(f"LISTEN {CHANNEL}")
        self._database.rows("SELECT pg_notify(%s, %s)", CHANNEL, probe)
        return _is_notified(connection, probe, PROBE_S)


class NoTableError(MachineError):
    """The tables are not there."""


class PostgresqlDatabase:
    """Connection to a database, made when it is needed and again after a loss.

    Any thread may use it.

    Args:
        address: The address, with how to connect.
        limited: The same with a limit of time that the server keeps, ``""`` for none. A server between that does not
            take it, such as PgBouncer, is noticed once.
        name: The database's name.
    """

    def __init__(self, address: str, limited: str, name: str) -> None:
        self.name = name
        self._address = address
        self._limited = limited
        self._kept = KeptConnection(self.connect)

    def __enter__(self) -> Self:
        """Return the database, whose connection is kept until the end of a block."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def process(self) -> int:
        """Return the server's process for what is asked here, 0 without one."""
        connection = self._kept.current
        return 0 if connection is None or connection.closed else connection.info.backend_pid

    def connect(self) -> "psycopg.Connection[Any]":
        """Return a new connection, each of whose statements is a transaction.

        No statement is prepared: behind a pool the next one may reach another process of the server.
        """
        import psycopg  # noqa: PLC0415

        try:
            return psycopg.connect(self._limited or self._address, autocommit=True, prepare_threshold=None)
        except psycopg.OperationalError as error:
            if not self._limited or "startup parameter" not in str(error):
                raise
        self._limited = ""
        return self.connect()

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Return what a statement gives; it is repeated once where the connection was lost meanwhile.

        Raises:
            MachineError: The server cannot be reached, or refuses it.
        """
        with self._kept.turn(), _translated():
            return self._repeated(lambda connection: _rows(connection, statement, values))

    def close(self) -> None:
        """End the connection for good, without waiting for the server.

        A thread that waits for an answer gets none.
        """
        self._kept.close()

    def _repeated(self, work: "Callable[[psycopg.Connection[Any]], T]") -> T:
        import psycopg  # noqa: PLC0415

        is_old = self._kept.current is not None
        try:
            return work(self._kept.get())
        except psycopg.OperationalError:
            is_lost = self._kept.is_lost
            self._kept.drop()
            if not (is_old and is_lost):
                raise
        try:
            return work(self._kept.get())
        except psycopg.OperationalError:
            self._kept.drop()
            raise


def _rows(connection: "psycopg.Connection[Any]", statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    with _answering(connection):
        cursor = connection.execute(statement.encode(), values or None)
        return cursor.fetchall() if cursor.description is not None else []


@contextmanager
def _answering(connection: "psycopg.Connection[Any]") -> Iterator[None]:
    """Give a connection up where its server does not answer in time.

    Raises:
        ExchangeError: It did not.
    """
    is_late = threading.Event()

    def give_up() -> None:
        is_late.set()
        cut(connection)

    timer = threading.Timer(ANSWER_S, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    except Exception as error:
        if is_late.is_set():
            raise ExchangeError("The database cannot be reached: it does not answer.") from error
        raise
    finally:
        timer.cancel()


def _is_notified(connection: "psycopg.Connection[Any]", payload: str, seconds: float, own: int = 0) -> bool:
    """Return whether a notification came in time, other than from the server's process ``own``."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        for found in connection.notifies(timeout=left, stop_after=1):
            if found.payload == payload and found.pid != own:
                return True
    return False


@contextmanager
def _translated() -> Iterator[None]:
    """Turn errors of the server and its driver into ours."""
    import psycopg  # noqa: PLC0415

    try:
        yield
    except psycopg.Error as error:
        raise _failure(error.sqlstate, str(error).strip().partition("\n")[0]) from error


def _failure(state: str | None, reason: str) -> KeepsakeError:
    known: list[tuple[tuple[str, ...], KeepsakeError]] = [
        (_NO_TABLE, NoTableError("The tables of Keepsake are not in the database.")),
        (_FULL, DiskFullError("The database is full. Make room there; nothing is lost meanwhile.")),
        (_READ_ONLY, ExchangeError("The database takes no changes at the moment: it is read-only.")),
        (
            _FORBIDDEN,
            ExchangeError("This role may not do that in the database. Let it make tables there, or name another."),
        ),
    ]
    for states, failure in known:
        if state in states:
            return failure
    if state is None or state.startswith(("08", "57", "53")):
        return ExchangeError(
            Sentence("The database cannot be reached: {reason}.", reason=reason.rpartition("failed: ")[2])
        )
    return ExchangeError(Sentence("The database refused what was asked: {reason}.", reason=reason), state=state)


def _parts(name: str) -> tuple[str, str]:
    lane, _, own = name.partition("/")
    return lane, own
