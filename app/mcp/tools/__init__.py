"""Tools of each profile: schemas, how arguments are read, and answers."""
