"""Work that one of several machines does for all."""
