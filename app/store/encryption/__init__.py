"""Encryption of a vault: its key and passphrase, and all its files encrypted or decrypted."""
