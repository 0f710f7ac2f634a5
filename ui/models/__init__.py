"""Models of item views: id lists filled by pages, cards, dates, rendered text.

They know no engine; a callback fetches what they need.
"""
