"""On this day: lines that lead to what was written in earlier years."""

from datetime import datetime, time
from typing import TYPE_CHECKING

from pytestqt.qtbot import QtBot

from app.host import Host
from tests.unit.ui.conftest import Rest
from ui.bridge import Bridge
from ui.panes.notes.calendar.on_this_day import OnThisDay

if TYPE_CHECKING:
    from ui.panes.pane import Place


def test_lines_lead_to_what_was_written(qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest) -> None:
    today = datetime.now().astimezone().date()
    years = [back for back in (1, 2, 4, 8) if today.month != 2 or today.day != 29 or back >= 4][:2]
    for back in years:
        noon = datetime.combine(today.replace(year=today.year - back), time(12)).astimezone()
        message = {"role": "user", "content": f"Written {back} before", "created_at": noon.isoformat()}
        host.ask("session.append", session=f"talk-{back}", messages=[message])
    card = OnThisDay(bridge)
    qtbot.addWidget(card)
    assert card.isHidden()
    card.load()
    rest(lambda: len(card.words) == len(years))
    ago = "A year ago" if years[0] == 1 else f"{years[0]} years ago"
    assert card.words[0] == f"{ago}: Written {years[0]} before"
    places: list[Place] = []
    card.opened.connect(places.append)
    card.tab_chain[0].click()  # type: ignore[attr-defined]
    assert [place.pane for place in places] == ["sessions"]


def test_nothing_written_shows_nothing(qtbot: QtBot, host: Host, bridge: Bridge, look: object, rest: Rest) -> None:
    card = OnThisDay(bridge)
    qtbot.addWidget(card)
    card.load()
    rest(lambda: not bridge.is_busy)
    assert card.isHidden()
