"""Operations on templates of notes."""

from app.api.agent_writes.default_store import default_store
from app.api.caller import Caller
from app.api.registry import operation
from app.changes import Changed
from app.core.stores import StoreName
from app.engine import Engine
from app.memories.model import Memory, MemoryRow


@operation("note.templates", sentence="Looked at notes")
async def templates(engine: Engine, caller: Caller) -> list[MemoryRow]:
    """Return the templates of notes, by title.

    A template is a note with the tag ``template``, or one imported from a folder of that name. The tag
    ``template/daily`` names the template of the daily note.
    """
    return await engine.memories.templates.listed(caller.access)


@operation(
    "note.from_template",
    access="write",
    trust="inner",
    review="content",
    kind="note",
    undo="history",
    sentence="Wrote a note",
)
async def from_template(
    engine: Engine,
    caller: Caller,
    template: str,
    title: str = "",
    tags: list[str] = [],  # noqa: B006  (never changed; the registry copies defaults)
    store: StoreName | None = None,
) -> Changed[Memory]:
    """Make a note from a template, with ``{{date}}``, ``{{time}}`` and ``{{title}}`` filled in.

    Args:
        template: The template's id; any other note serves too.
        title: The title of the new note; the template's own when that has placeholders.
        tags: Tags beside those of the template.
        store: Who may see it; as the template when left out.
    """
    return await engine.memories.templates.create(
        caller.access,
        template,
        title,
        tags=tags,
        store=None if store is None else default_store(caller, store),
        source=caller.name,
    )
