"""The local socket, through which other programs of the same person reach the host."""
