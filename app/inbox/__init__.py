"""Inbox: agents' writes that wait for the person. Owns the tables inbox and inbox_rules (canonical)."""
