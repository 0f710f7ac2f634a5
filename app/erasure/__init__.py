"""Erasure: forgetting for ever, with its proof and its receipt."""
