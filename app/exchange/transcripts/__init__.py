"""Capture of transcripts: filtering, storing once, positions in files, and watching."""
