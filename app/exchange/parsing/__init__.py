"""Parsing of foreign files: encodings, huge JSON, lines, front matter."""
