"""Import and export, one file per foreign format."""
