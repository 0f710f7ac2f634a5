"""This process and its libraries: lazy modules, threads, memory, open databases, its command."""
