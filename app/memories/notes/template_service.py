"""Templates of notes: which notes are templates, and new notes made from one."""

from collections.abc import Sequence
from datetime import datetime

import apsw

from app.changes import Changed
from app.core.access import Access
from app.core.clock import to_datetime
from app.core.stores import StoreName
from app.core.text_rules.tag_names import normalise_tags
from app.memories import repo, validation
from app.memories.model import Memory, MemoryRow, NewMemory
from app.memories.repo import store_condition
from app.memories.store_access import require_active
from app.memories.tags.tag_repo import ACTIVE, tag_condition
from app.memories.text.template_text import TEMPLATE_TAG, expand, has_placeholder, is_template_tag
from app.memories.unit_of_work import MemoryUnitOfWork
from app.memories.writer import MemoryWriter

# Imported notes keep the path of their file, of which the folder counts here.
_IN_FOLDER = (
    "(instr(lower(m.attributes), '/template') > 0 AND (m.attributes ->> '$.origin.key' LIKE '%/template/%'"
    " OR m.attributes ->> '$.origin.key' LIKE '%/templates/%'))"
)
_TAGGED = f"m.id IN (SELECT memory_id FROM memory_tags WHERE {tag_condition('tag')})"


class TemplateService:
    """Lists templates and makes notes from them.

    A template is a note with the tag ``template``, one nested in it, or imported from a folder of that name.

    Args:
        transactions: Opens transactions.
    """

    def __init__(self, transactions: MemoryUnitOfWork) -> None:
        self._transactions = transactions

    async def listed(self, access: Access) -> list[MemoryRow]:
        """Return the templates, by title."""
        return await self._transactions.store.read(lambda connection: _templates(connection, access.stores))

    async def create(
        self,
        access: Access,
        template_id: str,
        title: str = "",
        *,
        tags: Sequence[str] = (),
        store: StoreName | None = None,
        source: str = "person",
    ) -> Changed[Memory]:
        """Make a note from a template, with the template's tags and its placeholders filled in.

        Args:
            template_id: The template, or any other note.
            title: The title of the new note; the template's own, filled in, when that has placeholders.
            tags: More tags.
            store: Who may see it; as the template when left out.
            source: Where it comes from.
            access: What the caller may see.

        Raises:
            NotFoundError: There is no such active note.
            InputError: Nothing is left of its text, or a field cannot be stored.
        """

        def work(writer: MemoryWriter) -> Memory:
            template = require_active(writer.connection, template_id, access.stores, "note")
            now = to_datetime(writer.at_ms).astimezone()
            draft = draft_from(template, title, now, tags=tags, store=store, source=source)
            return writer.create(validation.compose(draft, writer.at_ms))

        return await self._transactions.run(access, work)


def draft_from(
    template: Memory, title: str, now: datetime, *, tags: Sequence[str], store: StoreName | None, source: str
) -> NewMemory:
    """Return the note that a template makes."""
    named = title.strip() or (expand(template.title, "", now).strip() if has_placeholder(template.title) else "")
    own_tags = (tag for tag in template.tags if not is_template_tag(tag))
    return NewMemory(
        content=expand(template.content, named, now),
        title=named,
        tags=normalise_tags((*tags, *own_tags)),
        store=store or template.store,
        source=source,
    )


def _templates(connection: apsw.Connection, stores: Sequence[str]) -> list[MemoryRow]:
    cursor = connection.execute(
        f"SELECT m.id FROM memories m WHERE m.kind = 'note' AND {ACTIVE} AND {store_condition(stores)}"
        f" AND ({_TAGGED} OR {_IN_FOLDER}) ORDER BY m.title_key, m.rowid",
        (TEMPLATE_TAG,) * 3,
    )
    return repo.rows(connection, [str(row[0]) for row in cursor], stores=stores)
