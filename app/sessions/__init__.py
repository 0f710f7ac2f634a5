"""Conversations and their turns. Owns sessions, messages and session_state (canonical)."""
