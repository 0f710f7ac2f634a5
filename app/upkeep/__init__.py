"""Care of the vault: how it stands, whether it is sound, copies of it."""
