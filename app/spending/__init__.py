"""Accounts of what the language model cost."""
