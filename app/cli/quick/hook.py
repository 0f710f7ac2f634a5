"""``keepsake hook``: the command that an agent's client calls with each prompt.

The client's JSON comes on standard input. The command answers with recalled memories, or takes the transcript in.
Whatever happens, its exit status is 0, nothing but an answer is written to standard output, and it ends within seconds:
a memory must not hold up an agent.
"""

import json
import os
import sys
import time
from typing import Any

from app.cli.quick.quick_client import QuickClient, QuickError, vault_folder
from app.core.text_rules.project_name import project_of
from app.core.whole_lines import FilePosition, read_whole_lines

EVENTS = ("session-start", "prompt", "stop", "pre-compact")
CONTEXT_SECONDS = 2.0
TRANSCRIPT_SECONDS = 20.0
_INPUT_SECONDS = 3.0
_MAX_INPUT = 16 << 20
_MAX_PROMPT = 8_000
_PART_BYTES = 1 << 20
_MAX_PART_BYTES = 1_900_000  # escaped twice as long at most, which the host still takes
_NAME = "keepsake hook"
_EVENT_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
_TOKENS = {"session-start": 1200, "prompt": 1200}
_SECTIONS = {"session-start": ["facts", "sessions"], "prompt": ["facts", "turns"]}
_TAKEN_UP = {"compact", "resume"}  # the agent has lost sight of the conversation's latest turns


def run(event: str, vault: str | None = None, max_tokens: int | None = None) -> int:
    """Answer one call of a hook; always return 0.

    Args:
        event: One of ``EVENTS``.
        vault: The vault's folder, ``None`` for the default one.
        max_tokens: Tokens of recalled memories at most; a default for each event when ``None``.
    """
    try:
        text = _standard_input()
        if event in _EVENT_NAMES:
            _tell(event, text, vault, max_tokens)
        else:
            _take_transcript(text, vault)
    except QuickError as error:
        _note(str(error))
    except BrokenPipeError:
        # The agent does not wait for the answer.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except Exception as error:  # noqa: BLE001  (an agent's turn must not fail for its memory, whatever our bug)
        _note(f"something went wrong inside Keepsake ({type(error).__name__})")
    return 0


def _tell(event: str, given: dict[str, Any], vault: str | None, max_tokens: int | None) -> None:
    prompt = _text(given, "prompt", "user_prompt", "message")
    if event == "prompt" and not prompt.strip():
        return
    sections = list(_SECTIONS[event])
    if event == "session-start":
        prompt = ""
        if _text(given, "source", "trigger") in _TAKEN_UP:
            sections.insert(0, "recent")
    with QuickClient(vault_folder(vault), _NAME, CONTEXT_SECONDS) as client:
        context = client.call(
            "memory.context",
            prompt=prompt[:_MAX_PROMPT],
            session=_session(given),
            max_tokens=_TOKENS[event] if max_tokens is None else max_tokens,
            sections=sections,
            unasked=True,
            folder=_text(given, "cwd") if event == "session-start" else None,
            project=project_of(_text(given, "cwd")),
        )
    recalled = _text(context, "text") if isinstance(context, dict) else ""
    if recalled:
        name = _text(given, "hook_event_name") or _EVENT_NAMES[event]
        answer = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": recalled}}
        os.write(1, json.dumps(answer).encode() + b"\n")


def _take_transcript(given: dict[str, Any], vault: str | None) -> None:
    path = os.path.expanduser(_text(given, "transcript_path", "transcriptPath"))  # noqa: PTH111
    if not path:
        raise QuickError("the client named no transcript")
    form = _format(path)
    if not os.path.isfile(path):  # noqa: PTH113
        raise QuickError(f"there is no transcript at {path}")
    until = time.monotonic() + TRANSCRIPT_SECONDS
    with QuickClient(vault_folder(vault), _NAME, TRANSCRIPT_SECONDS) as client:
        known = client.call("capture.position", path=path)
        place = FilePosition(int(known["offset"]), str(known["tail"]))
        # What does not fit into the time is taken the next time.
        while place.offset >= 0 and time.monotonic() < until:
            part = read_whole_lines(path, place, _PART_BYTES)
            if part.data or part.start != place.offset:
                text = part.data.decode("utf-8", "replace") if len(part.data) <= _MAX_PART_BYTES else ""
                end = part.position
                client.call(
                    "capture.part", path=path, text=text, start=part.start, end=end.offset, tail=end.tail, format=form
                )
                if not text and part.data:
                    _note(f"a line of {len(part.data):,} bytes was left out")
            place = part.position
            if not part.has_more:
                return


def _format(path: str) -> str:
    name = os.path.basename(path)  # noqa: PTH119
    if name.startswith("rollout-") and name.endswith(".jsonl"):
        return "codex"
    if name.startswith("session-") and name.endswith((".json", ".jsonl")):
        if name.endswith(".json"):
            raise QuickError("a transcript of this kind is not read by a hook; switch on the setting capture.watch")
        return "gemini"
    return "claude-code"


def _session(given: dict[str, Any]) -> str:
    """Return our id of the conversation, whose own turns are not recalled."""
    session = _text(given, "session_id", "sessionId", "conversation_id")
    if not session:
        return ""
    try:
        form = _format(_text(given, "transcript_path", "transcriptPath"))
    except QuickError:
        form = "gemini"
    return f"{form}:{session}"


def _text(given: dict[str, Any], *names: str) -> str:
    for name in names:
        value = given.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def _standard_input() -> dict[str, Any]:
    data = _read_input()
    if not data.strip():
        raise QuickError("nothing came on standard input; the client's JSON is expected there")
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise QuickError("standard input is not JSON") from error
    if not isinstance(value, dict):
        raise QuickError("standard input is not a JSON object")
    return value


def _read_input() -> bytes:
    """Return standard input up to its end, a limit or a few seconds."""
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    handle = sys.stdin.fileno()
    if os.name != "posix":
        return sys.stdin.buffer.read(_MAX_INPUT)
    import select  # noqa: PLC0415  (where it works on pipes)

    data, until = bytearray(), time.monotonic() + _INPUT_SECONDS
    while len(data) < _MAX_INPUT:
        ready, _, _ = select.select([handle], [], [], max(0.0, until - time.monotonic()))
        part = os.read(handle, 1 << 16) if ready else b""
        if not part:
            break
        data += part
    return bytes(data)


def _note(text: str) -> None:
    line = f"keepsake hook: {text}\n".encode("utf-8", "replace")
    try:
        os.write(2, line)
    except OSError:
        return
