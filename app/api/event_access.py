from app.api.caller import Caller
from app.changes import Event
def visible(event: Event, caller: Caller) -> Event | None:
    return None
