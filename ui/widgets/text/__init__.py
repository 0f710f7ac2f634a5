"""Text: the Markdown editor and its reading view."""
