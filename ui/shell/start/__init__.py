"""Start of the window: the page until a vault is open, and its forms."""
