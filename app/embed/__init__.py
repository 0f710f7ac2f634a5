"""Embedders: texts to vectors, by a built-in table, by hashing, or by a sentence model on this machine."""
