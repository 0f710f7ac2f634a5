"""Settings: declared once, and saved as TOML with the person's comments."""
