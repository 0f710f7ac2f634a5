import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import errors
from app.errors import InputError, InternalError, KeepsakeError, MachineError, NotFoundError
from app.rpc.error_codec import from_wire, to_wire

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, KeepsakeError)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_failure_comes_back_as_itself(kind: type[KeepsakeError]) -> None:
    error = kind("A sentence.", id="note-1", count=3)
    wire = to_wire(error)
    assert wire["data"] == error.as_dict()
    back = from_wire(wire)
    assert (type(back).code, back.message, back.data) == (error.code, error.message, error.data)
    assert back.exit_status == error.exit_status


def test_numbers_are_those_of_json_rpc() -> None:
    assert to_wire(errors.UnknownOperationError("x"))["code"] == -32601
    assert to_wire(InputError("x"))["code"] == -32602
    assert to_wire(InternalError("x"))["code"] == -32603
    assert to_wire(NotFoundError("x"))["code"] == -32001


def test_data_may_have_any_names() -> None:
    back = from_wire({"message": "A.", "data": {"code": "stale", "kind": "input", "data": {"message": 1, "self": 2}}})
    assert back.data == {"message": 1, "self": 2}


def test_a_failure_of_a_later_version_is_of_its_family() -> None:
    back = from_wire({"message": "Too hot.", "data": {"code": "overheated", "kind": "machine"}})
    assert type(back) is MachineError


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["code", "kind", "message", "data"]), inner),
        max_leaves=8,
    )
)
def test_nonsense_is_a_failure_too(wire: object) -> None:
    assert from_wire(wire).message
