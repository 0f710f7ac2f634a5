"""Exports of assistants' conversations: ChatGPT and Claude."""
