"""Agents: programs with a token, a trust level and an audit trail.

Owns the tables agents and audit (canonical).
"""
