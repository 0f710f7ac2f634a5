"""Token vectors for late interaction, made at index time.

Owns the tables token_vectors_* (derived).
"""
