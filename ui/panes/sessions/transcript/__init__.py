"""The transcript of a conversation: its messages loaded, laid out and painted."""
