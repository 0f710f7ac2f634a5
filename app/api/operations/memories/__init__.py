"""Operations on what is remembered: memories, facts, entities, search, tags and the archive."""
