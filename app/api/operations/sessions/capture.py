"""Operations that take in the transcripts of other programs."""

from app.api.caller import Caller
from app.api.registry import operation
from app.api.session_access import owner_of, writer_of
from app.changes import Changed, ChangeSet
from app.core.whole_lines import FilePosition
from app.engine import Engine
from app.exchange.transcripts.intake import Sender
from app.exchange.transcripts.model import CaptureCounts, CapturePosition, CaptureStatus, TranscriptFormat


@operation("capture.position", trust="inner", words="transcript position", sentence="Looked at transcripts")
async def position(engine: Engine, caller: Caller, path: str) -> CapturePosition:
    """Return the position up to which a transcript was taken in.

    An offset of -1 means that another agent sends it.

    Args:
        path: Where its program keeps it.
    """
    return await engine.capture.intake.position(path, _sender(caller))


@operation(
    "capture.part",
    access="write",
    trust="inner",
    review="free",
    kind="session",
    words="transcript part",
    undo="needless",
    sentence="Took in part of a conversation",
)
async def part(
    engine: Engine,
    caller: Caller,
    path: str,
    text: str,
    start: int = 0,
    end: int = 0,
    tail: str = "",
    format: TranscriptFormat = "claude-code",
) -> Changed[CaptureCounts]:
    """Take in a part of a transcript, without storing any message twice.

    Text that Keepsake told the agent is left out, and so are keys and passwords unless the setting ``capture.secrets``
    allows them. Below full trust, the conversation becomes one with the caller.

    Args:
        path: Where its program keeps it; only names it, the file is not read.
        text: Whole lines of it.
        start: The offset in the file where they begin, as ``capture.position`` told it, or 0.
        end: The offset where they end.
        tail: A digest of the bytes before the end, given back by ``capture.position``.
        format: The program that wrote it: ``claude-code``, ``codex`` or ``gemini``.
    """
    intake = engine.capture.intake
    done = await intake.take_part(path, format, text, start, FilePosition(end, tail), _sender(caller))
    # The intake itself tells of new messages, as it does of those from files.
    return Changed(done, ChangeSet(frozenset(), (), caller.name))


@operation("capture.status", trust="full", words="transcript status", sentence="Looked at transcripts")
async def status(engine: Engine, caller: Caller) -> CaptureStatus:
    """Return what was taken in from transcripts since Keepsake was started."""
    return await engine.capture.watch.status()


def _sender(caller: Caller) -> Sender:
    return Sender(caller.name, owner_of(caller), writer_of(caller))
