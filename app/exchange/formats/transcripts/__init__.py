"""Transcripts that coding agents keep on disk."""
