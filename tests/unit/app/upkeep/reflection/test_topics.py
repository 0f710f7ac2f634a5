"""Topics stand out against earlier weeks."""

from collections import Counter

from app.memories.model import Source
from app.upkeep.reflection.topics import count_documents, terms, topics


def documents(*texts: str) -> list[tuple[frozenset[str], Source]]:
    return [(terms(text), Source("message", f"s#{number}")) for number, text in enumerate(texts)]


def test_terms_are_words_and_pairs_without_stop_words() -> None:
    assert terms("I really love the chess openings, you know!") == {"chess", "openings", "chess openings"}
    assert "lautsprecher" in terms("Der Lautsprecher ist nicht mit dem Kabel verbunden.")
    assert "里昂" in terms("罗莎住在里昂")
    assert terms("") == frozenset()


def test_what_is_always_said_is_no_topic() -> None:
    here = documents(*["the kiln and the oboe"] * 6)
    earlier = count_documents([terms("the oboe in the harbour")] * 100)
    assert [topic.term for topic in topics(here, earlier, 100, frozenset(), 5)] == ["kiln"]


def test_names_and_parts_of_stronger_topics_are_left_out() -> None:
    here = documents(*["the chess openings of Rosa", "a chess opening", "my chess openings"] * 3)
    found = [topic.term for topic in topics(here, Counter(), 0, frozenset({"rosa"}), 5)]
    assert found[0] == "chess openings"
    assert not {"chess", "opening", "openings", "rosa"} & set(found)


def test_the_order_does_not_depend_on_chance() -> None:
    here = documents(*["kiln lantern quarry"] * 4)
    found = topics(here, Counter(), 0, frozenset(), 5)
    assert found == topics(list(reversed(here))[::-1], Counter(), 0, frozenset(), 5)
    assert topics([], Counter(), 0, frozenset(), 5) == ()
