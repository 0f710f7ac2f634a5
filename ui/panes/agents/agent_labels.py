"""Agents in words: trust, state, and calls as a person would tell them."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.declared_operations import declared_operations
from ui.engine_texts import engine_text
from ui.models.cards import Badge, Tone
from ui.models.dates import format_number, short_date
from ui.panes.schedule.run_labels import coming

if TYPE_CHECKING:
    from app.agents.ledger.model import AgentActivity, LedgerCall
    from app.agents.model import Agent, Incognito

LEVELS = ("public", "familiar", "inner", "full")
_TRUST: dict[str, object] = {
    "public": QT_TRANSLATE_NOOP("Agents", "Public: sees nothing of yours"),
    "familiar": QT_TRANSLATE_NOOP("Agents", "Familiar: sees what is social"),
    "inner": QT_TRANSLATE_NOOP("Agents", "Inner: sees what is shared and social"),
    "full": QT_TRANSLATE_NOOP("Agents", "Full: sees everything, private too"),
}


def trust_words(trust: str) -> str:
    """Return a level of trust in words."""
    return QCoreApplication.translate("Agents", str(_TRUST.get(trust, trust)))


def call_words(call: "LedgerCall") -> str:
    """Return what a call did, such as ``Searched your memory``."""
    return operation_words(call.operation)


def operation_words(operation: str) -> str:
    """Return what a call of an operation does, such as ``Searched your memory``."""
    sentence = declared_operations().sentences.get(operation)
    return operation if sentence is None else engine_text(sentence)


def outcome_badge(call: "LedgerCall") -> Badge | None:
    """Return a badge where a call did not simply succeed."""
    if call.is_echo:
        return Badge(QCoreApplication.translate("Agents", "Echo"), "warn")
    if call.outcome == "done":
        return None
    if call.outcome == "proposed":
        return _proposal_badge(call.became)
    if call.outcome in ("access_denied", "access_required", "agent_paused"):
        return Badge(QCoreApplication.translate("Agents", "Refused"), "warn")
    return Badge(QCoreApplication.translate("Agents", "Failed"), "bad")


def _proposal_badge(state: str) -> Badge:
    words = {
        "waiting": QCoreApplication.translate("Agents", "In the inbox"),
        "accepted": QCoreApplication.translate("Agents", "Accepted"),
        "rejected": QCoreApplication.translate("Agents", "Rejected"),
        "expired": QCoreApplication.translate("Agents", "Expired"),
    }
    tone: Tone = "accent" if state == "waiting" else "good" if state == "accepted" else "quiet"
    return Badge(words.get(state, QCoreApplication.translate("Agents", "Proposed")), tone)


def agent_badges(agent: "Agent") -> tuple[Badge, ...]:
    """Return the badges of an agent's state."""
    badges = []
    if agent.revoked_at is not None:
        badges.append(Badge(QCoreApplication.translate("Agents", "Revoked"), "quiet"))
    elif agent.paused:
        badges.append(Badge(QCoreApplication.translate("Agents", "Paused"), "warn", "pause"))
    if agent.review and agent.revoked_at is None:
        badges.append(Badge(QCoreApplication.translate("Agents", "Reviewed"), "accent"))
    return tuple(badges)


def seen_words(agent: "Agent", now: datetime) -> str:
    """Return when an agent last connected."""
    if agent.last_seen_at is None:
        return QCoreApplication.translate("Agents", "Never connected")
    when = short_date(agent.last_seen_at, now)
    return QCoreApplication.translate("Agents", "Last seen {when}").format(when=when)


def activity_words(sums: "AgentActivity") -> str:
    """Return an agent's sums in a sentence."""
    translate = QCoreApplication.translate
    if not sums.calls:
        return translate("Agents", "{agent} has not called.").format(agent=sums.agent)
    others = sums.reads - sums.searches
    counts = (
        (sums.searches, translate("Agents", "1 search"), translate("Agents", "{n} searches")),
        (others, translate("Agents", "1 other read"), translate("Agents", "{n} other reads")),
        (sums.items_read, translate("Agents", "1 item read"), translate("Agents", "{n} different items read")),
        (sums.writes, translate("Agents", "1 write"), translate("Agents", "{n} writes")),
        (sums.items_written, translate("Agents", "1 item changed"), translate("Agents", "{n} items changed")),
        (
            sums.proposed,
            translate("Agents", "1 proposal for the inbox"),
            translate("Agents", "{n} proposals for the inbox"),
        ),
        (sums.refusals, translate("Agents", "1 call refused"), translate("Agents", "{n} calls refused")),
        (sums.failures, translate("Agents", "1 call failed"), translate("Agents", "{n} calls failed")),
        (
            sums.echoes,
            translate("Agents", "1 write that repeated recalled text"),
            translate("Agents", "{n} writes that repeated recalled text"),
        ),
    )
    parts = [(single if count == 1 else many).format(n=format_number(count)) for count, single, many in counts if count]
    return translate("Agents", "{agent}: {counts}.").format(agent=sums.agent, counts=" · ".join(parts))


def incognito_words(state: "Incognito") -> str:
    """Return what the incognito switch means at this moment, in a sentence."""
    if not state.is_on:
        return QCoreApplication.translate("Agents", "Incognito is off: your agents may read and record.")
    if state.until is None:
        return QCoreApplication.translate("Agents", "Incognito is on: no agent can read or record.")
    words = QCoreApplication.translate("Agents", "Incognito is on until {when}: no agent can read or record.")
    return words.format(when=coming(state.until, datetime.now(UTC)))
