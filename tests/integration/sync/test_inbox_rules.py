"""Rules of the inbox hold on all machines, and of two set at once the stricter one."""

import pytest

from app.history.acts.model import sentence
from tests.helpers.engine import engine_of
from tests.integration.sync.machines import Machine, settle

RULES = "SELECT agent, kind, action FROM inbox_rules"


def test_a_rule_travels_and_so_does_its_removal(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("inbox.rule.set", action="reject", agent="claude", kind="fact")
    settle(one, other)
    assert other.rows(RULES) == [("claude", "fact", "reject")]
    other.ask("inbox.rule.set", action="review", agent="claude", kind="fact")
    settle(one, other)
    assert one.rows(RULES) == [("claude", "fact", "review")]
    other.ask("inbox.rule.remove", agent="claude", kind="fact")
    settle(one, other)
    assert one.rows(RULES) == []


@pytest.mark.parametrize(("first", "second"), [("accept", "reject"), ("reject", "accept")])
def test_of_two_rules_set_at_once_the_stricter_holds(joined: tuple[Machine, Machine], first: str, second: str) -> None:
    one, other = joined
    one.ask("inbox.rule.set", action=first, agent="claude")
    other.ask("inbox.rule.set", action=second, agent="claude")
    settle(one, other)
    assert one.rows(RULES) == [("claude", "", "reject")]


def test_a_change_holds_against_a_removal_that_did_not_know_it(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("inbox.rule.set", action="review", agent="claude")
    settle(one, other)
    one.ask("inbox.rule.remove", agent="claude")
    other.ask("inbox.rule.set", action="reject", agent="claude")
    settle(one, other)
    assert one.rows(RULES) == [("claude", "", "reject")]


def test_a_rule_from_before_the_history_told_of_rules_travels(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    sql = "INSERT INTO inbox_rules (agent, kind, action, created_at) VALUES ('claude', '', 'reject', 1)"
    one.host.submit(engine_of(one.host).store.write(lambda connection: connection.execute(sql).fetchall())).result()
    settle(one, other)
    assert other.rows(RULES) == [("claude", "", "reject")]
    recorded = "SELECT count(*) FROM memory_history WHERE target_kind = 'inbox_rule'"
    assert one.rows(recorded) == other.rows(recorded) == [(1,)]


def test_the_other_machines_rule_is_undone_here(joined: tuple[Machine, Machine]) -> None:
    one, other = joined
    one.ask("inbox.rule.set", action="accept", agent="claude")
    settle(one, other)
    [act] = other.ask("history.list").acts
    assert sentence(act) == "Created the inbox rule ‘claude’"
    other.ask("history.undo", id=act.id)
    settle(one, other)
    assert one.rows(RULES) == []
