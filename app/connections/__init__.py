"""Connections of agents' clients, by an entry in their configuration files."""
