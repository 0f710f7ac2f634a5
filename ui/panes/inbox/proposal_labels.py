"""Proposals in words: what an agent wants to do, and the fields that would change."""

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.text import excerpt
from ui.engine_texts import merge_reason, merged_names
from ui.panes.graph.entity_types import type_label
from ui.panes.labels import kind_label, store_label

if TYPE_CHECKING:
    from app.inbox.model import Proposal, ProposedChange

OWN_NAME = "keepsake"
"""The agent of what Keepsake itself proposes."""
_TITLE = 80
_VERBS: dict[str, object] = {
    "ADD": QT_TRANSLATE_NOOP("Inbox", "New: {title}"),
    "DELETE": QT_TRANSLATE_NOOP("Inbox", "Delete: {title}"),
    "FORGET": QT_TRANSLATE_NOOP("Inbox", "Delete: {title}"),
    "RENAME": QT_TRANSLATE_NOOP("Inbox", "Rename: {title}"),
    "RESTORE": QT_TRANSLATE_NOOP("Inbox", "Restore: {title}"),
    "CONFIRM": QT_TRANSLATE_NOOP("Inbox", "Confirm: {title}"),
    "MERGE": QT_TRANSLATE_NOOP("Inbox", "Merge: {title}"),
    "ARCHIVE": QT_TRANSLATE_NOOP("Inbox", "Archive: {title}"),
}
_OTHER = QT_TRANSLATE_NOOP("Inbox", "Change: {title}")
_STATES: dict[str, object] = {
    "waiting": QT_TRANSLATE_NOOP("Inbox", "Waiting"),
    "accepted": QT_TRANSLATE_NOOP("Inbox", "Accepted"),
    "rejected": QT_TRANSLATE_NOOP("Inbox", "Rejected"),
    "expired": QT_TRANSLATE_NOOP("Inbox", "Expired"),
}
_FIELDS: dict[str, object] = {
    "title": QT_TRANSLATE_NOOP("Inbox", "Title"),
    "content": QT_TRANSLATE_NOOP("Inbox", "Content"),
    "narrative": QT_TRANSLATE_NOOP("Inbox", "Account"),
    "text": QT_TRANSLATE_NOOP("Inbox", "Text"),
    "name": QT_TRANSLATE_NOOP("Inbox", "Name"),
    "category": QT_TRANSLATE_NOOP("Inbox", "Category"),
    "key": QT_TRANSLATE_NOOP("Inbox", "Key"),
    "tags": QT_TRANSLATE_NOOP("Inbox", "Tags"),
    "store": QT_TRANSLATE_NOOP("Inbox", "Store"),
    "pinned": QT_TRANSLATE_NOOP("Inbox", "Pinned"),
    "facts": QT_TRANSLATE_NOOP("Inbox", "Facts"),
    "type": QT_TRANSLATE_NOOP("Inbox", "Type"),
    "summary": QT_TRANSLATE_NOOP("Inbox", "Summary"),
    "aliases": QT_TRANSLATE_NOOP("Inbox", "Other names"),
}
TEXT_FIELDS = ("content", "narrative", "text")
"""Fields that are shown as running text."""
_LISTED = _FIELDS.keys() - set(TEXT_FIELDS)


def state_words(state: str) -> str:
    """Return the state of a proposal in words."""
    return QCoreApplication.translate("Inbox", str(_STATES.get(state, state)))


def headline(proposal: "Proposal") -> str:
    """Return what a proposal would do, such as ``New: Rose list``, or what it asks."""
    changes = proposal.preview.changes
    if not changes:
        return QCoreApplication.translate("Inbox", "Call {operation}").format(operation=proposal.operation)
    names = merged_names(proposal.reason) if proposal.agent == OWN_NAME else None
    if names is not None:
        is_person = any((change.before or change.after or {}).get("type") == "person" for change in changes)
        person = QCoreApplication.translate("Inbox", "Are {other} and {into} the same person?")
        thing = QCoreApplication.translate("Inbox", "Are {other} and {into} the same?")
        return (person if is_person else thing).format(**names)
    # A correction writes the new fact and changes the old one: the new one says more.
    shown = next((change for change in changes if change.event == "ADD"), changes[0])
    verb = str(_VERBS.get(shown.event, _OTHER))
    words = QCoreApplication.translate("Inbox", verb).format(title=title_of(shown))
    more = proposal.preview.count - 1
    if more > 0:
        words = QCoreApplication.translate("Inbox", "{words} (and {n} more)").format(words=words, n=more)
    return words


def reason_of(proposal: "Proposal") -> str:
    """Return why something is proposed: in the agent's words, or in Keepsake's."""
    return merge_reason(proposal.reason) if proposal.agent == OWN_NAME else proposal.reason


def title_of(change: "ProposedChange") -> str:
    """Return the title of a changed thing, or the first words of its text."""
    state = change.after or change.before or {}
    text = change.title or next((str(state[name]) for name in TEXT_FIELDS if state.get(name)), "")
    return excerpt(" ".join(text.split()), _TITLE) or kind_label(change.kind)


def text_of(state: dict[str, Any] | None) -> str:
    """Return the fields of a state as lines, the running text last."""
    if not state:
        return ""
    lines = [
        f"{field_words(name)}: {_value(name, value)}" for name, value in state.items() if name in _LISTED and value
    ]
    lines += [str(state[name]) for name in TEXT_FIELDS if state.get(name)]
    return "\n".join(lines)


def field_words(name: str) -> str:
    """Return what a field of a changed thing is called."""
    return QCoreApplication.translate("Inbox", str(_FIELDS.get(name, name)))


def _value(name: str, value: Any) -> str:
    if name == "store":
        return store_label(str(value))
    if name == "type":
        return type_label(str(value))
    if isinstance(value, bool):
        yes, no = QT_TRANSLATE_NOOP("Inbox", "yes"), QT_TRANSLATE_NOOP("Inbox", "no")
        return QCoreApplication.translate("Inbox", str(yes if value else no))
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)
