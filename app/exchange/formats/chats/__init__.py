"""Exports of messengers and mail programs."""
