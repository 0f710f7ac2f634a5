"""Hits of a search as a person reads them in a terminal."""

from typing import TYPE_CHECKING

from app.cli.terminal import bold, dim, one_line, printable

# Only to check types: 'keepsake capture' has no use for these and should not wait for them.
if TYPE_CHECKING:
    from app.retrieval.model import Found, Hit, Part, Span, Why

_JUDGED = ("cross_encoder", "late_interaction")
_LEGS = {
    "words": "words",
    "vector": "meaning",
    "recent": "newness",
    "salient": "importance",
    "mentions": "mentions",
    "entity": "other names",
}


def found_lines(result: "Found", first: int, *, styled: bool) -> list[str]:
    """Return the answer of a search, line by line.

    Args:
        result: The answer.
        first: The rank of its first hit.
        styled: Mark terms in bold.
    """
    lines: list[str] = []
    # Ranks are those of the search, so that the hits of a page can be named.
    ranked = list(enumerate(result.hits, first))
    near = [(rank, hit) for rank, hit in ranked if hit.part == "meaning"]
    for rank, hit in ranked:
        if hit.part != "meaning":
            lines += [*([""] if lines else []), *_hit_lines(rank, hit, styled=styled)]
    if near:
        lines += [*([""] if lines else []), bold("Near in meaning", styled=styled)]
    for rank, hit in near:
        lines += ["", *_hit_lines(rank, hit, styled=styled)]
    if not result.hits:
        lines.append("Nothing found.")
    return lines + [dim(printable(note), styled=styled) for note in result.notes]


def why_words(why: "Why", part: "Part" = "words") -> str:
    """Return a hit's reasons: its retrievers with ranks, and the matching words.

    What stands beside the words was found for those: it has a rank by meaning too, however far it is.
    """
    is_neighbour = part == "neighbour"
    parts = [f"{_LEGS[score.leg]} {score.rank}" for score in why.legs if not (is_neighbour and score.leg == "vector")]
    if why.terms:
        parts.append("has " + ", ".join(one_line(term) for term in why.terms))
    parts += [f"reading model {why.features[name]:.2f}" for name in _JUDGED if name in why.features]
    if is_neighbour:
        parts.insert(0, "stands beside what was found")
    elif not parts and why.features.get("date_near"):
        return "is from the time you name"
    elif not parts and why.features:
        return "stands beside what was found"
    return "; ".join(parts) or "matches the filters"


def marked(text: str, spans: "tuple[Span, ...]", *, styled: bool) -> str:
    """Return a snippet on one line with the spans in bold."""
    pieces, at = [], 0
    for span in sorted(spans, key=lambda item: item.start):
        start, end = max(span.start, at), min(span.end, len(text))
        if start < end:
            pieces += [printable(text[at:start]), bold(printable(text[start:end]), styled=styled)]
            at = end
    return " ".join("".join([*pieces, printable(text[at:])]).split())


def _hit_lines(rank: int, hit: "Hit", *, styled: bool) -> list[str]:
    title = one_line(hit.title) or hit.kind.capitalize()
    where = [hit.created_at.astimezone().strftime("%Y-%m-%d %H:%M"), one_line(hit.agent), hit.kind, one_line(hit.id)]
    margin = " " * 4
    return [
        f"{rank:>2}. {bold(title, styled=styled)}",
        margin + dim(" · ".join(part for part in where if part), styled=styled),
        margin + marked(hit.snippet, hit.highlights, styled=styled),
        margin + dim(f"why: {why_words(hit.why, hit.part)}", styled=styled),
    ]
