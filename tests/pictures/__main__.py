"""``python -m tests.pictures OUT``: draw every pane and sheet x look x vault, with a contact sheet of each."""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ui import operations

if TYPE_CHECKING:
    from app.host import Host
    from tests.pictures.shots import Shot, Subjects
    from ui.bridge import Bridge
    from ui.window import Window

LOOKS = ("light", "dark", "contrast", "contrast-dark")
VAULTS = ("empty", "sample", "large")
A_SHEET = 9
QUIET_S, LONGEST_S, STEP_S = 0.6, 8.0, 0.05


def main() -> int:
    """Draw what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.pictures", description=__doc__)
    parser.add_argument("out", type=Path, nargs="?", default=Path("build/pictures"))
    parser.add_argument("--messages", type=int, default=100_000, help="messages in the large vault")
    parser.add_argument("--cache", type=Path, default=Path("build/picture-vaults"), help="where that vault is kept")
    parser.add_argument("--vaults", nargs="+", choices=VAULTS, default=VAULTS)
    parser.add_argument("--looks", nargs="+", choices=LOOKS, default=LOOKS[:3])
    parser.add_argument("--only", nargs="+", default=[], help="names of shots, or how they begin")
    parser.add_argument("--size", default="1440x900", help="width and height of the window")
    parser.add_argument("--scale", type=float, default=1.0, help="size of text")
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"

    from ui.app import make_application
    from ui.process.event_loop import EventLoop

    with EventLoop(make_application()) as loop:
        for name in options.vaults:
            loop.run_until_complete(_draw_vault(name, options))
    return 0


async def _draw_vault(name: str, options: Any) -> None:
    from app.host import Host
    from tests.pictures import vaults

    out: Path = options.out / name
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="keepsake-pictures-") as folder:
        vault = Path(folder) / "My memories"
        if name == "sample":
            await asyncio.to_thread(vaults.make_sample, vault)
        elif name == "large":
            await asyncio.to_thread(vaults.make_large, vault, options.messages, options.cache.absolute())
        host = Host(vault, serve=False)
        await asyncio.to_thread(host.start)
        try:
            written = await _draw_host(host, out, options)
        finally:
            await asyncio.to_thread(host.stop)
    _make_sheets(written, out)
    sys.stdout.write(f"{len(written)} pictures in {out}\n")


async def _draw_host(host: "Host", out: Path, options: Any) -> list[Path]:
    from tests.pictures.shots import shots, show_failure
    from ui import theme
    from ui.actions import Actions
    from ui.bridge import Bridge
    from ui.process.error_reporter import ErrorReporter
    from ui.window import Window
    from ui.window_state import WindowState

    theme.current().set_scale(options.scale)
    bridge = Bridge(host)
    window = Window(Actions(), WindowState(out), ErrorReporter())
    window.resize(*(int(part) for part in options.size.split("x")))
    window.show()
    written = []
    try:
        if not options.only or any("start".startswith(only) for only in options.only):
            show_failure(window)
            await asyncio.sleep(QUIET_S)
            written += await _draw_looks(window, out / "start-page", options.looks)
        window.attach(bridge)
        await _settle(bridge)
        theme.current().set_scale(options.scale)
        for shot in shots(await _subjects(bridge)):
            if not options.only or any(shot.name.startswith(only) for only in options.only):
                written += await _draw_shot(window, bridge, shot, out, options.looks)
    finally:
        window.shut_down()
        window.deleteLater()
        await bridge.close()
    return written


async def _draw_shot(window: "Window", bridge: "Bridge", shot: "Shot", out: Path, looks: list[str]) -> list[Path]:
    shot.reach(window)
    await _settle(bridge)
    return await _draw_looks(window, out / shot.name, looks)


async def _draw_looks(window: "Window", path: Path, looks: list[str]) -> list[Path]:
    from ui import theme
    from ui.theme import Scheme

    written = []
    for look in looks:
        theme.current().set_contrast(look.startswith("contrast"))
        theme.current().set_scheme(Scheme.DARK if look.endswith("dark") else Scheme.LIGHT)
        await asyncio.sleep(STEP_S * 3)
        written.append(path.with_name(f"{path.name}-{look}.png"))
        window.grab().save(str(written[-1]))
    theme.current().set_contrast(False)
    return written


async def _settle(bridge: "Bridge") -> None:
    """Wait until nothing has been asked for a while."""
    loop = asyncio.get_running_loop()
    end, quiet = loop.time() + LONGEST_S, loop.time()
    while loop.time() < end and loop.time() - quiet < QUIET_S:
        await asyncio.sleep(STEP_S)
        if bridge.is_busy:
            quiet = loop.time()


async def _subjects(bridge: "Bridge") -> "Subjects":
    from app.memories.model import MemoryFilter
    from tests.pictures.shots import Subjects

    sessions = await bridge.call(operations.session.ids())
    if not sessions:
        return Subjects()
    sample = "ses-sample-orchard-survey"
    text = "Gallica border" if sample in sessions else ""
    notes = await bridge.call(operations.note.list(filter=MemoryFilter(kinds=("note",), text=text)))
    facts = await bridge.call(operations.fact.list(limit=1))
    names = await bridge.call(operations.entity.list(limit=1))
    return Subjects(
        session=sample if sample in sessions else sessions[0],
        note=notes[0].id if notes else "",
        fact=facts[0].id if facts else "",
        entity=names[0].id if names else "",
        query="What did Dr. Brennan find in the soil?" if sample in sessions else "frost",
    )


def _make_sheets(written: list[Path], out: Path) -> None:
    from tests.pictures.contact_sheet import make_contact_sheet

    for look in LOOKS:
        mine = [path for path in written if path.stem.endswith(f"-{look}")]
        mine = [path for path in mine if look != "dark" or not path.stem.endswith("-contrast-dark")]
        for at in range(0, len(mine), A_SHEET):
            make_contact_sheet(mine[at : at + A_SHEET], out / f"sheet-{look}-{at // A_SHEET + 1}.png")


if __name__ == "__main__":
    sys.exit(main())
