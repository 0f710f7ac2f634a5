"""Hostile input: texts, frames and disks."""
