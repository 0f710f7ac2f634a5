"""Leases of the work that one machine does for all."""
