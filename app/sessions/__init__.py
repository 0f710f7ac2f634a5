"""Conversations and their messages. Owns sessions, messages and session_state (canonical)."""
