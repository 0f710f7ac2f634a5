"""Sentences of a comparison: moves of hits, shared hits, the better side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QLocale

from ui.dialogs.models.model_title import model_title
from ui.models.dates import format_number
from ui.translation import translate

if TYPE_CHECKING:
    from app.evaluation.comparison_model import QueryComparison, RankingComparison, SideHit, SideTotal

Side = Literal["now", "other"]
Tone = Literal["plain", "moved", "lost"]


@dataclass(frozen=True, slots=True)
class Mark:
    """Mark beside a hit: a few signs, their spoken form, and a tone."""

    text: str
    speech: str
    tone: Tone = "plain"


def mark_of(hit: "SideHit", side: Side) -> Mark:
    """Return where a hit of one side stands on the other."""
    if hit.other is None:
        if side == "now":
            return Mark(
                translate("Comparing", "gone"), translate("Comparing", "not among the hits of the other side"), "lost"
            )
        return Mark(translate("Comparing", "new"), translate("Comparing", "not among the hits so far"), "moved")
    if hit.other == hit.place:
        return Mark("=", translate("Comparing", "at the same place on both sides"))
    if side == "now":
        return Mark(
            f"→ {hit.other}",
            translate("Comparing", "at place {place} on the other side").format(place=hit.other),
            "moved",
        )
    steps = hit.other - hit.place
    if steps > 0:
        return Mark(f"▲ {steps}", translate("Comparing", "up by {steps}").format(steps=steps), "moved")
    return Mark(f"▼ {-steps}", translate("Comparing", "down by {steps}").format(steps=-steps), "moved")


def query_line(row: "QueryComparison") -> str:
    """Return in a line what a query's two answers share."""
    if row.is_same:
        shared = (
            translate("Comparing", "the same on both sides")
            if row.now.hits
            else translate("Comparing", "nothing found on either side")
        )
    else:
        most = max(len(row.now.hits), len(row.other.hits))
        shared = translate("Comparing", "{common} of {most} shared").format(common=row.common, most=most)
        if row.moved and not row.target:
            shared = f"{shared} · " + translate("Comparing", "{moved} moved").format(moved=row.moved)
    if not row.target or row.now.place == row.other.place:
        return shared
    places = [
        translate("Comparing", "none") if place is None else str(place) for place in (row.now.place, row.other.place)
    ]
    return translate("Comparing", "answer {now} → {other}").format(now=places[0], other=places[1]) + f" · {shared}"


def verdict(found: "RankingComparison") -> str:
    """Return in a sentence or two what a comparison came to."""
    if found.queries == 1:
        alike = (
            translate("Comparing", "The query is answered alike.")
            if found.same
            else translate("Comparing", "{share} of the hits are shared.")
        )
    else:
        alike = translate(
            "Comparing", "{same} of {queries} queries are answered alike; on average {share} of the hits are shared."
        )
    parts = [alike.format(same=found.same, queries=found.queries, share=percent(found.overlap))]
    if found.better or found.worse:
        parts.append(
            translate("Comparing", "Known answers that rise: {better}; that fall: {worse}.").format(
                better=found.better, worse=found.worse
            )
        )
    elif known(found.now):
        parts.append(translate("Comparing", "Every known answer stands where it stood."))
    parts += [
        _missing(side.missing).format(count=format_number(side.missing), model=model_title(side.model))
        for side in (found.now, found.other)
        if side.missing
    ]
    if found.cancelled:
        parts.append(translate("Comparing", "It was stopped, so this is of part of the queries."))
    return " ".join((*parts, *found.notes))


def _missing(number: int) -> str:
    one, many = (
        translate("Comparing", "1 text has no vector by {model} yet."),
        translate("Comparing", "{count} texts have no vector by {model} yet."),
    )
    return one if number == 1 else many


def known(side: "SideTotal") -> bool:
    """Return whether questions with a known answer were asked."""
    return side.made is not None or side.judged is not None


def figures(side: "SideTotal") -> list[str]:
    """Return a side's figures, in the order of ``figure_names``.

    A dash where no answer was known.
    """
    shares = ["–"] * 4
    if known(side):
        first, five, ten, mrr = _shares(side)
        shares = [percent(first), percent(five), percent(ten), decimal(mrr, 3)]
    return [*shares, translate("Comparing", "{ms} ms").format(ms=decimal(side.p50_ms, 1))]


def leading(found: "RankingComparison") -> tuple[list[bool], list[bool]]:
    """Return of either side which of its figures are better than the other's.

    Of the time none, for it wavers.
    """
    now, other = _shares(found.now), _shares(found.other)
    return (
        [*(one > two for one, two in zip(now, other, strict=True)), False],
        [*(two > one for one, two in zip(now, other, strict=True)), False],
    )


def _shares(side: "SideTotal") -> tuple[float, float, float, float]:
    score = side.made or side.judged
    return (0.0, 0.0, 0.0, 0.0) if score is None else (score.recall_1, score.recall_5, score.recall_10, score.mrr)


def figure_names() -> list[str]:
    """Return what the figures are called."""
    return [
        translate("Comparing", "answer first"),
        translate("Comparing", "in top 5"),
        translate("Comparing", "in top 10"),
        translate("Comparing", "MRR"),
        translate("Comparing", "median time"),
    ]


def side_names(found: "RankingComparison") -> tuple[str, str]:
    """Return what the two sides are called.

    By their ranking where they differ in that, else by their model.
    """
    if found.now.recipe != found.other.recipe:
        return found.now.recipe, found.other.recipe
    return model_title(found.now.model), model_title(found.other.model)


def side_titles(found: "RankingComparison") -> tuple[str, str]:
    """Return what the two sides are called, with which is which."""
    now, other = side_names(found)
    return translate("Comparing", "Now: {name}").format(name=now), translate("Comparing", "Instead: {name}").format(
        name=other
    )


def origin_text(row: "QueryComparison") -> str:
    """Return where a query comes from that the person does not ask now, else nothing."""
    return {
        "made": translate("Comparing", "made from the vault"),
        "judged": translate("Comparing", "you judged its answer"),
    }.get(row.origin, "")


def made_note(found: "RankingComparison") -> str:
    """Return how far figures of questions made from the vault can be trusted.

    Nothing where none was asked.
    """
    if found.now.made is None:
        return ""
    return translate(
        "Comparing",
        "The questions made from the vault are words of its texts, which favours finding by words; your own searches,"
        " below, tell more.",
    )


def figure_notes() -> list[str]:
    """Return what the figures mean."""
    return [
        translate("Comparing", "How often the known answer came first"),
        translate("Comparing", "How often the known answer was among the first 5"),
        translate("Comparing", "How often the known answer was among the first 10"),
        translate("Comparing", "Mean of 1 divided by the place of the known answer: 1 where it is always first"),
        translate("Comparing", "Half of the searches took less time"),
    ]


def queries_of(text: str, most: int) -> list[str]:
    """Return the queries of a text with one a line, each once, ``most`` at most."""
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))[:most]


def lines_of(*searches: Sequence[str]) -> str:
    """Return searches as a text with one a line, each once."""
    return "\n".join(dict.fromkeys(" ".join(text.split()) for group in searches for text in group if text.strip()))


def percent(share: float) -> str:
    """Return a share as a whole number of hundredths."""
    return translate("Comparing", "{n} %").format(n=round(share * 100))


def decimal(number: float, digits: int) -> str:
    """Return a number as the person's language writes it."""
    return QLocale().toString(number, "f", digits)
