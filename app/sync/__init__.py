"""What several machines with one vault have to agree on."""
