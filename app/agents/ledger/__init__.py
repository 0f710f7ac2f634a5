"""The ledger: which agent read and wrote what.

Owns the tables audit, audit_items and audit_names (canonical). It names items and never says what is in them.
"""
