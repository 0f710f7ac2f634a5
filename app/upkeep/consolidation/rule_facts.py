"""Facts of a page by rules, without a model."""

from collections.abc import Sequence
from typing import Final

from app.extraction.extractor import extract
from app.extraction.model import SpokenLine
from app.upkeep.consolidation.model import FoundFact, PageLine

SOURCE: Final = "rules"
_MASKED: Final = "[secret:"


def facts_by_rules(lines: Sequence[PageLine]) -> list[FoundFact]:
    """Return the facts that the rules find in ``lines``."""
    spoken = [SpokenLine(line.seq, line.role, line.speaker, line.text, line.at) for line in lines]
    return [
        FoundFact(
            fact.content,
            fact.source_seqs,
            fact.confidence,
            SOURCE,
            fact.category,
            fact.key,
            event_time=fact.event_time,
            attributes={"statement": fact.family},
        )
        for fact in extract(spoken)
        if fact.source_seqs and _MASKED not in fact.content
    ]
