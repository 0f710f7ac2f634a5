"""Rules of the inbox in the history: what it keeps of them, and their undo.

A rule is named by what it is for, so that two machines that set one for the same agent and kind mean the same rule.
"""

import json
from typing import Final

import apsw

from app.core.clock import to_ms
from app.history.model import TargetKind
from app.history.named_applier import NamedApplier
from app.history.undo import State
from app.inbox import repo
from app.inbox.model import RULE, InboxRule

_PERSON: Final = "person"


class InboxRuleApplier(NamedApplier[InboxRule]):
    """Puts rules of the inbox back into an earlier state."""

    kind: TargetKind = "inbox_rule"

    def find(self, connection: apsw.Connection, target: str) -> InboxRule | None:
        """Return a rule by its id; ``None`` where it is removed."""
        return repo.rule(connection, *_subject(target))

    def state(self, thing: InboxRule) -> State:
        """Return what a rule is for, and what it does."""
        return {"agent": thing.agent, "kind": thing.kind, "action": thing.action}

    def apply(
        self, connection: apsw.Connection, target: str, state: State | None, at_ms: int, current: State | None
    ) -> State | None:
        """Make ``state`` the state of a rule; ``None`` removes it."""
        agent, kind = _subject(target)
        if state is None:
            repo.remove_rule(connection, agent, kind)
            return None
        repo.set_rule(connection, agent, kind, state["action"], at_ms)
        return self.current(connection, target)


RULE_HISTORY: Final = InboxRuleApplier()


def record_unrecorded(connection: apsw.Connection, now_ms: int) -> None:
    """Record the rules that were set before the history told of them.

    Args:
        connection: The writer's connection, inside a transaction.
        now_ms: The time, milliseconds UTC.
    """
    is_recorded = "SELECT EXISTS (SELECT * FROM memory_history WHERE target = ? AND target_kind = 'inbox_rule')"
    for rule in repo.rules(connection):
        if not connection.execute(is_recorded, (rule.id,)).get:
            RULE_HISTORY.record(connection, None, rule, _PERSON, min(to_ms(rule.created_at), now_ms))


def _subject(target: str) -> tuple[str, str]:
    """Return the agent and kind that a rule is for, given its id."""
    agent, kind = json.loads(target.removeprefix(RULE))
    return str(agent), str(kind)
