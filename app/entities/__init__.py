"""Entities: the people, places, organisations and other named things that messages and memories mention."""
