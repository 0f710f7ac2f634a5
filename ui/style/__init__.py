"""Style of the window: tokens, stylesheet, icons, appearance settings."""
