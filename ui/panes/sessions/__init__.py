"""The Sessions pane: conversations and what was said in them."""
