"""Settings: declared once with type, default, bounds and help; saved as TOML with the person's comments kept."""
