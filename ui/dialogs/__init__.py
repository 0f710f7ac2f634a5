"""Windows over the window: palette, import, settings, help."""
