"""The messages of both sides: hello and welcome, then JSON-RPC 2.0 requests, answers and notifications."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from app.errors import InputError, KeepsakeError, MachineError
from app.rpc.error_codec import from_wire, to_wire
from app.rpc.framing import PROTOCOL, FrameError, Message
from app.sentence import Sentence
from app.sentence_codec import with_sentences

RequestId = str | int
# Takes the kind of an event (``changed``, ``progressed``, ``dropped``) and the event as JSON values.
EventListener = Callable[[str, Any], None]

CHANGED = "changed"
PROGRESSED = "progressed"
DROPPED = "dropped"
_MAX_ID = 200
MAX_CLIENT_NAME = 200


@dataclass(frozen=True, slots=True)
class RpcRequest:
    """A request of a client: an operation or a method of the socket, with arguments.

    Without an id it is a notification: it is carried out and not answered.
    """

    id: RequestId | None
    method: str
    params: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a client.

    Args:
        token: The token it shows, ``""`` for none.
        name: The name of the program, ``""`` for the owner's own.
        version: Its version.
    """

    token: str
    name: str = ""
    version: str = ""


def hello(token: str, name: str = "", version: str = "") -> Message:
    """Return the first message of a client; the owner's own programs need no name."""
    named = {"name": name, "version": version} if name else {}
    return {"keepsake": PROTOCOL, "token": token, **named}


def hello_of(message: Message) -> Hello:
    """Return the hello in a message.

    Raises:
        FrameError: It is no hello, or of another protocol.
    """
    protocol, token = message.get("keepsake"), message.get("token")
    name, version = message.get("name", ""), message.get("version", "")
    if type(protocol) is not int or not isinstance(token, str):
        raise FrameError("The first message must be a hello: the protocol's number as 'keepsake', and a 'token'.")
    if protocol != PROTOCOL:
        raise FrameError(
            Sentence("This Keepsake speaks protocol {known}, not {protocol}.", known=PROTOCOL, protocol=protocol),
            protocol=PROTOCOL,
            given=protocol,
        )
    for field, value in (("name", name), ("version", version)):
        if not isinstance(value, str) or len(value) > MAX_CLIENT_NAME:
            raise FrameError(
                Sentence(
                    "The '{field}' in a hello must be a text of at most {most} characters.",
                    field=field,
                    most=MAX_CLIENT_NAME,
                )
            )
    return Hello(token, name, version)


def welcome(version: str, vault: str, pid: int, caller: Mapping[str, str] | None = None) -> Message:
    """Return the answer to a hello; ``caller`` says who the host takes the client for."""
    return {"keepsake": PROTOCOL, "version": version, "vault": vault, "pid": pid, "caller": dict(caller or {})}


def check_welcome(message: Message) -> Mapping[str, str]:
    """Return the caller that the host takes us for, or raise its refusal."""
    if "error" in message:
        raise from_wire(message["error"])
    if message.get("keepsake") != PROTOCOL:
        raise MachineError("The Keepsake that runs is of another version. Quit it and start it again.")
    caller = message.get("caller")
    return caller if isinstance(caller, dict) else {}


def request(request_id: RequestId, method: str, params: Mapping[str, Any]) -> Message:
    """Return a request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": dict(params)}


def request_of(message: object) -> RpcRequest:
    """Return the request in a message.

    Raises:
        FrameError: It is none; the sentence says why.
    """
    if not isinstance(message, dict):
        raise FrameError("A request must be a JSON object.")
    request_id, method, params = message.get("id"), message.get("method"), message.get("params", {})
    if message.get("jsonrpc") != "2.0":
        raise FrameError("A request must have 'jsonrpc': '2.0'.")
    if "id" in message and valid_id(message) is None:
        raise FrameError(
            Sentence("A request's 'id' must be a whole number or a text of at most {most} characters.", most=_MAX_ID)
        )
    if not isinstance(method, str) or not method:
        raise FrameError("A request's 'method' must be the name of an operation.")
    if not isinstance(params, dict):
        raise InputError("A request's 'params' must be an object with the arguments by name.")
    return RpcRequest(request_id, method, params)


def valid_id(message: object) -> RequestId | None:
    """Return a message's id, ``None`` without a usable one."""
    request_id = message.get("id") if isinstance(message, dict) else None
    if type(request_id) is int or (isinstance(request_id, str) and len(request_id) <= _MAX_ID):
        return request_id
    return None


def is_notification(message: object) -> bool:
    """Return whether a message is a notification, which is not answered."""
    return (
        isinstance(message, dict)
        and "id" not in message
        and message.get("jsonrpc") == "2.0"
        and isinstance(message.get("method"), str)
    )


def answer(request_id: RequestId | None, value: Any, changes: Any = None) -> Message:
    """Return the answer to a call that succeeded."""
    return {"jsonrpc": "2.0", "id": request_id, "result": {"value": value, "changes": changes}}


def failure(request_id: RequestId | None, error: KeepsakeError) -> Message:
    """Return the answer to a failed call; without an id for a malformed one."""
    return {"jsonrpc": "2.0", "id": request_id, "error": to_wire(error)}


def notification(method: str, params: Any) -> Message:
    """Return what a subscriber is told."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def value_and_changes(message: Message) -> tuple[Any, Any]:
    """Return value and changes of an answer, or raise its failure."""
    result = message.get("result")
    if not isinstance(result, dict):
        raise from_wire(message.get("error"))
    return with_sentences(result.get("value"), result.get("sentences")), result.get("changes")


def stray(message: Message) -> KeepsakeError:
    """Return the failure in a message that answers no request."""
    return from_wire(message["error"]) if "error" in message else FrameError("The host sent what nobody asked for.")
