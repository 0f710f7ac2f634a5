"""Downloads of models.

The hub's client, files into the cache, and jobs a person can cancel.
"""
