"""Encryption of a vault: key file, keys of unlocked vaults, sealed files."""
