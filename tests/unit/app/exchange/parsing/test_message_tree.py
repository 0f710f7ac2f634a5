from hypothesis import given
from hypothesis import strategies as st

from app.exchange.parsing.message_tree import Branch, branch, other_branches

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


def test_other_branches_begin_where_they_leave() -> None:
    parents = {"a": None, "b": "a", "c": "a", "d": "c", "e": "c"}
    found = other_branches(parents, {}, branch(parents, {}, "b"))
    assert found == [("a", Branch(("c", "d"))), ("c", Branch(("e",)))]


@given(NODES)
def test_no_node_of_a_tree_is_in_two_branches(parents: dict[str, str | None]) -> None:
    used = branch(parents, {}, "a")
    ways = [used.nodes, *(other.nodes for _, other in other_branches(parents, {}, used))]
    nodes = [node for way in ways for node in way]
    assert len(nodes) == len({*nodes})
    assert {*nodes} <= {*parents}
