"""Projection of the shared memories into tables of a database that agents on servers query."""
