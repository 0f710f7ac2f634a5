"""Sentences about the entries of the history, in the person's language."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from app.history.acts.model import Act, deed, refusal_of, sentence, undone_before
from ui.dialogs.exchange.import_report import format_name
from ui.engine_texts import engine_text
from ui.translation import translate

_say = partial(translate, "Engine")


def act_text(act: Act) -> str:
    """Return an act in one sentence, without who did it."""
    return sentence(_named(act), _say)


def deed_text(act: Act) -> str:
    """Return what an act did; for one that undid another, what that one did."""
    return deed(_named(act), _say)


def refusal_text(act: Act, first: Act | None) -> str:
    """Return why an act cannot be undone now, ``""`` where nothing is in the way.

    Args:
        act: The act.
        first: The act to undo first, where one is known.
    """
    if act.obstacle is None:
        return engine_text(act.refusal)
    words = "" if first is None else act_text(first)
    return refusal_of(act.obstacle, words, _say)


def undone_text(acts: Sequence[Act]) -> str:
    """Return the sentence about acts that were undone before another was refused."""
    return undone_before([act_text(act) for act in acts], _say)


def actor_text(act: Act) -> str:
    """Return who did it, in one or two words."""
    if act.actor == "person":
        return translate("Acts", "You")
    if act.who == "upkeep":
        return translate("Acts", "Keepsake, by itself")
    if act.who == "imports":
        return translate("Acts", "The mirrored folder")
    return act.actor


def _named(act: Act) -> Act:
    if act.target_kind == "schedule":
        act = replace(act, title=engine_text(act.title))
    return replace(act, source=format_name(act.source)) if act.source else act
