"""The command line of the window, and what a second launch does."""

from pathlib import Path

import pytest

from ui import app
from ui.process.single_instance import LaunchRequest


def test_options() -> None:
    options = app.parser().parse_args(["--vault", "/v", "--hidden", "--open", "keepsake://memory/note-1"])
    assert (options.vault, options.hidden) == (Path("/v"), True)
    assert app._wishes(options) == [LaunchRequest("open", ("keepsake://memory/note-1",))]


@pytest.mark.parametrize(
    ("argv", "wish"),
    [
        ([], LaunchRequest("raise")),
        (["--capture"], LaunchRequest("capture", ("",))),
        (["--capture", "buy milk"], LaunchRequest("capture", ("buy milk",))),
        (["--import", "/a.zip", "/b"], LaunchRequest("import", ("/a.zip", "/b"))),
    ],
)
def test_wishes(argv: list[str], wish: LaunchRequest) -> None:
    assert app._wishes(app.parser().parse_args(argv)) == [wish]


def test_application_is_dressed(qapp: object) -> None:
    application = app.make_application()
    assert application is qapp
    assert not application.quitOnLastWindowClosed()
    assert not application.windowIcon().isNull()
    assert application.desktopFileName() == app.DESKTOP_ID
