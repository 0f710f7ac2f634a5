"""The reason why a search does not show something, as plain sentences."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.explain.model import Explanation
from ui.models.dates import format_number
from ui.panes.search.why.why_sentence import joined, quoted

_GONE = {
    "missing": QT_TRANSLATE_NOOP("Words", "It is no longer there."),
    "deleted": QT_TRANSLATE_NOOP("Words", "It was deleted. Restore it from the trash, and searches find it again."),
    "archived": QT_TRANSLATE_NOOP("Words", "It is in the archive, which searches leave out. Add is:archived."),
    "forgotten": QT_TRANSLATE_NOOP("Words", "Its conversation was deleted."),
    "unindexed": QT_TRANSLATE_NOOP("Words", "It is not ready to be searched yet, or has no words of its own."),
    "excluded": QT_TRANSLATE_NOOP("Words", "Your search rules it out by {words}."),
    "filtered": QT_TRANSLATE_NOOP("Words", "Your search leaves it out because of {operators}."),
    "spread": QT_TRANSLATE_NOOP("Words", "Other messages of its conversation came first."),
}  # fmt: skip
_NO_WORDS = QT_TRANSLATE_NOOP("Words", "It shares no word with your search, and others are nearer in meaning.")
_SOME_WORDS = QT_TRANSLATE_NOOP("Words", "It says {words}, but not {lacking}, and others fit better.")
_ALL_WORDS = QT_TRANSLATE_NOOP("Words", "It says {words}, but so many others do that it did not come among the best.")
_ONLY_SOME = QT_TRANSLATE_NOOP("Words", "It does not say {lacking}.")
_BELOW = QT_TRANSLATE_NOOP("Words", "It was found, but only as number {place}; the first {limit} are shown.")
_SHOWN = QT_TRANSLATE_NOOP("Words", "It was found: it is number {place} of the results.")


def why_not_sentence(explanation: Explanation) -> str:
    """Return the reason why a search does not show an item, in plain words."""
    if explanation.stage == "filtered":
        return _said(_GONE["filtered"]).format(operators=joined(explanation.failed))
    if explanation.stage == "excluded":
        return _said(_GONE["excluded"]).format(words=joined(explanation.failed))
    if explanation.stage in _GONE:
        return _said(_GONE[explanation.stage])
    return _ranked(explanation) if explanation.stage in ("shown", "below") else _unranked(explanation)


def _unranked(explanation: Explanation) -> str:
    """Return why an item did not come among those that were ranked."""
    if not explanation.terms:
        return _said(_NO_WORDS)
    if explanation.lacking:
        return _said(_SOME_WORDS).format(words=quoted(explanation.terms), lacking=quoted(explanation.lacking))
    return _said(_ALL_WORDS).format(words=quoted(explanation.terms))


def _ranked(explanation: Explanation) -> str:
    """Return the place of an item that was ranked, and the words that it lacks."""
    template = _said(_SHOWN) if explanation.stage == "shown" else _said(_BELOW)
    sentence = template.format(place=format_number(explanation.place or 0), limit=format_number(explanation.limit))
    if explanation.stage == "below" and explanation.lacking:
        sentence += " " + _said(_ONLY_SOME).format(lacking=quoted(explanation.lacking))
    return sentence


def _said(text: object) -> str:
    return QCoreApplication.translate("Words", str(text))
