"""Parts of transcript capture, built from what all parts of an engine share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from app.config.config import Config
from app.exchange.transcripts.folders import transcript_folders
from app.exchange.transcripts.intake import TranscriptIntake
from app.exchange.transcripts.transcript_sink import Capture, TranscriptSink
from app.exchange.transcripts.watch import TranscriptWatch, WatchOptions
from app.part import BackgroundTask, Part
from app.runtime import Runtime
from app.sessions.capture.capture_policy import CapturePolicy
from app.sessions.options import session_options
from app.sessions.service import SessionService


@dataclass(frozen=True, slots=True)
class CaptureParts(Part):
    """Parts of transcript capture.

    Args:
        new_sink: Makes where the transcripts of an import go.
        intake: Takes in what hooks send and what is on disk.
        watch: Follows transcripts on disk.
    """

    new_sink: Callable[..., TranscriptSink]
    intake: TranscriptIntake
    watch: TranscriptWatch

    def tasks(self) -> Sequence[BackgroundTask]:
        """Return the following of transcripts."""
        return (BackgroundTask("transcripts", self.watch.run, is_essential=False),)

    @property
    def failures(self) -> Sequence[str]:
        """Sentences about transcripts that are not followed."""
        return self.watch.failures


def build(
    runtime: Runtime,
    sessions: SessionService,
    is_private: Callable[[], bool],
    was_private: Callable[[int, int], bool],
) -> CaptureParts:
    """Build the parts.

    Args:
        runtime: What all parts of an engine share.
        sessions: Appends the messages.
        is_private: Returns whether the person is incognito.
        was_private: Returns whether they were at any moment between two times, in milliseconds since 1970 UTC.
    """
    store, clock, config = runtime.store, runtime.clock, runtime.config
    new_sink = partial(TranscriptSink, store, sessions, clock, partial(config.flag, "capture.secrets"))
    policy = CapturePolicy(partial(session_options, config))

    def sink_of(capture: Capture) -> TranscriptSink:
        return new_sink(capture)

    intake = TranscriptIntake(store, clock, policy, sink_of, runtime.publish, was_private)
    folders = transcript_folders(config.environment)
    watch = TranscriptWatch(store, clock, intake, folders, partial(watch_options, config), is_private)
    return CaptureParts(new_sink, intake, watch)


def watch_options(config: Config) -> WatchOptions:
    """Return what the settings say of the watch."""
    formats = frozenset(name.strip() for name in config.text("capture.clients").split(",")) - {""}
    return WatchOptions(config.flag("capture.watch"), config.number("capture.watch_seconds"), formats)
