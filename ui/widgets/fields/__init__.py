"""Fields of forms: text, search, tags, passphrases, their labels and rows."""
