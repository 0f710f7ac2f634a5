"""Snapshots of all that the machines share, and removal of the segments that they cover."""
