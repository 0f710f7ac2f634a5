"""Queries: parser, query style, time expressions and full-text expressions."""
