"""Rules about texts: recalled parts, secrets, stop words, tags and counts of tokens."""
