"""Capture policy: agents whose conversations are stored.

An agent can be switched off; nothing of it is stored then, without an error.
"""

from collections.abc import Callable

import apsw

from app.core.stores import StoreName
from app.sessions import repo
from app.sessions.compaction.compaction_plan import SessionOptions

# The store of captured memories by the agent's trust; nothing is captured from public agents.
_STORES: dict[str, StoreName] = {"full": "private", "inner": "shared", "familiar": "social"}


class CapturePolicy:
    """Decides whether something may be stored of a conversation.

    Args:
        options: Returns the current session options.
    """

    def __init__(self, options: Callable[[], SessionOptions]) -> None:
        self._options = options

    def keeps(
        self,
        connection: apsw.Connection,
        session: str | None,
        *agents: str,
        channel: str = "",
        owner: str | None,
    ) -> bool:
        """Return whether messages may be stored.

        Args:
            connection: The transaction that would store them.
            session: The conversation they belong to, whose own agent counts too.
            agents: Who is named as speaking or storing; ``""`` names nobody.
            channel: What finds the conversation where ``session`` does not.
            owner: The agent that the conversation must be with; ``None`` for any.
        """
        return self.allows(connection, *agents, repo.locate(connection, session, channel, owner).agent)

    def allows(self, connection: apsw.Connection, *agents: str) -> bool:
        """Return whether something may be stored of these agents; empty names do not count."""
        names = {name for agent in agents if (name := agent.strip())}
        return names.isdisjoint(self._options().excluded_agents) and names.isdisjoint(_switched_off(connection))


def capture_store(connection: apsw.Connection, session: str) -> StoreName | None:
    """Return the store of memories from a conversation, ``None`` where none may be taken.

    The trust that its agent has now decides.
    """
    row = connection.execute(
        "SELECT coalesce((SELECT a.trust FROM agents a WHERE a.name = s.agent), s.trust)"
        " FROM sessions s WHERE s.id = ?",
        (session,),
    ).fetchone()
    return None if row is None else _STORES.get(str(row[0]))


def _switched_off(connection: apsw.Connection) -> list[str]:
    return [str(row[0]) for row in connection.execute("SELECT name FROM agents WHERE enabled = 0")]
