"""Readers of note programs and documents: Joplin, Notion, Logseq, Apple Notes, Obsidian, PDF and plain text."""
