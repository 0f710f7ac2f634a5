"""Near-duplicates: pairs of entities that may be one.

They are proposed to the person and never merged by themselves.
"""
