from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing.message_tree import Branch, branch

NODES = st.dictionaries(st.sampled_from("abcdefgh"), st.none() | st.sampled_from("abcdefghx"), max_size=8)


def test_the_leaf_in_use_decides() -> None:
    assert branch({"a": None, "b": "a", "c": "a"}, {}, "b") == Branch(("a", "b"))


def test_the_latest_leaf_decides_where_none_is_named() -> None:
    assert branch({"a": None, "b": "a", "c": "a"}, {"b": 2.0, "c": 1.0}, "") == Branch(("a", "b"))


def test_a_gap_is_reported() -> None:
    assert branch({"a": None, "b": "gone", "c": "b"}, {}, "c") == Branch(("b", "c"), broken=True)


@given(NODES, st.sampled_from("abcdefghx"))
def test_any_shape_ends_and_names_each_node_once(parents: dict[str, str | None], leaf: str) -> None:
    found = branch(parents, dict.fromkeys(parents, 1.0), leaf)
    assert len(set(found.nodes)) == len(found.nodes)
    assert set(found.nodes) <= parents.keys()
    assert bool(found.nodes) == bool(parents)
