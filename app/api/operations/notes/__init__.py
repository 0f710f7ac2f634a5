"""Operations on notes, their templates, links and attachments."""
