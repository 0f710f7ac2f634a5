"""Sheets of import and export, and their reports."""
