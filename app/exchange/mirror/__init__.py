"""Mirror of a folder of Markdown notes that is followed or written."""
