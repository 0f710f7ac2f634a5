"""Facts of a page by rules, without a model."""

from collections.abc import Sequence
from typing import Final

from app.extraction.extractor import CONFIDENCE, extract
from app.extraction.model import SpokenLine
from app.upkeep.consolidation.model import FoundFact, PageLine

SOURCE: Final = "rules"


def facts_by_rules(lines: Sequence[PageLine]) -> list[FoundFact]:
    """Return the sentences of ``lines`` that the rules choose, each with who says it."""
    spoken = [SpokenLine(line.seq, line.role, line.speaker, line.text, line.at) for line in lines]
    return [
        FoundFact(
            fact.content,
            (fact.seq,),
            CONFIDENCE,
            SOURCE,
            event_time=fact.event_time,
            attributes={"statement": fact.family, "said_by": fact.said_by},
        )
        for fact in extract(spoken)
    ]
