"""Servers that are thrown away, and the ports that they listen on."""
