"""Requests over a network: their rules, and the log of them."""
