"""Entities: the people, places, organisations and other named things that turns and memories mention."""
