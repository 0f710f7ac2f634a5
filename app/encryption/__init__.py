"""Encryption of a vault with a passphrase: its key file, the keys that are open, sealed files."""
