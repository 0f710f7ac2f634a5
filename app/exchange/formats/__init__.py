"""Formats of import and export, one file each."""
